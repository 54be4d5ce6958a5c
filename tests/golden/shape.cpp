// Adapters of the kind shape.

#include "minnow/ops/shape.hpp"

#include "golden/adapter.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/embedding.hpp"

namespace minnow::golden {
namespace {

Outcome one(Tensor y) { return {{{"y", std::move(y)}}}; }

/// @return an axis from 0 on; a new axis counts among `rank` + 1.
Index axis_of(Call& call, Index rank) {
  const Index dim = call.options.integer("dim");
  return dim < 0 ? dim + rank : dim;
}

Outcome transpose_axes(Call& call) {
  return one(transpose(call.in("x"), call.options.integer("dim0"), call.options.integer("dim1")));
}
Outcome permute_axes(Call& call) { return one(permute(call.in("x"), call.options.integers("dims"))); }
Outcome reshape_to(Call& call) { return one(reshape(call.in("x"), call.options.integers("shape"))); }
Outcome permute_reshape(Call& call) {
  return one(reshape(permute(call.in("x"), call.options.integers("dims")), call.options.integers("shape")));
}
Outcome expand_to(Call& call) { return one(expand(call.in("x"), call.options.integers("shape"))); }

Outcome squeeze(Call& call) {
  const Tensor& x = call.in("x");
  Shape shape = x.shape();
  const Index axis = axis_of(call, x.rank());
  if (shape[axis] != 1) throw Unsupported("an axis that is not 1");
  shape.erase(axis);
  return one(reshape(x, shape));
}

Outcome unsqueeze(Call& call) {
  const Tensor& x = call.in("x");
  const Index axis = axis_of(call, x.rank() + 1);
  std::vector<Index> sizes(x.shape().begin(), x.shape().end());
  sizes.insert(sizes.begin() + axis, 1);
  return one(reshape(x, Shape(sizes)));
}

Outcome slice_of(Call& call) {
  return one(slice(call.in("x"), call.options.integer("dim"), call.options.integer("start"),
                   call.options.integer("stop"), call.options.integer("step")));
}

Outcome select(Call& call) {
  const Tensor& x = call.in("x");
  const Index axis = axis_of(call, x.rank());
  Index index = call.options.integer("index");
  if (index < 0) index += x.size(axis);
  Shape shape = x.shape();
  shape.erase(axis);
  return one(reshape(slice(x, axis, index, index + 1), shape));
}

Outcome embedding_of(Call& call) {
  return one(embedding(call.param("weight"), call.in("index"), call.options.integer_or_null("padding_idx")));
}

Outcome masked_fill(Call& call) {
  const Tensor& x = call.in("x");
  return one(where(call.in("mask"), Tensor::full({}, call.options.number("value"), x.dtype()), x));
}

}  // namespace

AdapterTable shape_adapters() {
  return {{"transpose", transpose_axes},
          {"permute", permute_axes},
          {"reshape", reshape_to},
          {"permute_reshape", permute_reshape},
          {"expand", expand_to},
          {"squeeze", squeeze},
          {"unsqueeze", unsqueeze},
          {"slice", slice_of},
          {"select", select},
          {"embedding", embedding_of},
          {"masked_fill", masked_fill}};
}

}  // namespace minnow::golden
