#include "cli/chat_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <type_traits>
#include <variant>
#include <vector>

#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow::cli {
namespace {

using Number = double& (*)(ChatSettings&);
using Count = Index& (*)(ChatSettings&);
using Seed = std::uint64_t& (*)(ChatSettings&);
using Switch = bool& (*)(ChatSettings&);

struct Row {
  std::string_view name;
  std::variant<Number, Count, Seed, Switch> value;
  std::string_view doc;
};

const Row kRows[] = {
    {"temperature", Number([](ChatSettings& s) -> double& { return s.sampler.temperature; }),
     "0 = always the likeliest token"},
    {"top_k", Count([](ChatSettings& s) -> Index& { return s.sampler.top_k; }), "keep the k likeliest; 0 = off"},
    {"top_p", Number([](ChatSettings& s) -> double& { return s.sampler.top_p; }),
     "keep the likeliest up to this probability; 1 = off"},
    {"min_p", Number([](ChatSettings& s) -> double& { return s.sampler.min_p; }),
     "keep those with this part of the likeliest's probability; 0 = off"},
    {"repetition_penalty", Number([](ChatSettings& s) -> double& { return s.sampler.repetition_penalty; }),
     "lowers tokens already written; 1 = off"},
    {"repetition_window", Count([](ChatSettings& s) -> Index& { return s.sampler.repetition_window; }),
     "tokens that the penalty looks back at; 0 = all"},
    {"max_tokens", Count([](ChatSettings& s) -> Index& { return s.max_tokens; }), "longest answer"},
    {"seed", Seed([](ChatSettings& s) -> std::uint64_t& { return s.sampler.seed; }),
     "the same seed gives the same answers"},
    {"history", Switch([](ChatSettings& s) -> bool& { return s.history; }),
     "on = lines typed on a terminal are kept for the next chat; off"},
};

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

template <>
bool parse<bool>(std::string_view name, std::string_view text) {
  if (text == "on" || text == "true") return true;
  if (text == "off" || text == "false") return false;
  throw ConfigError(
      fmt::format("[chat] {} must be on or off; got {}", name, text.empty() ? "nothing" : printable(text)));
}

std::string written(bool value) { return value ? "on" : "off"; }
template <class T>
std::string written(T value) {
  return fmt::format("{}", value);
}

[[noreturn]] void refuse_name(std::string_view name) {
  std::vector<std::string_view> names;
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
  if (row == std::end(kRows)) refuse_name(wanted);
  std::visit(
      [&](auto of) {
        auto& target = of(changed);
        target = parse<std::decay_t<decltype(target)>>(wanted, value);
      },
      row->value);
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
    const std::string value = std::visit([&](auto of) { return written(of(values)); }, row.value);
    list += fmt::format("{}  {:<19} {:<8} {}", list.empty() ? "" : "\n", row.name, value, row.doc);
  }
  return list;
}

}  // namespace minnow::cli
