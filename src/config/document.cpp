/// @file
/// Turns TOML text into assignments; the only file that knows toml++.

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>

#include "config/assignment.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow::config_detail {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20;  // a configuration has a few kilobytes
constexpr std::size_t kMaxProblems = 100;  // nobody reads more, and each costs a search for the nearest name
constexpr std::ptrdiff_t kMaxDots = 1000;  // one line can nest so many tables, each a level of toml++'s recursion

/// Refuses what the parser would take but nobody means: other files, and endless dotted keys.
void check_size(std::string_view text, const std::string& file) {
  if (text.size() > kMaxBytes) {
    throw ConfigError(fmt::format(
        "[config] {} must be a TOML file of at most 1 MiB; got {} bytes. Hint: is it a data file?", file, text.size()));
  }
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto content = text.substr(begin, end - begin);
    if (std::count(content.begin(), content.end(), '.') > kMaxDots) {
      throw ConfigError(fmt::format(
          "[config] {}:{}:1: a line must not hold more than {} dots; keys are nested one deep", file, line, kMaxDots));
    }
    begin = end + 1;
  }
}

/// toml++'s words, but for the two errors that people make most: a key given twice and brackets without end.
std::string syntax_text(std::string_view description) {
  if (const auto at = description.find("cannot redefine"); at != std::string_view::npos) {
    return fmt::format("every key and table must be given once; this is a duplicate ({})", description.substr(at));
  }
  if (description.find("TOML_MAX_NESTED_VALUES") != std::string_view::npos) {
    return "arrays and tables must not be nested deeper than 256 levels";
  }
  if (description.find("could not determine value type") != std::string_view::npos)
    return "a value must be a number, true, false or text in quotes; got something else. Hint: path = \"my.txt\"";
  return fmt::format("the text must be valid TOML; {}", description);
}

toml::table parse_text(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, std::string_view(file));
  } catch (const toml::parse_error& error) {
    const auto& at = error.source().begin;
    throw ConfigError(fmt::format("[config] {}:{}:{}: {}", file, at.line, at.column,
                                  syntax_text(std::string_view(error.description()))));
  }
}

std::string shown_text(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return quoted(text);
  std::size_t cut = kLongest;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;  // not inside a character
  return quoted(text.substr(0, cut)) + "...";
}

void take_value(const toml::node& node, Assignment& assignment) {
  if (const auto* flag = node.as_boolean()) {
    assignment.value = flag->get();
    assignment.shown = flag->get() ? "true" : "false";
  } else if (const auto* integer = node.as_integer()) {
    assignment.value = integer->get();
    assignment.shown = fmt::format("{}", integer->get());
  } else if (const auto* number = node.as_floating_point()) {
    assignment.value = number->get();
    assignment.shown = number_text(number->get());
  } else if (const auto* text = node.as_string()) {
    assignment.value = text->get();
    assignment.shown = shown_text(text->get());
  } else {
    assignment.shown = node.is_table() ? "a table" : node.is_array() ? "an array" : "a date or time";
  }
}

/// Walks the document: top-level keys, then tables of keys.
class Reader {
 public:
  Reader(const std::string& file, std::vector<Assignment>& assignments, std::vector<Problem>& problems)
      : file_(file), assignments_(assignments), problems_(problems) {}

  void read(const toml::table& document) {
    const auto tables = config_tables();
    for (const auto& [name, node] : document) {
      if (problems_.size() >= kMaxProblems) break;
      const bool is_known_table = std::find(tables.begin(), tables.end(), name.str()) != tables.end();
      if (is_known_table && node.is_table()) {
        read_table(name.str(), *node.as_table());
      } else if (is_known_table) {
        report(name.source().begin, fmt::format("{0} must be a table; write [{0}] and its keys below", name.str()));
      } else if (find_key(name.str()) == nullptr && (node.is_table() || node.is_array_of_tables())) {
        report(name.source().begin, unknown_table_text(name.str(), tables));
      } else {
        read_key(name.str(), name.source().begin, node);
      }
    }
  }

