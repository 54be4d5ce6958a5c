#include <fmt/format.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <vector>

#include "data/byte_stream.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

constexpr int kMaxWindowLog = 27;                   // 128 MiB
constexpr std::uint64_t kFreeBytes = 16ULL << 20U;  // so much may come of any few bytes
constexpr std::uint64_t kMaxExpansion = 2000;       // real text shrinks to a third, logs to a hundredth

/// Frames one after the other, as `cat a.zst b.zst` makes them.
class ZstdStream final : public ByteStream {
 public:
  ZstdStream(std::unique_ptr<ByteStream> compressed, std::string name)
      : source_(std::move(compressed)), name_(std::move(name)), input_(ZSTD_DStreamInSize()) {
    context_.reset(ZSTD_createDCtx());
    if (!context_) throw MemoryError("[data] there must be memory for reading compressed text; got none.");
    check(ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kMaxWindowLog));
  }

  std::size_t read(std::span<char> target) override {
    ZSTD_outBuffer out{target.data(), target.size(), 0};
    while (out.pos == 0) {
      const bool more = pending_.pos < pending_.size || refill();
      if (!more && !inside_) return 0;
      const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &pending_);  // without input: what it holds
      check(left);
      inside_ = left != 0;
      if (!more && out.pos == 0) fail_cut();
    }
    produced_ += out.pos;
    if (produced_ > kFreeBytes && produced_ / kMaxExpansion > source_->consumed()) {
      throw DataError(fmt::format(
          "[data] {}: compressed text must give at most {} bytes for each of its own; got {} bytes from {}. Hint: "
          "decompress it by `zstd -d` if that is right.",
          name_, kMaxExpansion, produced_, source_->consumed()));
    }
    return out.pos;
  }

  [[nodiscard]] std::uint64_t consumed() const override { return source_->consumed(); }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  bool refill() {
    pending_ = {input_.data(), source_->read(input_), 0};
    return pending_.size > 0;
  }

  [[noreturn]] void fail_cut() const {
    throw DataError(
        fmt::format("[data] {}: compressed text must be whole; it ends inside a frame after {} bytes. "
                    "Hint: the file was cut off.",
                    name_, source_->consumed()));
  }

  void check(std::size_t code) const {
    if (ZSTD_isError(code) == 0) return;
    throw DataError(fmt::format("[data] {}: compressed text must be sound; got \"{}\" within the first {} bytes.{}",
                                name_, ZSTD_getErrorName(code), source_->consumed(),
                                ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge
                                    ? " Hint: it was compressed with a longer window than 128 MiB; decompress it by "
                                      "`zstd -d --long=31`."
                                    : ""));
  }

  std::unique_ptr<ByteStream> source_;
  std::string name_;
  std::vector<char> input_;
  std::unique_ptr<ZSTD_DCtx, Free> context_;
  ZSTD_inBuffer pending_{nullptr, 0, 0};
  std::uint64_t produced_ = 0;
  bool inside_ = false;
};

}  // namespace

std::unique_ptr<ByteStream> decompressed(std::unique_ptr<ByteStream> compressed, std::string name) {
  return std::make_unique<ZstdStream>(std::move(compressed), std::move(name));
}

}  // namespace minnow
