#include "minnow/data/loader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>

#include "minnow/base/error.hpp"
#include "minnow/base/philox.hpp"
#include "minnow/data/permutation.hpp"

namespace minnow {
namespace {

// Padded batches come in few lengths: plans of buffers and kernels are made per length.
constexpr std::int64_t kLengthBucket = 8;

std::int64_t bucketed(std::int64_t longest, std::int64_t block_size) {
  return std::min((longest + kLengthBucket - 1) / kLengthBucket * kLengthBucket, block_size);
}

Batch empty_batch(std::int64_t rows, std::int64_t length) {
  Batch batch;
  batch.rows = rows;
  batch.length = length;
  batch.tokens.assign(static_cast<std::size_t>(rows * length), 0);
  batch.targets.assign(static_cast<std::size_t>(rows * length), kIgnoredTarget);
  return batch;
}

/// Cuts a row before each token that begins a document.
void add_pieces(Batch& batch, std::span<const std::int32_t> row, std::int32_t document_token) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= row.size(); ++i) {
    if (i < row.size() && row[i] != document_token) continue;
    batch.pieces.push_back(static_cast<std::int32_t>(i - begin));
    begin = i;
  }
}

/// Fills the next row: inputs from window.offset on, targets one token later, the rest stays padding.
void add_row(Batch& batch, const TokenStore& tokens, std::int64_t id, const Window& window, std::int32_t document_token,
             std::vector<std::int32_t>& scratch) {
  const auto row = static_cast<std::int64_t>(batch.lengths.size());
  scratch.resize(static_cast<std::size_t>(window.length + 1));
  tokens.copy(window.offset, window.length + 1, scratch.data());
  std::copy_n(scratch.begin(), window.length, batch.tokens.begin() + row * batch.length);
  std::copy_n(scratch.begin() + 1, window.length, batch.targets.begin() + row * batch.length);
  if (document_token >= 0) {
    add_pieces(batch, std::span(scratch).first(static_cast<std::size_t>(window.length)), document_token);
  }
  batch.lengths.push_back(static_cast<std::int32_t>(window.length));
  batch.samples.push_back(id);
  batch.offsets.push_back(window.offset);
  batch.counted += window.length;
}

void check_options(const LoaderOptions& options) {
  if (options.batch_size >= 1 && options.block_size >= 1) return;
  throw ConfigError(fmt::format("[data] batch_size and block_size must be at least 1; got {} and {}.",
                                options.batch_size, options.block_size));
}

}  // namespace

TrainLoader::TrainLoader(TokenStore stream, const LoaderOptions& options)
    : tokens_(std::move(stream)), options_(options), stream_(true) {
  check_options(options);
  if (tokens_.size() <= options.block_size) {
    throw DataError(fmt::format(
        "[data] the training split must have at least block_size + 1 = {} tokens; got {} tokens for a block_size "
        "of {}. Hint: use more text or a smaller model.block_size.",
        options.block_size + 1, tokens_.size(), options.block_size));
  }
  windows_ = WindowSet::of_full_blocks(tokens_.size(), options.block_size);
}

TrainLoader::TrainLoader(TokenStore tokens, WindowSet windows, const LoaderOptions& options)
    : tokens_(std::move(tokens)), windows_(std::move(windows)), options_(options) {
  check_options(options);
  if (windows_.count() == 0) throw DataError("[data] the training split must have at least one document; it is empty.");
}

TrainLoader::Sample TrainLoader::sample(std::int64_t step, std::int64_t row) const {
  const auto windows = static_cast<std::uint64_t>(windows_.count());
  const auto seed = options_.seed;
  if (options_.order == SampleOrder::kRandom) {
    const RandomKey key{seed, kStreamDataDraw, static_cast<std::uint64_t>(step)};
    const auto element = static_cast<std::uint64_t>(row);
    if (!stream_) {
      const auto id = static_cast<std::int64_t>(random_below(key, element, windows));
      return {id, windows_.at(id)};
    }
    const auto starts = static_cast<std::uint64_t>(tokens_.size() - options_.block_size);
    const auto offset = static_cast<std::int64_t>(random_below(key, element, starts));
    return {offset, {offset, options_.block_size}};
  }
  const std::uint64_t number = static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(options_.batch_size) +
                               static_cast<std::uint64_t>(row);
  const std::uint64_t epoch = number / windows;
  const KeyedPermutation shuffle(windows, seed, kStreamDataShuffle, epoch);
  const auto id = static_cast<std::int64_t>(shuffle(number % windows));
  Window window = windows_.at(id);
  if (stream_ && epoch > 0) {
    const std::int64_t slack = tokens_.size() - 1 - windows_.total_length();
    window.offset += static_cast<std::int64_t>(
        random_below({seed, kStreamDataPhase, 0}, epoch, static_cast<std::uint64_t>(slack + 1)));
  }
  return {id, window};
}

Batch TrainLoader::make_rows(std::int64_t step, std::int64_t first_row, std::int64_t rows) const {
  if (step < 0 || first_row < 0 || rows < 0 || rows > options_.batch_size - first_row) {
    throw std::out_of_range(fmt::format("[data] rows {} .. {} of step {} must lie within a batch of {}", first_row,
                                        first_row + rows - 1, step, options_.batch_size));
  }
  std::vector<Sample> samples;
  samples.reserve(static_cast<std::size_t>(options_.batch_size));
  std::int64_t longest = 0;
  std::int64_t counted = 0;
  for (std::int64_t row = 0; row < options_.batch_size; ++row) {
    samples.push_back(sample(step, row));
    longest = std::max(longest, samples.back().window.length);
    counted += samples.back().window.length;
  }
  Batch batch = empty_batch(rows, stream_ ? options_.block_size : bucketed(longest, options_.block_size));
  batch.counted_in_step = counted;
  std::vector<std::int32_t> scratch;
  for (std::int64_t row = first_row; row < first_row + rows; ++row) {
    const Sample& chosen = samples[static_cast<std::size_t>(row)];
    add_row(batch, tokens_, chosen.id, chosen.window, options_.document_token, scratch);
  }
  return batch;
}

double TrainLoader::epochs(std::int64_t steps) const {
  return static_cast<double>(steps) * static_cast<double>(options_.batch_size) / static_cast<double>(windows_.count());
}

EvalLoader::EvalLoader(TokenStore tokens, WindowSet windows, std::int64_t block_size, std::int32_t document_token)
    : tokens_(std::move(tokens)),
      windows_(std::move(windows)),
      length_(bucketed(windows_.longest(), block_size)),
      document_token_(document_token) {}

Batch EvalLoader::make_batch(std::int64_t first, std::int64_t rows, std::int64_t of) const {
  const std::int64_t all = windows_.count();
  if (first < 0 || rows < 1 || first >= of || of > all)
    throw std::out_of_range(
        fmt::format("[data] evaluation windows from {} on must lie within {} of {}", first, of, all));
  rows = std::min(rows, of - first);
  Batch batch = empty_batch(rows, length_);
  std::vector<std::int32_t> scratch;
  const auto chosen = [&](std::int64_t number) {  // (2 k + 1) all / (2 of), without its products
    const std::int64_t whole = all / of, rest = all % of;
    return number * whole + whole / 2 + ((2 * number + 1) * rest + (whole % 2) * of) / (2 * of);
  };
  for (std::int64_t number = first; number < first + rows; ++number) {
    const std::int64_t id = chosen(number);
    add_row(batch, tokens_, id, windows_.at(id), document_token_, scratch);
  }
  batch.counted_in_step = batch.counted;
  return batch;
}

}  // namespace minnow
