#include "minnow/config/keys.hpp"

#include <algorithm>

#include "config/key_table.hpp"
#include "minnow/config/nearest.hpp"

namespace minnow {

std::string_view Key::table() const {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(0, dot);
}

std::string_view Key::leaf() const {
  const auto dot = name.find('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::span<const Key> config_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all;
    using namespace config_detail;
    for (const auto part : {subject_keys(), train_keys(), optimizer_keys(), run_keys()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return keys;
}

const Key* find_key(std::string_view name) {
  for (const Key& key : config_keys()) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

std::vector<std::string_view> config_tables() {
  std::vector<std::string_view> tables;
  for (const Key& key : config_keys()) {
    if (!key.table().empty() && (tables.empty() || tables.back() != key.table())) tables.push_back(key.table());
  }
  return tables;
}

namespace {

bool has_alias(const Key& key, std::string_view name) {
  std::string_view rest = key.aliases;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) == name) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

/// The key of table `table` whose last part is nearest to `leaf`.
const Key* nearest_in_table(std::string_view table, std::string_view leaf) {
  std::vector<std::string_view> names;
  std::vector<const Key*> keys;
  for (const Key& key : config_keys()) {
    if (key.table() != table) continue;
    names.push_back(key.leaf());
    keys.push_back(&key);
  }
  const auto best = nearest_name(leaf, names);
  const auto at = std::find(names.begin(), names.end(), best);
  return best.empty() || at == names.end() ? nullptr : keys[static_cast<std::size_t>(at - names.begin())];
}

/// The key of any table that is nearest to `full` ("table.leaf"), or else whose last part is nearest to `leaf`.
const Key* nearest_anywhere(std::string_view full, std::string_view leaf) {
  std::vector<std::string_view> names;
  for (const Key& key : config_keys()) names.push_back(key.name);
  if (const auto best = nearest_name(full, names); !best.empty()) return find_key(best);
  names.clear();
  for (const Key& key : config_keys()) names.push_back(key.leaf());
  const auto best = nearest_name(leaf, names);
  const auto at = std::find(names.begin(), names.end(), best);
  return best.empty() || at == names.end() ? nullptr : &config_keys()[static_cast<std::size_t>(at - names.begin())];
}

}  // namespace

const Key* nearest_key(std::string_view name) {
  constexpr std::size_t kLongest = 100;  // a longer one is no typing error
  if (name.size() > kLongest) return nullptr;
  const std::string full = plain_spelling(name);
  const auto dot = full.rfind('.');
  const std::string leaf = dot == std::string::npos ? full : full.substr(dot + 1);
  const std::string table = dot == std::string::npos ? std::string() : full.substr(0, dot);
  if (const Key* key = find_key(full)) return key;
  for (const Key& key : config_keys()) {
    if (key.table() == table && has_alias(key, leaf)) return &key;
  }
  for (const Key& key : config_keys()) {
    if (key.leaf() == leaf) return &key;
  }
  for (const Key& key : config_keys()) {
    if (has_alias(key, leaf)) return &key;
  }
  if (const Key* key = nearest_in_table(table, leaf)) return key;
  return nearest_anywhere(full, leaf);
}

std::vector<const Key*> keys_called(std::string_view alias) {
  std::vector<const Key*> found;
  for (const Key& key : config_keys()) {
    if (has_alias(key, alias)) found.push_back(&key);
  }
  return found;
}

}  // namespace minnow
