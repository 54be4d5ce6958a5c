/// @file
/// `minnow attention`: shows what the tokens of a text look at.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "cli/looked_at_text.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/report/heat_map.hpp"
#include "minnow/text/utf8.hpp"

#ifndef MINNOW_VERSION
#define MINNOW_VERSION "unknown"
#endif

namespace minnow::cli {
namespace {

struct AttentionArguments {
  LookedAtText text;
  std::string out, layer, head;
  bool overwrite = false;
};

enum class Format { kTerminal, kHtml, kSvg, kPng };

Format format_of(const std::string& path) {
  if (path.empty()) return Format::kTerminal;
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (ending == ".html" || ending == ".htm") return Format::kHtml;
  if (ending == ".svg") return Format::kSvg;
  if (ending == ".png") return Format::kPng;
  throw ConfigError(
      fmt::format("[attention] --out must end in .html, .svg or .png; got {}", replace_invalid_utf8(path)));
}

/// @return what the terminal behind stdout has, by the variables that terminals set.
TerminalColors terminal_colors() {
  if (!use_color(STDOUT_FILENO)) return TerminalColors::kNone;
  const auto value = [](const char* name) {
    const char* const text = std::getenv(name);
    return std::string_view(text == nullptr ? "" : text);
  };
  const std::string_view depth = value("COLORTERM");
  if (depth == "truecolor" || depth == "24bit") return TerminalColors::kTrue;
  return value("TERM").find("256color") != std::string_view::npos ? TerminalColors::k256 : TerminalColors::kNone;
}

MapChoice choice_of(const std::string& given, std::string_view what, Index count, Format format) {
  if (!given.empty()) return MapChoice::parse(given, what, count);
  return MapChoice{format == Format::kTerminal ? MapChoice::Kind::kMean : MapChoice::Kind::kAll};
}

void print_maps(const AttentionMaps& maps, const MapChoice& layer, const MapChoice& head) {
  constexpr int kMostColumns = 1000;
  const int width = std::min(terminal_width(STDOUT_FILENO), kMostColumns);
  print_result(heat_map_text(maps, map_panels(maps, layer, head), width, terminal_colors()));
}

int attention(const AttentionArguments& arguments) {
  const Format format = format_of(arguments.out);
  require_free_output(arguments.out, arguments.overwrite);
  const LookedAt looked = look_at(arguments.text, "attention");
  AttentionMaps maps = read_attention(*looked.run.model, looked.ids, looked.labels);
  maps.name = replace_invalid_utf8(arguments.text.run);
  maps.step = looked.run.step;
  const MapChoice layer = choice_of(arguments.layer, "layer", maps.layers, format);
  const MapChoice head = choice_of(arguments.head, "head", maps.heads, format);
  switch (format) {
    case Format::kTerminal:
      print_maps(maps, layer, head);
      break;
    case Format::kHtml:
      write_output(arguments.out, heat_map_html(maps, layer, head, MINNOW_VERSION), arguments.overwrite);
      break;
    case Format::kSvg:
      write_output(arguments.out, heat_map_svg(maps, map_panels(maps, layer, head)), arguments.overwrite);
      break;
    case Format::kPng:
      write_output(arguments.out, heat_map_png(maps, map_panels(maps, layer, head)), arguments.overwrite);
      break;
  }
  return 0;
}

Action setup_attention(Options& options) {
  const auto arguments = std::make_shared<AttentionArguments>();
  text_options(options, arguments->text);
  options.text("--out", arguments->out, "File to write: .html (to explore), .svg or .png; without it the terminal");
  options.text("--layer", arguments->layer,
               "A number from 0, mean, or all (default: all in files, mean in the terminal)");
  options.text("--head", arguments->head, "A number from 0, mean, or all (likewise)");
  options.footer(
      "Rows are queries, columns keys: how much a token takes from each token before it. The weights are those of the\n"
      "forward pass; each row sums to 1.\n"
      "Examples:\n  minnow attention runs/quickstart --text \"The cat sat\"\n"
      "  minnow attention runs/quickstart --text \"The cat sat\" --out attention.html\n"
      "  minnow attention runs/quickstart --text \"The cat sat\" --layer 1 --head 2 --out head.png\n");
  return [arguments] { return attention(*arguments); };
}

}  // namespace

const Verb kVerbAttention = {"attention", "Show which tokens of a text look at which", "Look", setup_attention};

}  // namespace minnow::cli
