#include "cli/json_line.hpp"

#include <nlohmann/json.hpp>

namespace minnow::cli {

std::string json_line(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace minnow::cli
