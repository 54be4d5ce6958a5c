#include "train/text_sample.hpp"

#include <algorithm>

#include "minnow/data/text_reader.hpp"

namespace minnow {
namespace {

constexpr std::int64_t kBytesOfPart = std::int64_t{1} << 20;
constexpr std::int64_t kMostSampled = 32 * kBytesOfPart;

}  // namespace

std::vector<std::string_view> TextSample::views() const {
  std::vector<std::string_view> views;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : bytes.size();
    if (end > begins[i]) views.push_back(std::string_view(bytes).substr(begins[i], end - begins[i]));
  }
  return views;
}

TextSample sample_text(const std::vector<std::filesystem::path>& files, const std::string& text_field,
                       std::int64_t text_bytes) {
  const std::int64_t every = std::max<std::int64_t>(1, (text_bytes + kMostSampled - 1) / kMostSampled);
  TextSample sample;
  TextReader reader(files, {.documents = Documents::kFiles, .field = text_field});
  std::int64_t position = 0;
  bool broken = true;  // what comes next does not follow what was taken last
  for (TextPiece piece; reader.next(piece);) {
    const bool wanted = position / kBytesOfPart % every == 0;
    position += static_cast<std::int64_t>(piece.text.size());
    if (wanted) {
      if (broken || piece.begins) sample.begins.push_back(sample.bytes.size());
      sample.bytes += piece.text;
    }
    broken = !wanted;
  }
  return sample;
}

}  // namespace minnow
