#include "minnow/ops/embedding.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/kernels/embedding.hpp"
#include "ops/ids.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Embedding {
  struct Attrs {
    Index padding_id = -1;
  };
  static constexpr OpDoc kDoc{"embedding", "embedding(table, ids, padding_id?) -> y", "y[..., :] = table[ids[...], :]",
                              "PyTorch nn.functional.embedding"};
  static constexpr Saves kSaves{.inputs = 0b10};  // ids
  static constexpr bool kAddsNatively = true;

  static Inferred infer(Specs specs, const Attrs&) {
    check_ids("embedding", specs[1]);
    if (specs[0].shape.rank() != 2)
      throw ShapeError(fmt::format("[embedding] the table must be (V, C); got {}", specs[0].shape.str()));
    Shape y = specs[1].shape;
    y.push_back(specs[0].shape[1]);
    return {{{y, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs&) {
    with_ids(c.inputs[1], [&](const auto* ids) {
      const Index count = c.inputs[1].numel();
      const Index bad = kernels::first_id_out_of_range(ids, count, c.inputs[0].size(0));
      if (bad >= 0) {
        throw DataError(fmt::format(
            "[embedding] ids must lie in [0, {}); got {} at place {} of ids {}. Hint: the text was encoded for "
            "another vocabulary",
            c.inputs[0].size(0), ids[bad], bad, c.inputs[1].shape().str()));
      }
      kernels::embedding_forward(c.outputs[0].mutable_data<T>(), c.inputs[0].data<T>(), ids, count,
                                 c.inputs[0].size(1));
    });
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    if (!c.wants(0)) return;
    if (c.add[0] == 0) c.dins[0].fill(0);
    with_ids(c.inputs[1], [&](const auto* ids) {
      kernels::embedding_backward(c.dins[0].mutable_data<T>(), c.douts[0].data<T>(), ids, c.inputs[1].numel(),
                                  c.specs[0].shape[1], attrs.padding_id);
    });
  }

  static std::vector<Sample> samples() {
    const AttrBox plain = AttrBox::of(Attrs{});
    const Tensor table = sample_numbers({7, 5}, -1, 1);
    return {
        {.note = "repeated ids", .inputs = {table, sample_ids({3, 8}, 0, 7)}, .attrs = plain},
        {.note = "i32 ids", .inputs = {table, sample_ids({9}, 0, 7).to(DType::i32)}, .attrs = plain},
        {.note = "one id", .inputs = {table, sample_ids({}, 0, 7)}, .attrs = plain},
        {.note = "no ids", .inputs = {table, sample_ids({0}, 0, 7)}, .attrs = plain},
        {.note = "many", .inputs = {sample_numbers({65, 128}, -1, 1), sample_ids({12, 64}, 0, 65)}, .attrs = plain},
        {.note = "padding id",
         .inputs = {table, sample_ids({4, 4}, 0, 3)},
         .attrs = AttrBox::of(Attrs{1}),
         .smooth = false},
        {.note = "an id too large",
         .inputs = {table, Tensor::full({2}, 7, DType::i64)},
         .attrs = plain,
         .valid = false},
        {.note = "a negative id", .inputs = {table, Tensor::full({2}, -1, DType::i64)}, .attrs = plain, .valid = false},
        {.note = "numbers for ids", .inputs = {table, table}, .attrs = plain, .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    return {0, 2 * static_cast<double>(specs[1].shape.numel() * specs[0].shape[1]) *
                   static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(embedding, Embedding);
}  // namespace ops

Tensor embedding(const Tensor& table, const Tensor& ids, std::optional<Index> padding_id) {
  return apply_one(ops::op_embedding, {table, ids}, ops::Embedding::Attrs{padding_id.value_or(-1)});
}

}  // namespace minnow
