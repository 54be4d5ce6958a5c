#include "minnow/config/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "config/assignment.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace config_detail {

namespace {

/// Names every table that has a key of this name: "[eval], [checkpoint]".
std::string tables_with(std::string_view leaf) {
  std::string text;
  for (const Key& key : config_keys()) {
    if (key.leaf() != leaf) continue;
    text += text.empty() ? "" : ", ";
    text += key.table().empty() ? std::string("the top of the file") : fmt::format("[{}]", key.table());
  }
  return text;
}

}  // namespace

std::string unknown_key_text(std::string_view name) {
  const auto dot = name.rfind('.');
  const auto leaf = dot == std::string_view::npos ? name : name.substr(dot + 1);
  const std::string unknown = fmt::format("unknown key {}", name.substr(0, 100));
  if (const std::string tables = tables_with(leaf); !tables.empty()) {
    return fmt::format("{}; {} belongs in {}", unknown, leaf, tables);
  }
  const Key* near = nearest_key(name);
  if (near == nullptr) return unknown + ". Hint: `minnow config reference` lists all keys";
  return fmt::format("{}; did you mean {}?", unknown, near->name);
}

namespace {

std::size_t index_of(const Key& key) { return static_cast<std::size_t>(&key - config_keys().data()); }

/// Fills a configuration assignment by assignment and collects what is wrong.
class Builder {
 public:
  explicit Builder(std::string file) : file_(std::move(file)) {
    loaded_.origins.assign(config_keys().size(), "default");
    places_.resize(config_keys().size());
  }

  std::vector<Problem>& problems() { return problems_; }

  void apply(const Assignment& assignment) {
    const Key& key = *assignment.key;
    ConfigValue value;
    const std::string wrong = convert_value(key, assignment.value, assignment.shown, value);
    if (!wrong.empty()) {
      bad_.insert(key.name);
      problems_.push_back({assignment.place, wrong});
      return;
    }
    key.set(loaded_.config, value);
    loaded_.origins[index_of(key)] = assignment.origin;
    places_[index_of(key)] = assignment.place;
  }

  /// Gives every key that was not written the default of the chosen family and optimizer.
  void fill_in_defaults() {
    const Config defaults = defaults_for(loaded_.config);
    for (const Key& key : config_keys()) {
      if (!places_[index_of(key)].text.empty() || key.get(loaded_.config) == key.get(defaults)) continue;
      key.set(loaded_.config, key.get(defaults));
      const bool of_model = key.table() == "model";
      const Key& chosen = *find_key(of_model ? "model.family" : "optimizer.name");
      loaded_.origins[index_of(key)] = fmt::format("default of {}", value_text(chosen, loaded_.config));
    }
  }

  void check_rules() {
    for (const Key& key : config_keys()) {
      const bool missing = key.required && std::get<std::string>(key.get(loaded_.config)).empty();
      if (missing && !bad_.contains(key.name)) {
        problems_.push_back(
            {place({key.name}), fmt::format("{} must be given; got none. Hint: {}", key.name, key.doc)});
      }
    }
    for (const Rule& rule : config_rules()) {
      const auto is_bad = [&](std::string_view name) { return bad_.contains(name); };
      if (std::any_of(rule.keys.begin(), rule.keys.end(), is_bad)) continue;
      const std::string wrong = rule.broken(loaded_.config);
      if (!wrong.empty()) problems_.push_back({place(rule.keys), wrong});
    }
    for (const Key& key : config_keys()) {
      if (!key.idle_is_error || !idle(key) || bad_.contains(key.name)) continue;
      problems_.push_back(
          {place({key.name}), fmt::format("{} must not be given here; it is used when {}; got {}", key.name,
                                          key.applies_text, value_text(key, loaded_.config))});
    }
  }

  void note_idle_keys() {
    for (const Key& key : config_keys()) {
      if (!idle(key)) continue;
      loaded_.notes.push_back(fmt::format("{}: {} has no effect; it is used when {}", places_[index_of(key)].text,
                                          key.name, key.applies_text));
    }
  }

  void throw_problems() {
    if (problems_.empty()) return;
    std::stable_sort(problems_.begin(), problems_.end(), [](const Problem& a, const Problem& b) {
      return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    const auto line = [](const Problem& problem) { return problem.place.text + ": " + problem.text; };
    if (problems_.size() == 1) throw ConfigError("[config] " + line(problems_[0]));
    std::string text = fmt::format("[config] {} errors in the configuration:", problems_.size());
    for (const Problem& problem : problems_) text += "\n  " + line(problem);
    throw ConfigError(text);
  }

  LoadedConfig take() { return std::move(loaded_); }

 private:
  /// @return whether the key has a value of its own that the other settings leave unused.
  [[nodiscard]] bool idle(const Key& key) const {
    if (key.applies == nullptr || key.applies(loaded_.config)) return false;
    return key.get(loaded_.config) != key.get(defaults_for(loaded_.config));
  }

  /// The place of the first key that was written at all, else the file.
  Place place(const std::array<std::string_view, 4>& names) const {
    for (const auto name : names) {
      if (name.empty()) break;
      const Place& where = places_[index_of(*find_key(name))];
      if (!where.text.empty()) return where;
    }
    return {SIZE_MAX, SIZE_MAX, file_};
  }

  std::string file_;
  LoadedConfig loaded_;
  std::vector<Place> places_;
  std::vector<Problem> problems_;
  std::set<std::string_view> bad_;
};

}  // namespace
}  // namespace config_detail

LoadedConfig load_config(std::string_view text, const std::string& file, std::span<const std::string> overrides) {
  config_detail::Builder builder(file);
  auto assignments = config_detail::read_document(text, file, builder.problems());
  for (const std::string& argument : overrides) {
    config_detail::read_override(argument, assignments, builder.problems());
  }
  for (const auto& assignment : assignments) builder.apply(assignment);
  builder.fill_in_defaults();
  builder.check_rules();
  builder.throw_problems();
  builder.note_idle_keys();
  return builder.take();
}

void validate(const Config& config) {
  std::string text;
  for (const Key& key : config_keys()) {
    const ConfigValue value = key.get(config);
    std::string wrong = config_detail::check_range(key, value, value_text(key, config));
    if (const auto* index = std::get_if<int64_t>(&value); index != nullptr && key.kind == ValueKind::kChoice) {
      const bool known = *index >= 0 && *index < static_cast<int64_t>(key.choices.size());
      if (!known) wrong = fmt::format("{} must be {}; got number {}", key.name, expected_text(key), *index);
    }
    if (wrong.empty() && key.required && std::get<std::string>(value).empty()) {
      wrong = fmt::format("{} must be given; got none", key.name);
    }
    if (!wrong.empty()) text += "\n  " + wrong;
  }
  if (text.empty()) {  // the rules divide by values whose range must be right
    for (const auto& rule : config_detail::config_rules()) {
      if (const std::string wrong = rule.broken(config); !wrong.empty()) text += "\n  " + wrong;
    }
  }
  if (!text.empty()) throw ConfigError("[config] the settings must fit together:" + text);
}

}  // namespace minnow
