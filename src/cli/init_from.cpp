#include "cli/init_from.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "cli/config_file.hpp"
#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/exchange/model_folder.hpp"
#include "minnow/io/checkpoint.hpp"
#include "minnow/io/file.hpp"
#include "minnow/text/load_tokenizer.hpp"
#include "train/open_folder.hpp"

namespace minnow::cli {
namespace {

/// What the weights do not decide.
constexpr std::array<std::string_view, 6> kOfTraining = {
    "model.dropout", "model.attn_dropout", "model.resid_dropout", "model.embd_dropout", "model.init", "model.init_std"};

std::optional<Config> config_of(const std::string& origin) {
  if (exchange::is_model_folder(origin) && list_checkpoints(origin).empty()) {
    const auto folder = exchange::ModelFolder::open(origin);
    Config config = config_of_folder(folder.model(), folder.tokenizer().get());
    if (folder.tokenizer() && folder.tokenizer()->vocab_size() == folder.vocab_size())
      config.model.vocab_size = 0;  // it decides
    return config;
  }
  const auto recorded = recorded_config(origin);
  return recorded ? std::optional(recorded->config) : std::nullopt;
}

bool is_taken(const Key& key, const LoadedConfig& given) {
  const std::string_view name = key.name;
  if (!name.starts_with("model.")) return false;
  if (std::find(kOfTraining.begin(), kOfTraining.end(), name) != kOfTraining.end()) return false;
  return given.origins[static_cast<std::size_t>(&key - config_keys().data())] == "default";
}

/// @return `key=value` for what is still at its default and differs.
std::vector<std::string> to_take(const LoadedConfig& given, const Config& origin) {
  std::vector<std::string> list;
  for (const Difference& one : compare_configs(given.config, origin)) {
    if (is_taken(*one.key, given)) list.push_back(fmt::format("{}={}", one.key->name, one.after));
  }
  return list;
}

std::size_t origin_index(std::string_view name) {
  return static_cast<std::size_t>(find_key(name) - config_keys().data());
}

/// The tokenizer comes along with the weights; what the configuration says of it is made true.
void take_tokenizer(const std::string& origin, const TokenizerConfig& wanted, RunRequest& given) {
  if (wanted.type == TokenizerKind::kNone) return;  // there is none
  const TokenizerConfig& asked = given.config.config.tokenizer;
  TokenizerConfig taken;
  taken.type = wanted.type;
  taken.unknown = asked.unknown;
  if (wanted.type == TokenizerKind::kBpe || wanted.type == TokenizerKind::kSentencePiece) {
    taken.path = origin;
    if (!asked.path.empty() && load_tokenizer(asked.path)->to_json() == load_tokenizer(origin)->to_json()) return;
  }
  Config now = given.config.config;
  now.tokenizer = taken;
  std::vector<std::string> replaced;
  for (const Difference& one : compare_configs(given.config.config, now)) {
    const std::string& from = given.config.origins[origin_index(one.key->name)];
    if (from == "--set") {
      throw ConfigError(
          fmt::format("[train] the tokenizer must be that of the weights with --init-from; --set says {} = {}, and {} "
                      "has {}. Hint: leave it out, or begin a new model without --init-from",
                      one.key->name, one.before, origin, one.after));
    }
    if (from != "default") replaced.push_back(fmt::format("{} = {} ({})", one.key->name, one.before, from));
  }
  if (!replaced.empty()) {
    print_warning(fmt::format("the tokenizer of {} is used, not that of the configuration: {}", origin,
                              fmt::join(replaced, ", ")));
  }
  for (const Key& key : config_keys()) {
    if (key.table() != "tokenizer" || key.name == "tokenizer.unknown") continue;
    given.config.origins[origin_index(key.name)] = fmt::format("--init-from {}", origin);
  }
  given.config.config.tokenizer = taken;
}

}  // namespace

void take_model_of(const std::string& origin, const RunWords& words, RunRequest& given) {
  const std::optional<Config> wanted = config_of(origin);
  if (!wanted) return;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24U;
  const std::string file = named_config(words.config).string();
  const std::string text = read_file(file, kMostBytes);
  std::vector<std::string> taken;
  // A family changes the defaults of other keys: what differs is asked anew until nothing does.
  for (auto more = to_take(given.config, *wanted); !more.empty(); more = to_take(given.config, *wanted)) {
    taken.insert(taken.end(), more.begin(), more.end());
    std::vector<std::string> overrides = taken;
    overrides.insert(overrides.end(), words.overrides.begin(), words.overrides.end());
    given.config = load_config(text, file, overrides);
  }
  take_tokenizer(origin, wanted->tokenizer, given);
  if (!taken.empty()) given.notes.push_back(fmt::format("taken from {}: {}", origin, fmt::join(taken, ", ")));
}

}  // namespace minnow::cli