 private:
  void read_table(std::string_view table, const toml::table& content) {
    for (const auto& [name, node] : content) {
      if (problems_.size() >= kMaxProblems) break;
      read_key(fmt::format("{}.{}", table, name.str()), name.source().begin, node);
    }
  }

  void read_key(std::string_view name, const toml::source_position& at, const toml::node& node) {
    const Key* key = find_key(name);
    if (key == nullptr) {
      report(at, unknown_key_text(name));
      return;
    }
    Assignment assignment;
    assignment.key = key;
    take_value(node, assignment);
    assignment.place = place(at);
    assignment.origin = fmt::format("{}:{}", file_, at.line);
    assignments_.push_back(std::move(assignment));
  }

  static std::string unknown_table_text(std::string_view name, std::span<const std::string_view> tables) {
    const auto near = nearest_name(name, tables);
    return fmt::format("unknown table [{}]{}", name.substr(0, 100),
                       near.empty() ? fmt::format("; the tables are {}", fmt::join(tables, ", "))
                                    : fmt::format("; did you mean [{}]?", near));
  }

  Place place(const toml::source_position& at) const {
    return {at.line, at.column, fmt::format("{}:{}:{}", file_, at.line, at.column)};
  }

  void report(const toml::source_position& at, const std::string& text) { problems_.push_back({place(at), text}); }

  const std::string& file_;
  std::vector<Assignment>& assignments_;
  std::vector<Problem>& problems_;
};

/// The value of an override: TOML if the key wants a number or a flag, or if it is quoted; else the bare text.
bool parse_override_value(const std::string& value, Assignment& assignment) {
  const bool takes_text = assignment.key->kind == ValueKind::kText || assignment.key->kind == ValueKind::kPath ||
                          assignment.key->kind == ValueKind::kChoice;
  const bool is_quoted = !value.empty() && (value.front() == '"' || value.front() == '\'');
  const std::string source = takes_text && !is_quoted ? quoted(value) : value;
  assignment.shown = shown_text(value);
  try {
    const toml::table parsed = toml::parse("value = " + source, std::string_view("--set"));
    if (parsed.size() != 1) return false;  // a line feed in the argument began another key
    take_value(*parsed.get("value"), assignment);
    return true;
  } catch (const toml::parse_error&) {
    return false;
  }
}

}  // namespace

std::vector<Assignment> read_document(std::string_view text, const std::string& file, std::vector<Problem>& problems) {
  check_size(text, file);
  const toml::table document = parse_text(text, file);
  std::vector<Assignment> assignments;
  Reader(file, assignments, problems).read(document);
  return assignments;
}

void read_override(const std::string& argument, std::vector<Assignment>& assignments, std::vector<Problem>& problems) {
  const Place place{SIZE_MAX, assignments.size(), fmt::format("--set {}", argument.substr(0, 200))};
  const auto report = [&](const std::string& text) { problems.push_back({place, text}); };
  const auto equals = argument.find('=');
  if (equals == std::string::npos) return report("an override must read KEY=VALUE");
  const auto trim = [](std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return std::string();
    return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
  };
  const std::string name = trim(std::string_view(argument).substr(0, equals));
  Assignment assignment;
  assignment.key = find_key(name);
  if (assignment.key == nullptr) return report(unknown_key_text(name));
  assignment.place = place;
  assignment.origin = "--set";
  const std::string raw = argument.substr(equals + 1);
  const std::string value = assignment.key->kind == ValueKind::kText ? raw : trim(raw);
  if (value.size() > kMaxBytes || std::count(value.begin(), value.end(), '.') > kMaxDots ||
      !parse_override_value(value, assignment)) {
    return report(fmt::format("{} must be {}; got {}, which is no TOML value", name, expected_text(*assignment.key),
                              assignment.shown));
  }
  assignments.push_back(std::move(assignment));
}

}  // namespace minnow::config_detail
