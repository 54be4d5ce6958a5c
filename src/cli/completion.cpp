#include "cli/completion.hpp"

#include "minnow/config/keys.hpp"
#include "minnow/ops/registry.hpp"

namespace minnow::cli {
namespace {

void collect(const std::vector<CommandRow>& rows, const std::string& before, std::vector<CommandPath>& found) {
  for (const CommandRow& row : rows) {
    const std::string path = before.empty() ? row.name : before + " " + row.name;
    found.push_back({path, &row});
    collect(row.commands, path, found);
  }
}

void add_word(std::string& words, std::string_view word) {
  if (!words.empty()) words += ' ';
  words += word;
}

}  // namespace

std::vector<CommandPath> all_commands(const std::vector<CommandRow>& table) {
  std::vector<CommandPath> found;
  collect(table, "", found);
  return found;
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string key_words(bool with_tables) {
  std::string words;
  if (with_tables) {
    for (const auto table : config_tables()) add_word(words, table);
  }
  for (const Key& key : config_keys()) add_word(words, key.name);
  return words;
}

std::string op_words() {
  std::string words;
  for (const Op* op : all_ops()) add_word(words, op->doc.name);
  return words;
}

}  // namespace minnow::cli
