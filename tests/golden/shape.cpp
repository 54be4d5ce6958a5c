// Adapters of the kind shape.

#include "minnow/ops/shape.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/adapter.hpp"
#include "minnow/ops/elementwise.hpp"
#include "minnow/ops/embedding.hpp"

namespace minnow::golden {
namespace {

Outcome one(Tensor y) { return {{{"y", std::move(y)}}}; }

Outcome transpose_axes(Call& call) {
  return one(transpose(call.in("x"), call.options.integer("dim0"), call.options.integer("dim1")));
}
Outcome permute_axes(Call& call) { return one(permute(call.in("x"), call.options.integers("dims"))); }
Outcome reshape_to(Call& call) { return one(reshape(call.in("x"), call.options.integers("shape"))); }
Outcome permute_reshape(Call& call) {
  return one(reshape(permute(call.in("x"), call.options.integers("dims")), call.options.integers("shape")));
}
Outcome expand_to(Call& call) { return one(expand(call.in("x"), call.options.integers("shape"))); }

Outcome squeeze_axis(Call& call) { return one(squeeze(call.in("x"), call.options.integer("dim"))); }
Outcome unsqueeze_axis(Call& call) { return one(unsqueeze(call.in("x"), call.options.integer("dim"))); }

/// The cases clip `stop` to the size, as NumPy does; slice() refuses what leaves the axis.
Outcome slice_of(Call& call) {
  const Tensor& x = call.in("x");
  const Index dim = call.options.integer("dim");
  const Index stop = std::min(call.options.integer("stop"), x.size(dim));
  return one(slice(x, dim, call.options.integer("start"), stop, call.options.integer("step")));
}

/// Two views of one tensor.
Outcome slice_add(Call& call) {
  const Tensor& x = call.in("x");
  return one(slice(x, 1, 1, x.size(1)) + slice(x, 1, 0, x.size(1) - 1));
}

Outcome select_one(Call& call) {
  return one(select(call.in("x"), call.options.integer("dim"), call.options.integer("index")));
}

/// @return the inputs x0, x1, ...
std::vector<Tensor> list_of(Call& call) {
  std::vector<Tensor> all;
  while (call.has_in(fmt::format("x{}", all.size()))) all.push_back(call.in(fmt::format("x{}", all.size())));
  return all;
}

/// @return the outputs y0, y1, ...
Outcome many(const std::vector<Tensor>& ys) {
  Outcome all;
  for (std::size_t i = 0; i < ys.size(); ++i) all.outputs.emplace(fmt::format("y{}", i), ys[i]);
  return all;
}

Outcome concat_all(Call& call) { return one(concat(list_of(call), call.options.integer("dim"))); }
Outcome concat_twice(Call& call) { return one(concat({call.in("x"), call.in("x")}, call.options.integer("dim"))); }
Outcome stack_all(Call& call) { return one(stack(list_of(call), call.options.integer("dim"))); }

Outcome split_sizes(Call& call) {
  const Shape sizes = call.options.integers("sizes");
  return many(split(call.in("x"), call.options.integer("dim"), {sizes.begin(), sizes.end()}));
}
Outcome split_parts(Call& call) {
  return many(split_equal(call.in("x"), call.options.integer("dim"), call.options.integer("parts")));
}

Outcome repeat_tiles(Call& call) { return one(repeat(call.in("x"), call.options.integers("repeats"))); }
Outcome repeat_each(Call& call) {
  return one(repeat_interleave(call.in("x"), call.options.integer("dim"), call.options.integer("repeats")));
}
Outcome flip_axes(Call& call) { return one(flip(call.in("x"), call.options.integers("dims"))); }
Outcome roll_axes(Call& call) {
  return one(roll(call.in("x"), call.options.integers("shifts"), call.options.integers("dims")));
}
Outcome gather_along(Call& call) { return one(gather(call.in("x"), call.options.integer("dim"), call.in("index"))); }
Outcome index_select_along(Call& call) {
  return one(index_select(call.in("x"), call.options.integer("dim"), call.in("index")));
}
Outcome scatter_add_along(Call& call) {
  return one(scatter_add(call.in("x"), call.options.integer("dim"), call.in("index"), call.in("src")));
}
Outcome lower_triangle(Call& call) { return one(tril(call.in("x"), call.options.integer("diagonal"))); }
Outcome upper_triangle(Call& call) { return one(triu(call.in("x"), call.options.integer("diagonal"))); }
Outcome cumsum_along(Call& call) { return one(cumsum(call.in("x"), call.options.integer("dim"))); }
Outcome pad_around(Call& call) {
  const Shape widths = call.options.integers("pad");
  return one(pad(call.in("x"), {widths.begin(), widths.end()}, call.options.number("value")));
}

Outcome embedding_of(Call& call) {
  return one(embedding(call.param("weight"), call.in("index"), call.options.integer_or_null("padding_idx")));
}

Outcome fill_masked(Call& call) {
  return one(masked_fill(call.in("x"), call.in("mask"), call.options.number("value")));
}

}  // namespace

AdapterTable shape_adapters() {
  return {{"transpose", transpose_axes},
          {"permute", permute_axes},
          {"reshape", reshape_to},
          {"permute_reshape", permute_reshape},
          {"expand", expand_to},
          {"squeeze", squeeze_axis},
          {"unsqueeze", unsqueeze_axis},
          {"slice", slice_of},
          {"select", select_one},
          {"embedding", embedding_of},
          {"masked_fill", fill_masked},
          {"slice_add", slice_add},
          {"concat", concat_all},
          {"concat_twice", concat_twice},
          {"stack", stack_all},
          {"split", split_sizes},
          {"split_equal", split_parts},
          {"repeat", repeat_tiles},
          {"repeat_interleave", repeat_each},
          {"flip", flip_axes},
          {"roll", roll_axes},
          {"gather", gather_along},
          {"index_select", index_select_along},
          {"scatter_add", scatter_add_along},
          {"tril", lower_triangle},
          {"triu", upper_triangle},
          {"cumsum", cumsum_along},
          {"pad", pad_around}};
}

}  // namespace minnow::golden
