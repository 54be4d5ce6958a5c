#include <fmt/format.h>
#include <png.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "minnow/base/error.hpp"
#include "minnow/text/utf8.hpp"
#include "report/heat_sheet.hpp"
#include "report/pixel_font.hpp"

namespace minnow {
namespace {

constexpr int kScale = 2;         // pixels per unit
constexpr double kFontSize = 10;  // at which a pixel of a glyph is a unit
constexpr double kMostPixels = 256e6;

struct Rgb {
  double red = 0, green = 0, blue = 0;
};
constexpr Rgb kWhite{255, 255, 255}, kAccent{11, 87, 194}, kInk{27, 31, 36}, kMuted{91, 100, 112}, kLine{201, 208, 217};

/// Numbers of the palette: 0 is the background, up to kLevels the accent over it.
constexpr std::uint8_t kBackground = 0, kLevels = 200, kInkIndex = 201, kMutedIndex = 202, kLineIndex = 203;
constexpr std::size_t kPaletteSize = 204;

using Palette = std::array<std::uint8_t, 3 * kPaletteSize>;

Palette make_palette() {
  Palette palette{};
  const auto put = [&](std::size_t index, const Rgb& over, double strength) {
    const auto mix = [&](double from, double to) {
      return static_cast<std::uint8_t>(std::lround(from + (to - from) * strength));
    };
    palette[3 * index] = mix(kWhite.red, over.red);
    palette[3 * index + 1] = mix(kWhite.green, over.green);
    palette[3 * index + 2] = mix(kWhite.blue, over.blue);
  };
  for (std::size_t i = 0; i <= kLevels; ++i) put(i, kAccent, static_cast<double>(i) / kLevels);
  put(kInkIndex, kInk, 1);
  put(kMutedIndex, kMuted, 1);
  put(kLineIndex, kLine, 1);
  return palette;
}

/// A picture of palette numbers; what lies outside is left out.
class Picture {
 public:
  Picture(double width, double height)
      : width_(static_cast<std::int64_t>(std::ceil(width)) * kScale),
        height_(static_cast<std::int64_t>(std::ceil(height)) * kScale) {
    if (static_cast<double>(width_) * static_cast<double>(height_) > kMostPixels) {
      throw DataError(
          fmt::format("[attention] a picture may have at most {} million pixels; got {} x {}. Hint: "
                      "--layer N --head N, a shorter text, or a .svg or .html file",
                      kMostPixels / 1e6, width_, height_));
    }
    pixels_.resize(static_cast<std::size_t>(width_ * height_), kBackground);
  }

  void fill(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, std::uint8_t color) {
    for (std::int64_t row = std::max<std::int64_t>(0, y); row < std::min(height_, y + height); ++row) {
      for (std::int64_t column = std::max<std::int64_t>(0, x); column < std::min(width_, x + width); ++column) {
        pixels_[static_cast<std::size_t>(row * width_ + column)] = color;
      }
    }
  }

  /// @return the file.
  [[nodiscard]] std::string encode() const {
    const Palette palette = make_palette();
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB_COLORMAP;
    image.colormap_entries = kPaletteSize;
    png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string file(bytes, '\0');
    if (png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels_.data(), 0, palette.data()) == 0) {
      throw IoError(fmt::format("[attention] the picture must be written as PNG; libpng says \"{}\"",
                                static_cast<const char*>(image.message)));
    }
    file.resize(bytes);
    return file;
  }

 private:
  std::int64_t width_, height_;
  std::vector<std::uint8_t> pixels_;
};

std::int64_t pixel(double units) { return std::lround(units * kScale); }

std::uint8_t color_of(Ink ink) {
  if (ink == Ink::kOnColor) return kBackground;
  return ink == Ink::kMuted ? kMutedIndex : kInkIndex;
}

void draw_text(Picture& picture, const SheetText& text) {
  const std::int64_t dot = std::max<std::int64_t>(1, std::lround(text.size / kFontSize * kScale));
  const std::int64_t step = (kGlyphWidth + 1) * dot;
  const std::int64_t length = static_cast<std::int64_t>(count_characters(text.text)) * step - dot;
  std::int64_t along = 0;  // from the anchor, in reading direction
  if (text.anchor == Anchor::kMiddle) along = -length / 2;
  if (text.anchor == Anchor::kEnd) along = -length;
  for (std::size_t at = 0; at < text.text.size(); along += step) {
    const Utf8Step next = read_utf8(text.text, at);
    at += next.length;
    const Glyph glyph = glyph_of(next.code_point);
    for (int row = 0; row < kGlyphRows; ++row) {
      for (int column = 0; column < kGlyphWidth; ++column) {
        if ((glyph[static_cast<std::size_t>(row)] >> (kGlyphWidth - 1 - column) & 1U) == 0) continue;
        const std::int64_t right = along + column * dot;
        const std::int64_t down = (row - kGlyphAscent) * dot;
        if (text.upwards) {
          picture.fill(pixel(text.x) + down, pixel(text.y) - right - dot, dot, dot, color_of(text.ink));
        } else {
          picture.fill(pixel(text.x) + right, pixel(text.y) + down, dot, dot, color_of(text.ink));
        }
      }
    }
  }
}

void draw_frame(Picture& picture, const SheetFrame& frame) {
  const std::int64_t x = pixel(frame.x) - kScale, y = pixel(frame.y) - kScale;
  const std::int64_t size = pixel(frame.size) + 2 * kScale;
  picture.fill(x, y, size, kScale, kLineIndex);
  picture.fill(x, y + size - kScale, size, kScale, kLineIndex);
  picture.fill(x, y, kScale, size, kLineIndex);
  picture.fill(x + size - kScale, y, kScale, size, kLineIndex);
}

}  // namespace

std::string heat_map_png(const AttentionMaps& maps, const MapRows& rows) {
  const HeatSheet sheet = lay_out(maps, rows);
  Picture picture(sheet.width, sheet.height);
  for (const SheetCell& cell : sheet.cells) {
    picture.fill(pixel(cell.x), pixel(cell.y), pixel(cell.size), pixel(cell.size),
                 static_cast<std::uint8_t>(std::lround(cell.strength * kLevels)));
  }
  for (const SheetFrame& frame : sheet.frames) draw_frame(picture, frame);
  for (const SheetText& text : sheet.texts) draw_text(picture, text);
  return picture.encode();
}

}  // namespace minnow
