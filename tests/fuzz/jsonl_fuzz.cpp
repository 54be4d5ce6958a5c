// Takes any bytes as a JSON Lines file. Every text that comes out is valid UTF-8, there are no more texts than lines,
// and pieces of any size put together give the same texts.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "data/jsonl.hpp"
#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Gives the bytes a few at a time, so that lines are cut everywhere.
class Dripping final : public minnow::ByteStream {
 public:
  Dripping(std::span<const std::byte> bytes, std::size_t most) : bytes_(minnow::stream_of(bytes)), most_(most) {}
  std::size_t read(std::span<char> target) override {
    return bytes_->read(target.first(std::min(most_, target.size())));
  }
  [[nodiscard]] std::uint64_t consumed() const override { return bytes_->consumed(); }

 private:
  std::unique_ptr<minnow::ByteStream> bytes_;
  std::size_t most_;
};

/// @return the texts up to the first bad line, and what was said of it.
std::vector<std::string> read(std::span<const std::byte> bytes, std::size_t most) {
  std::vector<std::string> texts;
  minnow::JsonlReader reader(std::make_unique<Dripping>(bytes, most), "fuzz.jsonl", "text");
  try {
    for (std::string text; reader.next(text);) texts.push_back(text);
  } catch (const minnow::DataError& error) {
    texts.emplace_back(error.what());
  }
  return texts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::vector<std::string> texts = read(bytes, 1U << 20);
  for (const std::string& text : texts) require(minnow::count_invalid_utf8(text) == 0);
  require(static_cast<std::ptrdiff_t>(texts.size()) <= std::count(data, data + size, '\n') + 1);
  require(read(bytes, 3) == texts);
  return 0;
}
