#include "minnow/ops/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "ops/registry/table.hpp"

namespace minnow {
namespace {

std::vector<const Op*>& registered() {
  static std::vector<const Op*> ops;
  return ops;
}

}  // namespace

std::vector<const Op*> all_ops() {
  const auto builtin = builtin_ops();
  std::vector<const Op*> ops(builtin.begin(), builtin.end());
  ops.insert(ops.end(), registered().begin(), registered().end());
  return ops;
}

const Op* find_op(std::string_view name) {
  const auto ops = all_ops();
  const auto found = std::find_if(ops.begin(), ops.end(), [&](const Op* op) { return op->doc.name == name; });
  return found == ops.end() ? nullptr : *found;
}

void register_op(const Op& op) {
  if (op.doc.name.empty() || find_op(op.doc.name) != nullptr) {
    throw ConfigError(fmt::format(
        "[register_op] the name must be new and not empty; got '{}'. Hint: `minnow ops` lists the names", op.doc.name));
  }
  registered().push_back(&op);
}

}  // namespace minnow
