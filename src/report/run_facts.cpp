#include "minnow/report/run_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "minnow/base/error.hpp"
#include "minnow/base/grouped.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "train/model_files.hpp"

namespace minnow {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxTextBytes = std::uint64_t{1} << 30U;

/// Does a part of the work; a failure becomes a line of `problems`.
template <class Work>
void attempt(RunFacts& facts, const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    facts.problems.emplace_back(error.what());
  }
}

/// "transformer.h.11.ln_1.weight" -> "transformer.h.*.ln_1.weight"
std::string without_numbers(const std::string& name) {
  std::string text;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    text += number ? "*" : part;
    if (end < name.size()) text += '.';
    begin = end + 1;
  }
  return text;
}

std::vector<TensorGroup> groups_of(const SafetensorsHeader& header) {
  std::vector<TensorGroup> groups;
  std::map<std::pair<std::string, std::vector<std::int64_t>>, std::size_t> places;
  for (const TensorEntry& tensor : header.tensors) {
    const std::string name = without_numbers(tensor.name);
    const auto [place, fresh] = places.try_emplace({name, tensor.shape}, groups.size());
    if (fresh) groups.push_back({name, tensor.shape, std::string(dtype_name(tensor.dtype)), 0});
    ++groups[place->second].count;
  }
  return groups;
}

void read_environment(const Checkpoint& checkpoint, RunFacts& facts) {
  if (!checkpoint.has(kEnvironmentFile)) return;
  const auto json = nlohmann::ordered_json::parse(checkpoint.read(kEnvironmentFile));
  for (const auto& [key, value] : json.items()) {
    if (key != "format")
      facts.trained_on.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

void read_checkpoint(const fs::path& run, RunFacts& facts) {
  facts.best_step = best_step(run);
  const auto all = list_checkpoints(run);
  for (auto info = all.rbegin(); info != all.rend(); ++info) {
    try {
      const Checkpoint checkpoint = Checkpoint::open(info->directory);
      facts.tensors = groups_of(checkpoint.header(kModelFile));
      facts.checkpoint_step = info->step;
      read_environment(checkpoint, facts);
      return;
    } catch (const Error& error) {
      facts.problems.emplace_back(error.what());
    }
  }
}

/// The comment behind a setting in a resolved configuration says where it came from.
std::string origin_in(const std::string& text, const Key& key, const std::string& value) {
  const std::string table = fmt::format("\n[{}]\n", key.table());
  const std::size_t from = key.table().empty() ? 0 : text.find(table);
  if (from == std::string::npos) return "";
  const std::string setting = fmt::format("\n{} = {} ", key.leaf(), value);
  const std::size_t at = text.find(setting, key.table().empty() ? 0 : from + table.size() - 1);
  if (at == std::string::npos) return "";
  const std::size_t mark = text.find_first_not_of(' ', at + setting.size());
  if (mark == std::string::npos || text[mark] != '#') return "";
  const std::size_t begin = text.find_first_not_of(' ', mark + 1);
  return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin) - begin);
}

void read_config(const fs::path& file, RunFacts& facts) {
  if (!path_exists(file)) {
    facts.problems.push_back(fmt::format("{} is not there", file.string()));
    return;
  }
  facts.config_text = read_file(file, kMaxTextBytes);
  facts.config = load_config(facts.config_text, file.string()).config;
  for (const Difference& difference : compare_configs(Config{}, *facts.config)) {
    facts.changed.push_back({difference.key, difference.after, difference.before,
                             origin_in(facts.config_text, *difference.key, difference.after)});
  }
}

}  // namespace

double TensorGroup::numbers() const {
  double product = static_cast<double>(count);
  for (const std::int64_t size : shape) product *= static_cast<double>(size);
  return product;
}

double RunFacts::parameters() const {
  double sum = 0;
  for (const TensorGroup& group : tensors) sum += group.numbers();
  return sum;
}

RunFacts read_run_facts(const fs::path& path, std::string_view who) {
  RunFacts facts;
  facts.metrics = read_run_metrics(path, who);
  if (facts.metrics.bad_lines > 0) {
    facts.problems.push_back(fmt::format("{} {} of metrics.jsonl {} no metrics", grouped(facts.metrics.bad_lines),
                                         facts.metrics.bad_lines == 1 ? "line" : "lines",
                                         facts.metrics.bad_lines == 1 ? "is" : "are"));
  }
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return facts;
  attempt(facts, [&] { read_config(path / kConfigFile, facts); });
  attempt(facts, [&] {
    if (path_exists(path / "samples.txt"))
      facts.samples = parse_samples(read_file(path / "samples.txt", kMaxTextBytes));
  });
  attempt(facts, [&] { read_checkpoint(path, facts); });
  attempt(facts, [&] {
    if (path_exists(path / kProfileFile)) facts.profile = parse_profile(read_file(path / kProfileFile, kMaxTextBytes));
  });
  return facts;
}

}  // namespace minnow
