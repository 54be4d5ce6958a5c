#include "data/byte_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

class FileStream final : public ByteStream {
 public:
  FileStream(int descriptor, bool owned, std::string name)
      : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {}
  ~FileStream() override {
    if (owned_) ::close(descriptor_);
  }

  std::size_t read(std::span<char> target) override {
    for (;;) {
      const ssize_t got = ::read(descriptor_, target.data(), target.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        const std::string reason = std::error_code(errno, std::generic_category()).message();
        throw IoError(fmt::format("[data] the text must be readable; got \"{}\" for {} after {} bytes.", reason, name_,
                                  consumed_));
      }
      consumed_ += static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

  [[nodiscard]] std::uint64_t consumed() const override { return consumed_; }

 private:
  int descriptor_;
  bool owned_;
  std::string name_;
  std::uint64_t consumed_ = 0;
};

class SpanStream final : public ByteStream {
 public:
  explicit SpanStream(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t read(std::span<char> target) override {
    const std::size_t count = std::min(target.size(), bytes_.size() - position_);
    if (count > 0) std::memcpy(target.data(), bytes_.data() + position_, count);
    position_ += count;
    return count;
  }

  [[nodiscard]] std::uint64_t consumed() const override { return position_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> stream_of(std::span<const std::byte> bytes) { return std::make_unique<SpanStream>(bytes); }

std::unique_ptr<ByteStream> open_bytes(const std::filesystem::path& path) {
  if (path == kStandardInput) return std::make_unique<FileStream>(STDIN_FILENO, false, "standard input");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const std::error_code code(errno, std::generic_category());
    throw IoError(
        fmt::format("[data] the text must be readable; got \"{}\" for {}. Hint: {}", code.message(), path.string(),
                    code == std::errc::no_such_file_or_directory ? "relative paths start at the working directory"
                                                                 : "see its permissions"));
  }
  auto file = std::make_unique<FileStream>(descriptor, true, path.string());
  if (!path.string().ends_with(".zst")) return file;
  return decompressed(std::move(file), path.string());
}

}  // namespace minnow
