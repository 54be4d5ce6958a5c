#include "minnow/tasks/language_modeling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "minnow/autograd/backward.hpp"
#include "minnow/base/error.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/tasks/batch_tensors.hpp"
#include "minnow/tensor/arena.hpp"

namespace minnow {
namespace {

FileFormat format_of(DataFormat format) {
  switch (format) {
    case DataFormat::kAuto:
      return FileFormat::kAuto;
    case DataFormat::kText:
      return FileFormat::kText;
    case DataFormat::kNanogpt:
      return FileFormat::kNanogpt;
    case DataFormat::kLlmc:
      return FileFormat::kLlmc;
  }
  return FileFormat::kAuto;
}

Documents documents_of(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::kStream:
      return Documents::kStream;
    case DocumentKind::kLines:
      return Documents::kLines;
    case DocumentKind::kFiles:
      return Documents::kFiles;
  }
  return Documents::kStream;
}

SplitRule split_of(SplitKind kind) {
  switch (kind) {
    case SplitKind::kFraction:
      return SplitRule::kFraction;
    case SplitKind::kEveryNth:
      return SplitRule::kEveryNth;
    case SplitKind::kFile:
      return SplitRule::kFile;
  }
  return SplitRule::kFraction;
}

TokenizerChoice tokenizer_of(TokenizerKind kind) {
  switch (kind) {
    case TokenizerKind::kChar:
      return TokenizerChoice::kChar;
    case TokenizerKind::kByte:
      return TokenizerChoice::kByte;
    case TokenizerKind::kBpe:
      return TokenizerChoice::kBpe;
    case TokenizerKind::kWord:
      return TokenizerChoice::kWord;
    case TokenizerKind::kWordPiece:
      return TokenizerChoice::kWordPiece;
    case TokenizerKind::kSentencePiece:
      return TokenizerChoice::kSentencePiece;
    case TokenizerKind::kNone:
      return TokenizerChoice::kNone;
  }
  return TokenizerChoice::kChar;
}

std::optional<SplitPattern> pattern_of(PieceKind kind) {
  switch (kind) {
    case PieceKind::kAuto:
      return std::nullopt;
    case PieceKind::kGpt2:
      return SplitPattern::kGpt2;
    case PieceKind::kCl100k:
      return SplitPattern::kCl100k;
    case PieceKind::kLlama3:
      return SplitPattern::kLlama3;
    case PieceKind::kQwen2:
      return SplitPattern::kQwen2;
    case PieceKind::kNone:
      return SplitPattern::kNone;
  }
  return std::nullopt;
}

}  // namespace

DatasetOptions dataset_options(const Config& config, std::shared_ptr<const Tokenizer> stored) {
  DatasetOptions options;
  options.path = config.data.path;
  options.val_path = config.data.val_path;
  options.format = format_of(config.data.format);
  options.text_field = config.data.text_field;
  options.documents = documents_of(config.data.documents);
  options.packing = config.data.packing == PackingKind::kPack ? Packing::kPack : Packing::kPad;
  options.mask_documents = config.data.mask_documents;
  options.document_token = config.data.document_token;
  options.split = split_of(config.data.split);
  options.val_fraction = config.data.val_fraction;
  options.val_every = config.data.val_every;
  options.val_offset = config.data.val_offset;
  options.loader = {.batch_size = config.train.batch_size,
                    .block_size = config.model.block_size,
                    .order = config.data.order == OrderKind::kRandom ? SampleOrder::kRandom : SampleOrder::kEpoch,
                    .seed = static_cast<std::uint64_t>(config.train.seed)};
  options.tokenizer = tokenizer_of(config.tokenizer.type);
  options.bpe = {.path = config.tokenizer.path,
                 .pattern = pattern_of(config.tokenizer.pattern),
                 .vocab_size = config.tokenizer.vocab_size,
                 .min_frequency = config.tokenizer.min_frequency};
  options.stored = std::move(stored);
  options.unknown =
      config.tokenizer.unknown == UnknownPolicy::kReplace ? UnknownCharacter::kReplace : UnknownCharacter::kError;
  options.vocab_size = config.model.vocab_size;
  return options;
}

Index scored_windows(Index windows, Index most_windows) {
  return most_windows > 0 ? std::min(windows, most_windows) : windows;
}

std::optional<LmScore> evaluate(LanguageModel& model, const Dataset& data, Index batch_size,
                                const std::function<bool()>& stop, const std::function<void(Index, Index)>& progress,
                                Index most_windows) {
  const EvalLoader& windows = data.val();
  if (windows.windows() == 0)
    throw DataError("[evaluate] there must be a validation split; the data have none. Hint: set data.split");
  const NoGrad no_grad;
  StepArena arena;
  // Where the bits of a sequence depend on those beside it, each runs by itself.
  const Index rows = kernels::gemm_rows_are_independent<float>() && model.block_size() > 1 ? batch_size : 1;
  LmScore score;
  score.windows = scored_windows(windows.windows(), most_windows);
  score.whole = score.windows == windows.windows();
  double total = 0;  // row by row, in order: the sum does not depend on the batch size
  for (Index first = 0; first < score.windows; first += rows) {
    if (progress) progress(first, score.windows);
    if (stop && stop()) return std::nullopt;
    const Batch batch = windows.make_batch(first, rows, score.windows);
    const bool sequences = has_sequences(batch);
    const StepArena::Step plan(arena, static_cast<std::uint64_t>(batch.rows) << 1U | (sequences ? 1U : 0U),
                               sequences ? StepArena::Step::Fit::kAtMost : StepArena::Step::Fit::kExact);
    const BatchTensors in = batch_tensors(batch, 0, batch.rows);
    ForwardMode mode;
    in.describe(mode);
    const Tensor losses = model.token_losses(in.tokens, in.targets, mode);
    const float* loss = losses.data<float>();
    for (Index i = 0; i < losses.numel(); ++i) total += static_cast<double>(loss[i]);
    score.targets += batch.counted;
  }
  if (progress) progress(score.windows, score.windows);
  score.loss = total / static_cast<double>(score.targets);
  score.perplexity = std::exp(score.loss);
  auto bytes = static_cast<double>(data.val_facts().bytes);
  if (!score.whole) bytes *= static_cast<double>(score.targets) / static_cast<double>(data.val_facts().targets);
  score.bits_per_byte = bytes > 0 ? total / std::numbers::ln2 / bytes : 0;
  return score;
}

}  // namespace minnow
