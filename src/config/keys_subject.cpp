/// @file
/// The rows of task, [model], [data] and [tokenizer].

#include "config/key_row.hpp"
#include "config/key_table.hpp"

namespace minnow::config_detail {
namespace {

using enum ResumeEffect;

constexpr auto kModel = &Config::model;
constexpr auto kData = &Config::data;
constexpr auto kTokenizer = &Config::tokenizer;

bool split_by_fraction(const Config& config) { return config.data.split == SplitKind::kFraction; }
bool split_by_nth(const Config& config) { return config.data.split == SplitKind::kEveryNth; }
bool split_by_file(const Config& config) { return config.data.split == SplitKind::kFile; }
bool has_documents(const Config& config) { return config.data.documents != DocumentKind::kStream; }
bool masks_documents(const Config& config) { return config.data.mask_documents; }
bool is_rotary(const Config& config) { return config.model.position == PositionKind::kRotary; }
bool has_files(const Config& config) { return config.tokenizer.has_files(); }
bool has_pattern(const Config& config) {
  return config.tokenizer.type == TokenizerKind::kBpe || config.tokenizer.type == TokenizerKind::kWord;
}
bool learns_counts(const Config& config) { return config.tokenizer.learns_counts(); }
bool has_text(const Config& config) { return config.tokenizer.type != TokenizerKind::kNone; }

constexpr std::string_view kFiles = "tokenizer.type = \"bpe\", \"word\", \"wordpiece\" or \"sentencepiece\"";
constexpr std::string_view kLearned = "tokenizer.type = \"bpe\", \"word\" or \"wordpiece\" without tokenizer.path";
constexpr std::string_view kRotary = "model.position = \"rotary\"";

constexpr Key kRows[] = {
    top_row<&Config::task>("task", kRefused, "What the model learns: lm continues text"),

    row<kModel, &ModelConfig::family>("model.family", kRefused,
                                      "Architecture: names of the tensors and defaults of the keys below; every part "
                                      "of either can be set")
        .also("model_type arch architecture"),
    row<kModel, &ModelConfig::n_layer>("model.n_layer", kRefused, "Number of blocks (L)")
        .range(1, 10000)
        .also("n_layers num_layers num_hidden_layers depth layers"),
    row<kModel, &ModelConfig::n_head>("model.n_head", kRefused, "Attention heads per block (H); must divide n_embd")
        .range(1, 10000)
        .also("n_heads num_heads num_attention_heads heads"),
    row<kModel, &ModelConfig::n_kv_head>("model.n_kv_head", kRefused,
                                         "Heads of keys and values, each shared by a group of query heads; must divide "
                                         "n_head; 0 = n_head")
        .range(0, 10000)
        .also("num_key_value_heads n_kv_heads kv_heads num_kv_heads n_query_groups"),
    row<kModel, &ModelConfig::n_embd>("model.n_embd", kRefused, "Width of the model (C)")
        .range(1, kMaxCount)
        .also("hidden_size d_model dim embed_dim width"),
    row<kModel, &ModelConfig::block_size>("model.block_size", kRefused, "Longest context (T)")
        .range(1, kMaxCount)
        .in("tokens")
        .also("n_positions n_ctx context_length max_position_embeddings seq_len max_seq_len sequence_length context"),
    row<kModel, &ModelConfig::n_inner>("model.n_inner", kRefused,
                                       "Hidden width of the MLP (F); 0 = 4 n_embd, gated: 8/3 of it")
        .range(0, kMaxCount)
        .also("intermediate_size d_ff ffn_dim mlp_dim"),
    row<kModel, &ModelConfig::vocab_size>(
        "model.vocab_size", kRefused,
        "Rows of the embedding (V); 0 = what the tokenizer or the token file has; more than "
        "a tokenizer has are padding, which is never written")
        .range(0, 1e8)
        .in("tokens"),
    row<kModel, &ModelConfig::dropout>("model.dropout", kBits,
                                       "Probability of dropping a value, at the three places below; 0 = off")
        .range(0, 1)
        .below(1)
        .also("dropout_p dropout_rate"),
    row<kModel, &ModelConfig::attn_dropout>("model.attn_dropout", kBits, "Dropout of the attention weights")
        .range(0, 1)
        .below(1)
        .like("model.dropout")
        .also("attn_pdrop attention_dropout"),
    row<kModel, &ModelConfig::resid_dropout>("model.resid_dropout", kBits,
                                             "Dropout of what attention and MLP add to the stream")
        .range(0, 1)
        .below(1)
        .like("model.dropout")
        .also("resid_pdrop residual_dropout"),
    row<kModel, &ModelConfig::embd_dropout>("model.embd_dropout", kBits, "Dropout of embedding plus position")
        .range(0, 1)
        .below(1)
        .like("model.dropout")
        .also("embd_pdrop embedding_dropout"),
    row<kModel, &ModelConfig::activation>("model.activation", kRefused,
                                          "Activation of the MLP (Hugging Face's GPT-2: gelu_tanh); swiglu, geglu and "
                                          "reglu multiply an activated gate with a second product")
        .also("activation_function hidden_act act ffn mlp"),
    row<kModel, &ModelConfig::position>("model.position", kRefused,
                                        "Positions: a learned table of block_size rows, fixed sinusoids, queries and "
                                        "keys turned by the position (rotary), or none")
        .also("position_embedding_type pos_emb positions"),
    row<kModel, &ModelConfig::rope_theta>("model.rope_theta", kRefused, "Base of the angles of rotary positions")
        .range(1, 1e12)
        .above(1)
        .only(is_rotary, kRotary)
        .also("rotary_base rope_base theta"),
    row<kModel, &ModelConfig::rotary_dim>("model.rotary_dim", kRefused,
                                          "Channels of a head that turn with the position, an even number; 0 = all")
        .range(0, kMaxCount)
        .only(is_rotary, kRotary)
        .also("rotary_pct partial_rotary_factor rope_dim"),
    row<kModel, &ModelConfig::rope_style>(
        "model.rope_style", kRefused, "Which channels turn together: i and i + half (Hugging Face), or 2i and 2i + 1")
        .only(is_rotary, kRotary)
        .also("rope_interleaved"),
    row<kModel, &ModelConfig::sliding_window>("model.sliding_window", kRefused,
                                              "Positions that a query sees, its own the last; 0 = all before it")
        .range(0, kMaxCount)
        .in("tokens")
        .also("attention_window window window_size"),
    row<kModel, &ModelConfig::norm>("model.norm", kRefused, "LayerNorm, or RMSNorm, which has no mean and no bias")
        .also("norm_type norm_layer rms_norm"),
    row<kModel, &ModelConfig::norm_position>("model.norm_position", kRefused,
                                             "Norm before each sublayer (pre) or after its sum (post)")
        .also("norm_first pre_norm"),
    row<kModel, &ModelConfig::norm_eps>("model.norm_eps", kBits, "Added to the variance in the norms")
        .range(0, 1)
        .above(0)
        .also("layer_norm_epsilon layer_norm_eps ln_eps rms_norm_eps"),
    row<kModel, &ModelConfig::bias>("model.bias", kRefused, "Biases in every linear layer and norm except the head")
        .also("use_bias"),
    row<kModel, &ModelConfig::attn_bias>("model.attn_bias", kRefused, "Biases in the linear layers of attention")
        .like("model.bias")
        .also("attention_bias qkv_bias"),
    row<kModel, &ModelConfig::mlp_bias>("model.mlp_bias", kRefused, "Biases in the linear layers of the MLP")
        .like("model.bias")
        .also("ffn_bias"),
    row<kModel, &ModelConfig::head_bias>("model.head_bias", kRefused, "Bias in the output layer").also("lm_head_bias"),
    row<kModel, &ModelConfig::tie_head>("model.tie_head", kRefused, "Output layer shares the embedding's matrix")
        .also("tie_word_embeddings tie_weights weight_tying"),
    row<kModel, &ModelConfig::init>("model.init", kFree,
                                    "First weights: GPT-2's own (std 0.02), or scaled to the width (1/sqrt(C))")
        .also("initializer"),
    row<kModel, &ModelConfig::init_std>("model.init_std", kFree,
                                        "Standard deviation of the first weights; 0 = what init says")
        .range(0, 10)
        .also("initializer_range"),

    row<kData, &DataConfig::path>(
        "data.path", kFree,
        "File or folder to train on, \"builtin\" (stories), \"builtin:dialogues\", or \"-\" for standard input, which "
        "the run keeps; its content is compared on a resume")
        .path()
        .needed()
        .also("dataset data_dir train_file input_file data_path train_path"),
    row<kData, &DataConfig::format>("data.format", kRefused, "What the files hold; auto looks at the name and content"),
    row<kData, &DataConfig::text_field>("data.text_field", kRefused, "The member of a .jsonl line that holds the text")
        .also("text_column text_key"),
    row<kData, &DataConfig::val_path>("data.val_path", kFree, "Validation data")
        .path()
        .when(split_by_file, "data.split = \"file\"")
        .also("validation_file val_file eval_file"),
    row<kData, &DataConfig::split>("data.split", kRefused,
                                   "Validation split: the last part, every n-th document, or a file of its own"),
    row<kData, &DataConfig::val_fraction>("data.val_fraction", kRefused, "Part that is kept for validation")
        .range(0, 1)
        .above(0)
        .below(1)
        .when(split_by_fraction, "data.split = \"fraction\"")
        .also("validation_split test_size val_split"),
    row<kData, &DataConfig::val_every>("data.val_every", kRefused,
                                       "Documents with index % val_every == val_offset are for validation")
        .range(2, kMaxSteps)
        .in("documents")
        .when(split_by_nth, "data.split = \"every_nth\""),
    row<kData, &DataConfig::val_offset>("data.val_offset", kRefused, "Which of val_every documents is for validation")
        .range(0, kMaxSteps)
        .in("documents")
        .when(split_by_nth, "data.split = \"every_nth\""),
    row<kData, &DataConfig::documents>("data.documents", kRefused,
                                       "One endless stream, or documents: one a line, or one a file"),
    row<kData, &DataConfig::packing>("data.packing", kRefused,
                                     "Documents shorter than a window: padded, or several packed into one")
        .when(has_documents, "data.documents = \"lines\" or \"files\""),
    row<kData, &DataConfig::mask_documents>(
        "data.mask_documents", kRefused,
        "Attention stays inside a document and positions count from its begin, where a window holds several")
        .also("document_masking reset_attention_mask reset_position_ids intra_document_masking"),
    row<kData, &DataConfig::document_token>(
        "data.document_token", kRefused,
        "Id of the token that begins a document (GPT-2's files: 50256); -1 = the tokenizer's boundary token")
        .range(-1, kMaxCount)
        .when(masks_documents, "data.mask_documents = true")
        .also("eot_token eos_token_id eod_token"),
    row<kData, &DataConfig::order>("data.order", kRefused,
                                   "Each window once per epoch in a keyed order, or any offset with replacement")
        .also("shuffle sampling"),

    row<kTokenizer, &TokenizerConfig::type>(
        "tokenizer.type", kRefused,
        "Tokens: characters, bytes, frequent byte strings (bpe), words, pieces of words as BERT has them (wordpiece), "
        "what a SentencePiece model says, or none when the data are token files")
        .also("tokenizer_type tokenizer_name"),
    row<kTokenizer, &TokenizerConfig::unknown>("tokenizer.unknown", kFree,
                                               "A character that the vocabulary lacks: an error, or replaced by the "
                                               "first of U+FFFD, ?, blank, line feed it has; a word: by [UNK]")
        .when(has_text, "tokenizer.type is not \"none\""),
    row<kTokenizer, &TokenizerConfig::path>(
        "tokenizer.path", kRefused,
        "A tokenizer.json, vocab.json with merges.txt, .tiktoken file, vocab.txt, SentencePiece .model, or the folder "
        "of one; empty: learned from the training text")
        .path()
        .only(has_files, kFiles)
        .also("tokenizer_path tokenizer_file vocab_file"),
    row<kTokenizer, &TokenizerConfig::pattern>(
        "tokenizer.pattern", kRefused,
        "How text is cut into words, or the pieces within which byte pairs merge; auto: as "
        "tokenizer.path says, else gpt2")
        .only(has_pattern, "tokenizer.type = \"bpe\" or \"word\""),
    row<kTokenizer, &TokenizerConfig::vocab_size>("tokenizer.vocab_size", kRefused,
                                                  "Tokens at most of what is learned: bpe has 256 bytes and merges, "
                                                  "word [UNK] and the most frequent words")
        .range(2, kMaxCount)
        .in("tokens")
        .only(learns_counts, kLearned),
    row<kTokenizer, &TokenizerConfig::min_frequency>("tokenizer.min_frequency", kRefused,
                                                     "Rarer pairs do not merge, rarer words are no tokens")
        .range(1, kMaxSteps)
        .in("occurrences")
        .only(learns_counts, kLearned),
};

}  // namespace

std::span<const Key> subject_keys() { return kRows; }

}  // namespace minnow::config_detail
