#pragma once
/// @file
/// Runs one case in one type and compares everything it computes with what is stored.

#include "golden/adapter.hpp"

namespace minnow::golden {

/// Runs forward, backward with the stored cotangents and, for models, the training steps.
/// @return one line per tensor that is wrong; empty when the case passes. Throws: Unsupported.
std::vector<std::string> run_case(const Case& which, DType dtype);

/// @return why the case is not supported, or nothing. Runs the forward pass alone.
std::optional<std::string> why_unsupported(const Case& which);

/// Compares by the passing rule: |got - r| <= atol S + rtol |r|, S = the largest finite |r| (1 if that is 0);
/// infinities in place and sign; NaN never; integers exactly.
/// @param skip ranges [begin, end) of flat indices to leave out
/// @return what is wrong with the worst entry, or nothing.
std::optional<std::string> mismatch(const Tensor& got, const Tensor& reference, Tolerance tolerance,
                                    const std::vector<std::pair<Index, Index>>& skip = {});

}  // namespace minnow::golden
