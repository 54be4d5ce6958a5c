// Adapters of the kind position.

#include "minnow/ops/position.hpp"

#include <fmt/format.h>

#include "golden/adapter.hpp"
#include "minnow/nn/layers.hpp"

namespace minnow::golden {
namespace {

Outcome sinusoids(Call& call) {
  return {{{"y", nn::sinusoidal_table(0, call.options.integer("length"), call.options.integer("dim"), call.dtype())}}};
}

Outcome sinusoids_in_halves(Call& call) {
  return {{{"y", sinusoidal_table_halves(call.options.integer("length"), call.options.integer("dim"), call.dtype())}}};
}

Outcome rope_of(Call& call) {
  RopeOptions options;
  const std::string style = call.options.text("style");
  if (style == "interleaved") {
    options.pairs = RopePairs::kInterleaved;
  } else if (style != "half") {
    throw Unsupported("option style is " + style);
  }
  options.theta = call.options.number("theta");
  options.rotary_dim = call.options.integer("rotary_dim");
  return {{{"y", rope(call.in("x"), call.in("positions"), options)}}};
}

Outcome interpolate(Call& call) {
  GridResize resize;
  const std::string mode = call.options.text("mode");
  if (mode != "bilinear" && mode != "bicubic") throw Unsupported("option mode is " + mode);
  resize.mode = mode == "bilinear" ? Interpolation::kBilinear : Interpolation::kBicubic;
  const Shape from = call.options.integers("old");
  const Shape to = call.options.integers("new");
  resize.old_height = from[0];
  resize.old_width = from[1];
  resize.new_height = to[0];
  resize.new_width = to[1];
  resize.cls_tokens = call.options.integer("cls_tokens");
  call.options.require("align_corners", false);
  call.options.require("antialias", false);
  return {{{"y", interpolate_pos_embed(call.param("pos_embed"), resize)}}};
}

/// @return (queries, keys) key - query.
Tensor distances(Index queries, Index keys, Index offset) {
  std::vector<std::int64_t> values;
  for (Index i = 0; i < queries; ++i) {
    for (Index j = 0; j < keys; ++j) values.push_back(j - (i + offset));
  }
  return Tensor::from(values, {queries, keys});
}

Outcome t5_bias(Call& call) {
  T5BiasOptions options;
  options.bidirectional = call.options.flag("bidirectional");
  options.num_buckets = call.options.integer("num_buckets");
  options.max_distance = call.options.integer("max_distance");
  const Index queries = call.options.integer("Tq");
  const Index keys = call.options.integer("Tk");
  const Index offset = call.options.integer("query_offset");
  const Tensor& table = call.param("table");
  call.options.require("heads", table.size(1));
  return {{{"y", t5_relative_bias(table, queries, keys, offset, options)},
           {"buckets", t5_bucket(distances(queries, keys, offset), options)},
           {"line", t5_bucket(call.in("distance"), options)}}};
}

Outcome slopes(Call& call) {
  Outcome all;
  for (Index heads : call.options.integers("heads")) {
    all.outputs.emplace(fmt::format("heads{}", heads), alibi_slopes(heads, call.dtype()));
  }
  return all;
}

}  // namespace

AdapterTable position_adapters() {
  return {{"sinusoidal_table", sinusoids},
          {"sinusoidal_table_halves", sinusoids_in_halves},
          {"rope", rope_of},
          {"interpolate_pos_embed", interpolate},
          {"t5_relative_bias", t5_bias},
          {"alibi_slopes", slopes}};
}

}  // namespace minnow::golden
