#include "minnow/report/heat_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <regex>

#include "minnow/base/error.hpp"
#include "report/pixel_font.hpp"

namespace minnow {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// L 1, H 2, T 3.
AttentionMaps small_maps() {
  AttentionMaps maps;
  maps.name = "runs/<one>";
  maps.step = 7;
  maps.tokens = {"\u2423", "<b>", "\u21B5"};
  maps.layers = 1;
  maps.heads = 2;
  maps.weights = {1, 0, 0, 0.25F, 0.75F, 0, 0.1F, 0.2F, 0.7F, 1, 0, 0, 0.5F, 0.5F, 0, 0, 0.004F, 0.996F};
  return maps;
}

const MapChoice kAll{MapChoice::Kind::kAll}, kMean{MapChoice::Kind::kMean}, kFirst{MapChoice::Kind::kOne, 0};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(HeatMapSvg, HasACellAndAValuePerWeightThatIsSeen) {
  const AttentionMaps maps = small_maps();
  const std::string svg = heat_map_svg(maps, map_panels(maps, kFirst, kFirst));
  EXPECT_EQ(count(svg, "class=\"cell\""), 6U);
  for (const char* const value : {">1.00<", ">0.25<", ">0.75<", ">0.10<", ">0.20<", ">0.70<"}) {
    EXPECT_THAT(svg, HasSubstr(value));
  }
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
  EXPECT_THAT(svg, HasSubstr(">&lt;b&gt;<"));
  EXPECT_THAT(svg, HasSubstr("runs/&lt;one&gt;, step 7"));
  EXPECT_EQ(count(heat_map_svg(maps, map_panels(maps, kAll, kAll)), "class=\"frame\""), 4U);  // mean, two heads, mean
}

TEST(HeatMapSvg, LeavesValuesOutWhereTheyDoNotFit) {
  AttentionMaps maps;
  maps.tokens.assign(100, "a");
  maps.layers = maps.heads = 1;
  maps.weights.assign(10000, 0.01F);
  const std::string svg = heat_map_svg(maps, map_panels(maps, kAll, kAll));
  EXPECT_EQ(count(svg, "class=\"cell\""), 10000U);
  EXPECT_THAT(svg, Not(HasSubstr(">0.01<")));
}

TEST(HeatMapSvg, RefusesMillionsOfCells) {
  AttentionMaps maps;
  maps.tokens.assign(1500, "a");
  maps.layers = maps.heads = 1;
  maps.weights.assign(1500 * 1500, 0.01F);
  EXPECT_THROW((void)heat_map_svg(maps, map_panels(maps, kAll, kAll)), DataError);
}

struct Decoded {
  std::vector<std::uint8_t> pixels;  // RGB
  unsigned width = 0, height = 0;
};

Decoded decode(const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  Decoded decoded{std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image)), image.width, image.height};
  EXPECT_NE(png_image_finish_read(&image, nullptr, decoded.pixels.data(), 0, nullptr), 0) << image.message;
  return decoded;
}

TEST(HeatMapPng, IsAPictureInTheColoursOfTheWeights) {
  const AttentionMaps maps = small_maps();
  const Decoded picture = decode(heat_map_png(maps, map_panels(maps, kFirst, kFirst)));
  // One map of 3 x 3 cells of 46 units, two pixels each; full weight has the accent's colour.
  std::size_t full = 0;
  for (std::size_t i = 0; i < picture.pixels.size(); i += 3) {
    full += picture.pixels[i] == 11 && picture.pixels[i + 1] == 87 && picture.pixels[i + 2] == 194 ? 1 : 0;
  }
  EXPECT_GT(full, std::size_t{92 * 92 * 3 / 4});  // the value's letters take the rest
  EXPECT_LE(full, std::size_t{92 * 92});
  EXPECT_GT(picture.width, 3U * 92);
}

TEST(HeatMapHtml, HoldsAllWeightsAndLoadsNothing) {
  const AttentionMaps maps = small_maps();
  const std::string html = heat_map_html(maps, kFirst, kMean, "1.2.3");
  EXPECT_THAT(html, HasSubstr(R"("layers":1,"heads":2,"layer":0,"head":-1,"tokens":["␣","\u003cb\u003e","↵"])"));
  EXPECT_THAT(html, HasSubstr("\"weights\":\"//8A"));  // 65535, then 0
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, Not(HasSubstr("<one>")));
  EXPECT_FALSE(std::regex_search(html, std::regex("(src|href)=\"(?!data:,)")));
  EXPECT_FALSE(std::regex_search(html, std::regex("https?://(?!www\\.w3\\.org/2000/svg)")));
}

TEST(HeatMapText, WritesValuesWithoutColours) {
  const AttentionMaps maps = small_maps();
  EXPECT_EQ(heat_map_text(maps, map_panels(maps, kFirst, kFirst), 80, TerminalColors::kNone),
            "Queries down, keys across.\n\n"
            "layer 0, head 0\n"
            "        \u2423  <b>    \u21B5\n"
            "  \u2423  1.00    \u00B7    \u00B7\n"
            "<b>  0.25 0.75    \u00B7\n"
            "  \u21B5  0.10 0.20 0.70\n");
}

TEST(HeatMapText, WritesTenthsWhereValuesDoNotFitAndTheEndOfALongText) {
  AttentionMaps maps;
  for (int i = 0; i < 40; ++i) maps.tokens.push_back(i % 2 == 0 ? "a" : "b");
  maps.layers = maps.heads = 1;
  maps.weights.assign(1600, 0.25F);
  const auto rows = map_panels(maps, kMean, kMean);
  const std::string tenths = heat_map_text(maps, rows, 100, TerminalColors::kNone);
  EXPECT_THAT(tenths, HasSubstr("Digits: tenths of the weight."));
  EXPECT_THAT(tenths, HasSubstr("a 2 2 2 "));
  const std::string cut = heat_map_text(maps, rows, 32, TerminalColors::kNone);
  EXPECT_THAT(cut, HasSubstr("The last 30 of 40 tokens fit"));
  EXPECT_EQ(count(cut, "\n"), 3U + 1U + 30U);
}

TEST(HeatMapText, ColoursWhatIsSeen) {
  const AttentionMaps maps = small_maps();
  const auto rows = map_panels(maps, kFirst, kFirst);
  const std::string exact = heat_map_text(maps, rows, 80, TerminalColors::kTrue);
  EXPECT_EQ(count(exact, "\x1b[0m"), 6U);
  EXPECT_THAT(exact, HasSubstr("\x1b[30;48;2;124;188;255m 1.00\x1b[0m"));
  EXPECT_THAT(heat_map_text(maps, rows, 80, TerminalColors::k256), HasSubstr("\x1b[30;48;5;117m 1.00\x1b[0m"));
}

TEST(PixelFont, TellsAllLettersApart) {
  std::vector<Glyph> seen;
  const auto look = [&](char32_t c) {
    const Glyph glyph = glyph_of(c);
    for (const Glyph& other : seen) EXPECT_NE(glyph, other) << static_cast<unsigned>(c);
    seen.push_back(glyph);
  };
  for (char32_t c = 0x21; c < 0x7F; ++c) look(c);
  for (char32_t c = 0xC0; c <= 0xFF; ++c) look(c);
  for (const char32_t c : {U'\u2423', U'\u21B5', U'\u21E5', U'\u0416', U'\u4E2D', U'\u4E2E'}) look(c);
}

}  // namespace
}  // namespace minnow
