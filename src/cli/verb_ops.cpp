/// @file
/// `minnow ops`: lists the operations of the engine.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/json_line.hpp"
#include "cli/terminal.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"
#include "minnow/config/nearest.hpp"
#include "minnow/ops/registry.hpp"

namespace minnow::cli {
namespace {

struct OpsArguments {
  std::string name;
  bool json = false;
};

std::vector<const Op*> chosen(const std::string& name) {
  if (name.empty()) return all_ops();
  if (const Op* op = find_op(name)) return {op};
  std::vector<std::string_view> names;
  for (const Op* op : all_ops()) names.push_back(op->doc.name);
  const auto near = nearest_name(name, names);
  throw ConfigError(
      fmt::format("[ops] NAME must be an operation; got {}. Hint: {}", name,
                  near.empty() ? std::string("`minnow ops` lists all") : fmt::format("did you mean {}?", near)));
}

int list(const OpsArguments& arguments) {
  const std::vector<const Op*> ops = chosen(arguments.name);
  if (arguments.json) {
    auto rows = nlohmann::ordered_json::array();
    for (const Op* op : ops) {
      rows.push_back({{"name", op->doc.name},
                      {"signature", op->doc.signature},
                      {"formula", op->doc.formula},
                      {"source", op->doc.source},
                      {"differentiable", op->differentiable}});
    }
    print_result(json_line(rows));
    return 0;
  }
  std::string text;
  for (const Op* op : ops) {
    text += fmt::format("{}\n    {}\n    Source: {}{}\n", op->doc.signature, op->doc.formula, op->doc.source,
                        op->differentiable ? "" : "\n    Not differentiable");
  }
  print_result(text);
  if (arguments.name.empty()) print_line(fmt::format("{} operations", ops.size()));
  return 0;
}

Action setup_ops(Options& options) {
  const auto arguments = std::make_shared<OpsArguments>();
  options.argument("NAME", arguments->name, "Only this operation", false);
  options.flag("--json", arguments->json, "Write JSON to stdout");
  options.footer("Examples:\n  minnow ops\n  minnow ops softmax\n");
  return [arguments] { return list(*arguments); };
}

}  // namespace

const Verb kVerbOps = {"ops", "List the operations of the engine", "Engine", setup_ops};

}  // namespace minnow::cli
