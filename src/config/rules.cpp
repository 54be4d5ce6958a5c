/// @file
/// The rules between keys. Each returns an empty text, or what must hold and what was got.

#include <fmt/format.h>

#include "config/assignment.hpp"

namespace minnow::config_detail {
namespace {

std::string heads_divide_width(const Config& c) {
  if (c.model.n_embd % c.model.n_head == 0) return "";
  return fmt::format("model.n_embd must be divisible by model.n_head; got {} and {}", c.model.n_embd, c.model.n_head);
}

std::string sinusoids_come_in_pairs(const Config& c) {
  if (c.model.position != PositionKind::kSinusoidal || c.model.n_embd % 2 == 0) return "";
  return fmt::format("model.n_embd must be even with model.position = \"sinusoidal\"; got {}", c.model.n_embd);
}

std::string kv_heads_divide_heads(const Config& c) {
  if (c.model.n_head % c.model.kv_heads() == 0) return "";
  return fmt::format("model.n_head must be divisible by model.n_kv_head; got {} and {}", c.model.n_head,
                     c.model.n_kv_head);
}

std::string rotary_pairs_fit(const Config& c) {
  if (c.model.position != PositionKind::kRotary || c.model.n_embd % c.model.n_head != 0) return "";
  const int64_t turning = c.model.rotary_width();
  if (turning % 2 == 0 && turning <= c.model.head_dim()) return "";
  return fmt::format(
      "model.rotary_dim must be even and at most the width of a head (model.n_embd / model.n_head), which it is when "
      "0; "
      "got {} and heads of {}",
      c.model.rotary_dim, c.model.head_dim());
}

std::string micro_batches_divide_batch(const Config& c) {
  if (c.train.batch_size % c.train.accumulation_steps == 0) return "";
  return fmt::format("train.batch_size must be divisible by train.accumulation_steps; got {} and {}",
                     c.train.batch_size, c.train.accumulation_steps);
}

std::string leaves_divide_micro_batch(const Config& c) {
  const bool cut_evenly = c.train.batch_size % c.train.accumulation_steps == 0;
  if (c.train.leaf_sequences == 0 || !cut_evenly) return "";  // the rule above speaks of the latter
  if (c.train.micro_batch() % c.train.leaf_sequences == 0) return "";
  return fmt::format(
      "train.leaf_sequences must divide the micro-batch (train.batch_size / train.accumulation_steps); got {} and {}",
      c.train.leaf_sequences, c.train.micro_batch());
}

std::string decay_follows_warmup(const Config& c) {
  const bool decays = c.schedule.name == ScheduleKind::kLinear || c.schedule.name == ScheduleKind::kCosine;
  if (!decays || c.schedule.decay_steps == 0 || c.schedule.decay_steps >= c.schedule.warmup_steps) return "";
  return fmt::format("schedule.decay_steps must be at least schedule.warmup_steps; got {} and {}",
                     c.schedule.decay_steps, c.schedule.warmup_steps);
}

std::string min_lr_is_smaller(const Config& c) {
  const bool used = c.schedule.name != ScheduleKind::kConstant && c.schedule.name != ScheduleKind::kInverseSqrt;
  if (!used || c.schedule.min_lr <= c.optimizer.learning_rate) return "";
  return fmt::format("schedule.min_lr must be at most optimizer.learning_rate; got {} and {}",
                     number_text(c.schedule.min_lr), number_text(c.optimizer.learning_rate));
}

std::string inverse_sqrt_needs_warmup(const Config& c) {
  if (c.schedule.name != ScheduleKind::kInverseSqrt || c.schedule.warmup_steps > 0) return "";
  return "schedule.warmup_steps must be at least 1 with schedule.name = \"inverse_sqrt\", which is measured in it; got "
         "0";
}

std::string val_path_goes_with_file(const Config& c) {
  if (c.data.split == SplitKind::kFile && c.data.val_path.empty()) {
    return "data.val_path must be given with data.split = \"file\"; got none";
  }
  if (c.data.split != SplitKind::kFile && !c.data.val_path.empty()) {
    return fmt::format("data.split must be \"file\" when data.val_path is given; got {}",
                       value_text(*find_key("data.split"), c));
  }
  return "";
}

std::string offset_is_below_every(const Config& c) {
  if (c.data.split != SplitKind::kEveryNth || c.data.val_offset < c.data.val_every) return "";
  return fmt::format("data.val_offset must be less than data.val_every; got {} and {}", c.data.val_offset,
                     c.data.val_every);
}

std::string nth_needs_documents(const Config& c) {
  if (c.data.split != SplitKind::kEveryNth || c.data.documents != DocumentKind::kStream) return "";
  return "data.documents must be \"lines\" or \"files\" with data.split = \"every_nth\"; got \"stream\"";
}

bool holds_tokens(const Config& c) {
  return c.data.format == DataFormat::kNanogpt || c.data.format == DataFormat::kLlmc;
}

std::string tokens_are_a_stream(const Config& c) {
  if (!holds_tokens(c) || c.data.documents == DocumentKind::kStream) return "";
  return "data.documents must be \"stream\" with token files (data.format nanogpt or llmc); got " +
         value_text(*find_key("data.documents"), c);
}

std::string tokenizer_fits_format(const Config& c) {
  const bool loads = c.tokenizer.has_files() && !c.tokenizer.learns_counts();
  if (holds_tokens(c) && c.tokenizer.type != TokenizerKind::kNone && !loads) {
    return fmt::format("tokenizer.type must be \"none\" with token files (data.format nanogpt or llmc); got {}",
                       value_text(*find_key("tokenizer.type"), c));
  }
  if (c.data.format == DataFormat::kText && c.tokenizer.type == TokenizerKind::kNone) {
    return "tokenizer.type must be another one than \"none\" with data.format = \"text\"; got \"none\"";
  }
  return "";
}

std::string bytes_have_room(const Config& c) {
  constexpr int64_t kBytes = 256;
  const bool learns = c.tokenizer.type == TokenizerKind::kBpe && c.tokenizer.learns_counts();
  if (!learns || c.tokenizer.vocab_size >= kBytes) return "";
  return fmt::format("tokenizer.vocab_size must be at least {} with tokenizer.type = \"bpe\"; got {}", kBytes,
                     c.tokenizer.vocab_size);
}

std::string sentences_have_a_model(const Config& c) {
  if (c.tokenizer.type != TokenizerKind::kSentencePiece || !c.tokenizer.path.empty()) return "";
  return "tokenizer.path must name a .model file with tokenizer.type = \"sentencepiece\"; got none";
}

std::string builtin_is_text(const Config& c) {
  const bool builtin = c.data.path == "builtin" || c.data.path.starts_with("builtin:");
  if (!builtin || (!holds_tokens(c) && c.tokenizer.type != TokenizerKind::kNone)) return "";
  return fmt::format(
      "data.path = \"{}\" is text: data.format must be \"auto\" or \"text\" and tokenizer.type must not be \"none\"",
      c.data.path);
}

std::string samples_need_text(const Config& c) {
  if (c.sample.every_steps == 0 || c.tokenizer.type != TokenizerKind::kNone) return "";
  return fmt::format("sample.every_steps must be 0 with tokenizer.type = \"none\", which cannot write text; got {}",
                     c.sample.every_steps);
}

std::string early_stop_needs_evals(const Config& c) {
  if (c.train.early_stop_evals == 0 || c.eval.every_steps > 0) return "";
  return fmt::format("eval.every_steps must be at least 1 with train.early_stop_evals = {}; got 0",
                     c.train.early_stop_evals);
}

std::string dialogues_have_answers(const Config& c) {
  if (!c.chat.assistant.empty() || (c.chat.user.empty() && c.chat.stop.empty())) return "";
  return "chat.assistant must be given with chat.user or chat.stop: it is what an answer follows; got an empty one";
}

constexpr Rule kRules[] = {
    {{"model.n_embd", "model.n_head"}, heads_divide_width},
    {{"model.n_embd", "model.position"}, sinusoids_come_in_pairs},
    {{"model.n_kv_head", "model.n_head"}, kv_heads_divide_heads},
    {{"model.rotary_dim", "model.n_head", "model.n_embd", "model.position"}, rotary_pairs_fit},
    {{"train.batch_size", "train.accumulation_steps"}, micro_batches_divide_batch},
    {{"train.leaf_sequences", "train.batch_size", "train.accumulation_steps"}, leaves_divide_micro_batch},
    {{"schedule.decay_steps", "schedule.warmup_steps", "schedule.name"}, decay_follows_warmup},
    {{"schedule.min_lr", "optimizer.learning_rate", "schedule.name"}, min_lr_is_smaller},
    {{"schedule.warmup_steps", "schedule.name"}, inverse_sqrt_needs_warmup},
    {{"data.split", "data.val_path"}, val_path_goes_with_file},
    {{"data.val_offset", "data.val_every", "data.split"}, offset_is_below_every},
    {{"data.documents", "data.split"}, nth_needs_documents},
    {{"data.documents", "data.format"}, tokens_are_a_stream},
    {{"tokenizer.type", "data.format"}, tokenizer_fits_format},
    {{"tokenizer.vocab_size", "tokenizer.type"}, bytes_have_room},
    {{"tokenizer.path", "tokenizer.type"}, sentences_have_a_model},
    {{"data.path", "tokenizer.type", "data.format"}, builtin_is_text},
    {{"sample.every_steps", "tokenizer.type"}, samples_need_text},
    {{"eval.every_steps", "train.early_stop_evals"}, early_stop_needs_evals},
    {{"chat.assistant", "chat.user", "chat.stop"}, dialogues_have_answers},
};

}  // namespace

std::span<const Rule> config_rules() { return kRules; }

}  // namespace minnow::config_detail
