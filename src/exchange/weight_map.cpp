#include <fmt/format.h>

#include <set>

#include "exchange/config_reader.hpp"
#include "exchange/strict_json.hpp"
#include "minnow/exchange/weight_files.hpp"

namespace minnow::exchange {
namespace {

/// A file of the folder itself: an index must not reach elsewhere on the disk.
bool is_plain_name(std::string_view name) {
  constexpr std::string_view kEnding = ".safetensors";
  constexpr std::size_t kLongest = 255;
  if (!name.ends_with(kEnding) || name.size() == kEnding.size() || name.size() > kLongest) return false;
  for (const char c : name) {
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ') return false;
  }
  return true;
}

}  // namespace

WeightMap read_weight_map(std::string_view text, std::string_view who) {
  const nlohmann::json json = parse_object(text, who, kMaxIndexBytes);
  const ConfigReader reader(json, who);
  const auto* const map = reader.find({"weight_map"});
  if (map == nullptr || !map->is_object() || map->empty()) {
    reader.refuse("weight_map must be an object that gives every tensor its file");
  }
  WeightMap read;
  read.reserve(map->size());
  std::set<std::string> files;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string() || !is_plain_name(file.get_ref<const std::string&>())) {
      reader.refuse(
          fmt::format("weight_map must name files *.safetensors of the same folder, without directories; "
                      "got {} for {}",
                      ConfigReader::shown(file), ConfigReader::shown(nlohmann::json(tensor))));
    }
    files.insert(file.get<std::string>());
    if (files.size() > kMaxShards) reader.refuse(fmt::format("weight_map must name at most {} files", kMaxShards));
    read.emplace_back(tensor, file.get<std::string>());
  }
  return read;
}

}  // namespace minnow::exchange
