// Adapters of the kind linear_sparse.

#include "golden/adapter.hpp"
#include "minnow/ops/attention.hpp"

namespace minnow::golden {
namespace {

Outcome linear(Call& call) {
  call.options.require("feature_map", "elu_plus_1");
  return {{{"y", linear_attention(call.in("q"), call.in("k"), call.in("v"), call.options.flag("causal"),
                                  call.options.number("eps"))}}};
}

SparsePattern pattern_of(Call& call) {
  using enum SparsePattern::Kind;
  SparsePattern pattern;
  const std::string name = call.options.text("pattern");
  if (name == "strided" || name == "fixed") {
    pattern.kind = name == "fixed" ? kFixed : kStrided;
    pattern.stride = call.options.integer("stride");
    if (name == "fixed") pattern.summary = call.options.integer("summary");
  } else if (name == "block" || name == "block_causal") {
    pattern.kind = name == "block" ? kBlock : kBlockCausal;
    pattern.block = call.options.integer("block");
    pattern.near = call.options.integer("near");
    pattern.global = call.options.integer("global");
  } else if (name == "dilated") {
    pattern.kind = kDilated;
    pattern.span = call.options.integer("span");
    pattern.dilation = call.options.integer("dilation");
  } else {
    throw Unsupported("option pattern is " + name);
  }
  return pattern;
}

Outcome sparse(Call& call) {
  const Tensor& q = call.in("q");
  const Tensor& k = call.in("k");
  const Tensor mask = sparse_attention_mask(q.size(2), pattern_of(call));
  return {{{"y", scaled_dot_product_attention(q, k, call.in("v"), {}, {.mask = mask})},
           {"attn", attention_weights(q, k, {}, {.mask = mask})},
           {"mask", mask.to(DType::i64)}}};
}

}  // namespace

AdapterTable linear_sparse_adapters() { return {{"linear_attention", linear}, {"sparse_attention", sparse}}; }

}  // namespace minnow::golden
