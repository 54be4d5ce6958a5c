#include "cli/chat_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow::cli {
namespace {

/// A setting: one of the two members is not null.
struct Row {
  std::string_view name;
  double& (*number)(ChatSettings&);
  Index& (*count)(ChatSettings&);
  std::string_view doc;
};

constexpr Row kRows[] = {
    {"temperature", [](ChatSettings& s) -> double& { return s.sampler.temperature; }, nullptr,
     "0 = always the likeliest token"},
    {"top_k", nullptr, [](ChatSettings& s) -> Index& { return s.sampler.top_k; }, "keep the k likeliest; 0 = off"},
    {"top_p", [](ChatSettings& s) -> double& { return s.sampler.top_p; }, nullptr,
     "keep the likeliest up to this probability; 1 = off"},
    {"min_p", [](ChatSettings& s) -> double& { return s.sampler.min_p; }, nullptr,
     "keep those with this part of the likeliest's probability; 0 = off"},
    {"repetition_penalty", [](ChatSettings& s) -> double& { return s.sampler.repetition_penalty; }, nullptr,
     "lowers tokens already written; 1 = off"},
    {"repetition_window", nullptr, [](ChatSettings& s) -> Index& { return s.sampler.repetition_window; },
     "tokens that the penalty looks back at; 0 = all"},
    {"max_tokens", nullptr, [](ChatSettings& s) -> Index& { return s.max_tokens; }, "longest answer"},
};
constexpr std::string_view kSeed = "seed";

template <class T>
T parse(std::string_view name, std::string_view text) {
  T value{};
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    throw ConfigError(fmt::format("[chat] {} must be a {}; got {}. Hint: /set temperature 0.8", name,
                                  std::is_floating_point_v<T> ? "number" : "whole number",
                                  text.empty() ? "nothing" : printable(text)));
  }
  return value;
}

[[noreturn]] void refuse_name(std::string_view name) {
  std::vector<std::string_view> names{kSeed};
  for (const Row& row : kRows) names.push_back(row.name);
  const std::string_view near = nearest_name(name, names);
  throw ConfigError(fmt::format("[chat] a setting must be one of {}; got {}. Hint: {}", fmt::join(names, ", "),
                                name.empty() ? "nothing" : printable(name),
                                near.empty() ? "/set alone shows all" : fmt::format("did you mean {}?", near)));
}

}  // namespace

void set_chat_value(ChatSettings& settings, std::string_view name, std::string_view value) {
  std::string wanted(name);
  std::replace(wanted.begin(), wanted.end(), '-', '_');
  ChatSettings changed = settings;
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.name == wanted; });
  if (wanted == kSeed) {
    changed.sampler.seed = parse<std::uint64_t>(wanted, value);
  } else if (row == std::end(kRows)) {
    refuse_name(wanted);
  } else if (row->number != nullptr) {
    row->number(changed) = parse<double>(wanted, value);
  } else {
    row->count(changed) = parse<Index>(wanted, value);
  }
  changed.sampler.validate();
  constexpr Index kMostTokens = 1'000'000'000;
  if (changed.max_tokens < 1 || changed.max_tokens > kMostTokens) {
    throw ConfigError(fmt::format("[chat] max_tokens must be from 1 to {}; got {}", kMostTokens, changed.max_tokens));
  }
  settings = changed;
}

std::string list_chat_values(const ChatSettings& settings) {
  ChatSettings values = settings;
  std::string list;
  for (const Row& row : kRows) {
    const std::string value =
        row.number != nullptr ? fmt::format("{}", row.number(values)) : fmt::format("{}", row.count(values));
    list += fmt::format("  {:<19} {:<8} {}\n", row.name, value, row.doc);
  }
  return list + fmt::format("  {:<19} {:<8} {}", kSeed, values.sampler.seed, "the same seed gives the same answers");
}

}  // namespace minnow::cli
