#include "ops/t5_bucket.hpp"

#include "ops/ids.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct T5Bucket {
  using Attrs = T5BiasOptions;
  static constexpr OpDoc kDoc{"t5_bucket", "t5_bucket(distances, options) -> buckets",
                              "number of the bucket of each distance key - query: exact when short, logarithmic beyond",
                              "Raffel et al. 2020, T5"};

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_ids("t5_bucket", specs[0]);
    check_buckets("t5_bucket", attrs);
    return {{{specs[0].shape, DType::i64}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    auto* bucket = c.outputs[0].mutable_data<std::int64_t>();
    with_ids(c.inputs[0], [&](const auto* distance) {
      parallel_ranges(c.inputs[0].numel(), 1024, [&](Index begin, Index end, Index) {
        for (Index i = begin; i < end; ++i) bucket[i] = t5_bucket_of(distance[i], attrs);
      });
    });
  }

  static std::vector<Sample> samples() {
    const Tensor distances = sample_ids({3, 40}, -300, 300);
    return {{.note = "both sides", .inputs = {distances}, .attrs = AttrBox::of(Attrs{})},
            {.note = "one side, i32",
             .inputs = {distances.to(DType::i32)},
             .attrs = AttrBox::of(Attrs{.bidirectional = false})},
            {.note = "none", .inputs = {sample_ids({0}, 0, 1)}, .attrs = AttrBox::of(Attrs{})},
            {.note = "numbers", .inputs = {sample_numbers({3}, 0, 9)}, .attrs = AttrBox::of(Attrs{}), .valid = false},
            {.note = "no far bucket",
             .inputs = {distances},
             .attrs = AttrBox::of(Attrs{.max_distance = 8}),
             .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {4 * n, n * (8 + static_cast<double>(size_of(specs[0].dtype)))};
  }
};

}  // namespace
MINNOW_OP(t5_bucket, T5Bucket);
}  // namespace ops

Tensor t5_bucket(const Tensor& distances, const T5BiasOptions& options) {
  return apply_one(ops::op_t5_bucket, {distances}, options);
}

}  // namespace minnow
