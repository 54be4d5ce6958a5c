/// @file
/// Explains keys to people, from the table alone.

#include <fmt/format.h>

#include "minnow/config/choices.hpp"
#include "minnow/config/load.hpp"

namespace minnow {
namespace {

std::string default_text(const Key& key) {
  static const Config defaults;
  if (key.required) return "must be given";
  if (!key.follows.empty()) return fmt::format("that of {}", key.follows);
  return value_text(key, defaults);
}

/// @return where another family or optimizer has another default: `"rms" with model.family = "llama"`, or nothing.
std::string other_defaults(const Key& key) {
  std::string text;
  const auto add = [&](std::string_view chooser, const Config& chosen) {
    const Config defaults = defaults_for(chosen);
    if (key.name == chooser || key.get(defaults) == key.get(Config{})) return;
    text += fmt::format("{}{} with {} = {}", text.empty() ? "" : ", ", value_text(key, defaults), chooser,
                        value_text(*find_key(chooser), chosen));
  };
  for (std::size_t i = 1; i < kChoiceNames<Family>.size(); ++i) {
    Config chosen;
    chosen.model.family = static_cast<Family>(i);
    add("model.family", chosen);
  }
  for (std::size_t i = 1; i < kChoiceNames<OptimizerKind>.size(); ++i) {
    Config chosen;
    chosen.optimizer.name = static_cast<OptimizerKind>(i);
    add("optimizer.name", chosen);
  }
  return text;
}

std::string value_form(const Key& key) {
  return key.unit.empty() ? expected_text(key) : fmt::format("{} ({})", expected_text(key), key.unit);
}

std::string choices_text(const Key& key) {
  return key.choices.size() < 2 ? std::string() : fmt::format(" [{}]", fmt::join(key.choices, " | "));
}

std::string effect_sentence(ResumeEffect effect) {
  switch (effect) {
    case ResumeEffect::kFree:
      return "may change, the result stays the same";
    case ResumeEffect::kBits:
      return "may change, the numbers then differ from an unchanged run";
    case ResumeEffect::kRefused:
      return "must not change";
  }
  return "must not change";
}

/// Markdown table cells must not hold a bare bar.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

std::string explain_key(const Key& key) {
  std::string text = fmt::format("{}\n  {}.\n  value:      {}\n  default:    {}\n  on resume:  {}\n", key.name, key.doc,
                                 value_form(key), default_text(key), effect_sentence(key.effect));
  if (const std::string others = other_defaults(key); !others.empty())
    text += fmt::format("  but:        {}\n", others);
  if (!key.applies_text.empty()) text += fmt::format("  used when:  {}\n", key.applies_text);
  if (!key.aliases.empty()) text += fmt::format("  elsewhere:  {}\n", key.aliases);
  const std::string example = key.required ? "\"data/input.txt\"" : value_text(key, Config{});
  const std::string missing = key.kind == ValueKind::kBool ? "true" : "0.1";
  const std::string value = example == "not given" ? missing : example;
  if (key.table().empty()) return text + fmt::format("  in a file:  {} = {}\n", key.leaf(), value);
  return text + fmt::format("  in a file:  [{}]\n              {} = {}\n  once:       --set '{}={}'\n", key.table(),
                            key.leaf(), value, key.name, value);
}

std::string reference_text() {
  std::string text;
  std::string_view table;
  for (const Key& key : config_keys()) {
    if (key.table() != table) text += fmt::format("\n[{}]\n", key.table());
    table = key.table();
    text += fmt::format("  {:<18} {:<21} {}{}\n", key.leaf(), default_text(key), key.doc, choices_text(key));
  }
  return text;
}

std::string reference_markdown() {
  std::string text = "# Configuration keys\n\nMade by `minnow config reference --markdown`.\n";
  std::string_view table = "none";
  for (const Key& key : config_keys()) {
    if (key.table() != table) {
      text += key.table().empty() ? std::string("\n## Above all tables\n") : fmt::format("\n## [{}]\n", key.table());
      text += "\n| key | value | default | on resume | meaning |\n|---|---|---|---|---|\n";
    }
    table = key.table();
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.leaf(), cell(value_form(key)), cell(default_text(key)),
                        effect_name(key.effect), cell(key.doc));
  }
  return text;
}

}  // namespace minnow
