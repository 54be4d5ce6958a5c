#include <cmath>

#include "ops/check.hpp"
#include "ops/samples.hpp"
#include "ops/t5_bucket.hpp"

namespace minnow {
namespace ops {
namespace {

struct T5RelativeBias {
  struct Attrs {
    Index queries = 1, keys = 1, query_offset = 0;
    T5BiasOptions buckets = {};
  };
  static constexpr OpDoc kDoc{"t5_relative_bias", "t5_relative_bias(table, queries, keys, query_offset, options) -> y",
                              "y[h, i, j] = table[bucket(j - i - query_offset), h]", "Raffel et al. 2020, T5"};
  static constexpr Saves kSaves{};
  static constexpr double kFarthest = 9007199254740992;  // 2^53

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_floating("t5_relative_bias", specs[0]);
    check_buckets("t5_relative_bias", attrs.buckets);
    const Shape& table = specs[0].shape;
    if (table.rank() != 2 || table[0] != attrs.buckets.num_buckets || attrs.queries < 0 || attrs.keys < 0) {
      throw ShapeError(
          fmt::format("[t5_relative_bias] the table must be ({}, H) and the lengths not negative; got {}, {} and {}",
                      attrs.buckets.num_buckets, table.str(), attrs.queries, attrs.keys));
    }
    (void)plus("t5_relative_bias", attrs.queries, attrs.keys);
    if (std::abs(static_cast<double>(attrs.query_offset)) > kFarthest) {
      throw ShapeError(fmt::format("[t5_relative_bias] query_offset must lie within 2^53; got {}", attrs.query_offset));
    }
    return {{{{table[1], attrs.queries, attrs.keys}, specs[0].dtype}}, {}};
  }

  /// @return the bucket for each value of j - i, from the lowest on: distance (j - i) stands at j - i + queries - 1.
  static std::vector<Index> line(const Attrs& attrs) {
    std::vector<Index> buckets;
    for (Index d = 1 - attrs.queries; d < attrs.keys; ++d) {
      buckets.push_back(t5_bucket_of(d - attrs.query_offset, attrs.buckets));
    }
    return buckets;
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const std::vector<Index> buckets = line(attrs);
    const Index heads = c.inputs[0].size(1);
    const T* table = c.inputs[0].data<T>();
    T* y = c.outputs[0].mutable_data<T>();
    parallel_chunks(heads * attrs.queries, [&](Index row) {
      const Index head = row / attrs.queries;
      const Index* bucket = buckets.data() + (attrs.queries - 1 - row % attrs.queries);
      for (Index j = 0; j < attrs.keys; ++j) y[row * attrs.keys + j] = table[bucket[j] * heads + head];
    });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const std::vector<Index> buckets = line(attrs);
    const Index heads = c.specs[0].shape[1];
    const T* dout = c.douts[0].data<T>();
    T* dtable = c.dins[0].mutable_data<T>();
    parallel_chunks(heads, [&](Index head) {
      std::vector<double> sums(static_cast<std::size_t>(attrs.buckets.num_buckets), 0.0);
      for (Index i = 0; i < attrs.queries; ++i) {
        const Index* bucket = buckets.data() + (attrs.queries - 1 - i);
        const T* row = dout + (head * attrs.queries + i) * attrs.keys;
        for (Index j = 0; j < attrs.keys; ++j) sums[static_cast<std::size_t>(bucket[j])] += static_cast<double>(row[j]);
      }
      for (std::size_t b = 0; b < sums.size(); ++b) {
        dtable[static_cast<Index>(b) * heads + head] = static_cast<T>(sums[b]);
      }
    });
  }

  static std::vector<Sample> samples() {
    const Tensor table = sample_numbers({32, 3}, -1, 1);
    return {{.note = "both sides", .inputs = {table}, .attrs = AttrBox::of(Attrs{9, 40})},
            {.note = "one side, late queries",
             .inputs = {table},
             .attrs = AttrBox::of(Attrs{3, 150, 140, {.bidirectional = false}})},
            {.note = "few buckets",
             .inputs = {sample_numbers({8, 1}, -1, 1)},
             .attrs = AttrBox::of(Attrs{5, 5, 0, {.num_buckets = 8, .max_distance = 20}})},
            {.note = "no keys", .inputs = {table}, .attrs = AttrBox::of(Attrs{4, 0}), .smooth = false},
            {.note = "another table",
             .inputs = {sample_numbers({30, 3}, -1, 1)},
             .attrs = AttrBox::of(Attrs{4, 4}),
             .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs& attrs) {
    return {0, static_cast<double>(specs[0].shape[1] * attrs.queries * attrs.keys) *
                   static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(t5_relative_bias, T5RelativeBias);
}  // namespace ops

Tensor t5_relative_bias(const Tensor& table, Index queries, Index keys, Index query_offset,
                        const T5BiasOptions& options) {
  return apply_one(ops::op_t5_relative_bias, {table}, ops::T5RelativeBias::Attrs{queries, keys, query_offset, options});
}

}  // namespace minnow
