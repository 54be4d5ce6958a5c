#pragma once
/// @file
/// Lists operations and takes in those of users.

#include <span>
#include <string_view>
#include <vector>

#include "minnow/autograd/op.hpp"

namespace minnow {

/// @return all operations: the library's own sorted by name, then the registered ones in order of registration.
[[nodiscard]] std::vector<const Op*> all_ops();

/// @return the operation of that name, or null.
[[nodiscard]] const Op* find_op(std::string_view name);

/// Adds an operation of the user's own (make_op<MyOp>()) to the list: the generated tests, `minnow ops` and the
/// operation benchmark then cover it. The record must live on. Throws: ConfigError when the name is taken or empty.
void register_op(const Op& op);

}  // namespace minnow
