// Masks of sparse attention.

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "minnow/base/error.hpp"
#include "minnow/ops/attention.hpp"

namespace minnow {
namespace {

bool may_attend(Index i, Index j, const SparsePattern& p) {
  using enum SparsePattern::Kind;
  const Index query_block = i / p.block;
  const Index key_block = j / p.block;
  const bool near = std::abs(query_block - key_block) <= p.near;
  switch (p.kind) {
    case kStrided:
      return j <= i && (i - j < p.stride || (i - j) % p.stride == 0);
    case kFixed:
      return j <= i && (i / p.stride == j / p.stride || j % p.stride >= p.stride - p.summary);
    case kBlock:
      return near || key_block < p.global || query_block < p.global;
    case kBlockCausal:
      return j <= i && (near || key_block < p.global);
    case kDilated:
      return i >= j && i - j < p.span && (i - j) % p.dilation == 0;
  }
  return false;
}

}  // namespace

Tensor sparse_attention_mask(Index length, const SparsePattern& pattern) {
  if (length < 0 || pattern.stride < 1 || pattern.summary < 0 || pattern.block < 1 || pattern.near < 0 ||
      pattern.global < 0 || pattern.span < 1 || pattern.dilation < 1) {
    throw ShapeError(fmt::format(
        "[sparse_attention_mask] stride, block, span and dilation must be 1 or more, the others not negative; "
        "got stride {}, summary {}, block {}, near {}, global {}, span {}, dilation {}, length {}",
        pattern.stride, pattern.summary, pattern.block, pattern.near, pattern.global, pattern.span, pattern.dilation,
        length));
  }
  Tensor mask = Tensor::empty({length, length}, DType::boolean);
  bool* to = mask.mutable_data<bool>();
  for (Index i = 0; i < length; ++i) {
    for (Index j = 0; j < length; ++j) to[i * length + j] = may_attend(i, j, pattern);
  }
  return mask;
}

}  // namespace minnow
