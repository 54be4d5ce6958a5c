#pragma once
/// @file
/// Runs one case in one type and compares everything it computes with what is stored.

#include "golden/adapter.hpp"
#include "minnow/kernels/gemm.hpp"

namespace minnow::golden {

/// How a case is run.
struct Manner {
  DType dtype = DType::f32;
  kernels::GemmBackend backend = kernels::best_gemm_backend();      ///< of f32
  kernels::GemmPrecision precision = kernels::GemmPrecision::kF32;  ///< of f32
};

/// @return for messages: "f64", "f32", "bf16 by openblas".
std::string text_of(const Manner& manner);

/// Runs forward, backward with the stored cotangents and, for models, the training steps.
/// @return one line per tensor that is wrong; empty when the case passes. Throws: Unsupported.
std::vector<std::string> run_case(const Case& which, const Manner& manner);

/// @return why the case is not supported, or nothing. Runs the forward pass alone.
std::optional<std::string> why_unsupported(const Case& which);

/// Compares by the passing rule: |got - r| <= atol S + rtol |r|, S = the largest finite |r| (1 if that is 0);
/// infinities in place and sign; NaN never; integers exactly.
/// @param skip ranges [begin, end) of flat indices to leave out
/// @return what is wrong with the worst entry, or nothing.
std::optional<std::string> mismatch(const Tensor& got, const Tensor& reference, Tolerance tolerance,
                                    const std::vector<std::pair<Index, Index>>& skip = {});

/// The rule for factors rounded to bf16, by norms instead of entries: |got - r| <= bound max(|r|, typical sqrt(n)),
/// with the Euclidean norm of the n entries that are finite in r.
/// @param typical a size of entries below which a tensor counts as nothing but rounding
/// @return what is wrong, or nothing.
std::optional<std::string> norm_mismatch(const Tensor& got, const Tensor& reference, double bound, double typical,
                                         const std::vector<std::pair<Index, Index>>& skip = {});

/// @return root of the mean square of the finite entries; 0 without any.
double typical_size(const Tensor& x);

/// @return the bound for a case whose products round their factors to bf16; nothing: such a case has no meaning.
std::optional<double> bf16_bound(const Case& which);

}  // namespace minnow::golden
