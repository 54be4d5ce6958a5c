#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/ops/shape.hpp"
#include "ops/attention_call.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct RowAttention {
  using Attrs = RowAttentionAttrs;
  static constexpr OpDoc kDoc{"row_attention",
                              "row_attention(q, k, v, n_head, n_kv_head, options, key_lengths?, borders?) -> out",
                              "scaled_dot_product_attention of heads that lie side by side: q (B, Tq, H D), k (B, Tk, "
                              "Hkv D), v (B, Tk, Hkv Dv), out (B, Tq, H Dv)",
                              "Vaswani et al. 2017; grouped queries: Ainslie et al. 2023, GQA"};
  static constexpr unsigned kOptional = 0b11000;                   // key_lengths, borders
  static constexpr Saves kSaves{.inputs = 0b11111, .outputs = 1};  // aux: lse (B, H, Tq)

  static Inferred infer(Specs specs, const Attrs& attrs) {
    const Shape& q = specs[0].shape;
    const Shape& k = specs[1].shape;
    const Shape& v = specs[2].shape;
    const bool heads_fit = attrs.n_head >= 1 && attrs.n_kv_head >= 1 && attrs.n_head % attrs.n_kv_head == 0;
    const bool fits = heads_fit && q.rank() == 3 && k.rank() == 3 && v.rank() == 3 && q[0] == k[0] && q[0] == v[0] &&
                      k[1] == v[1] && q[2] % attrs.n_head == 0 && v[2] % attrs.n_kv_head == 0 &&
                      q[2] / attrs.n_head * attrs.n_kv_head == k[2];
    if (!fits) {
      throw ShapeError(
          fmt::format("[row_attention] q must be (B, Tq, H D), k (B, Tk, Hkv D), v (B, Tk, Hkv Dv), H a multiple of "
                      "Hkv; got {}, {} and {} for {} and {} heads",
                      q.str(), k.str(), v.str(), attrs.n_head, attrs.n_kv_head));
    }
    if (specs[3].present && (specs[3].shape != Shape{q[0]} || specs[3].dtype != DType::i64)) {
      throw ShapeError(fmt::format("[row_attention] key_lengths must be i64 ({},); got {}", q[0], specs[3].str()));
    }
    check_borders("row_attention", specs[4], specs[3].present, q, k);
    check_options("row_attention", attrs.options);
    const Index out = v[2] / attrs.n_kv_head * attrs.n_head;
    return {{{{q[0], q[1], out}, specs[0].dtype}}, {{{q[0], attrs.n_head, q[1]}, specs[0].dtype}}};
  }

  /// @return heads of `width` channels in rows of (B, T, row).
  template <class T>
  static kernels::HeadView<T> heads(T* data, const Shape& shape, Index width) {
    return {data, shape[1] * shape[2], width, shape[2]};
  }

  template <class T>
  static kernels::AttentionArgs<T> arguments(std::span<const Tensor> in, const Attrs& attrs) {
    kernels::AttentionArgs<T> args;
    args.batch = in[0].size(0);
    args.heads = attrs.n_head;
    args.kv_heads = attrs.n_kv_head;
    args.q_len = in[0].size(1);
    args.k_len = in[1].size(1);
    args.head_dim = in[0].size(2) / attrs.n_head;
    args.value_dim = in[2].size(2) / attrs.n_kv_head;
    args.q = heads(in[0].data<T>(), in[0].shape(), args.head_dim);
    args.k = heads(in[1].data<T>(), in[1].shape(), args.head_dim);
    args.v = heads(in[2].data<T>(), in[2].shape(), args.value_dim);
    set_options(args, attrs.options);
    set_inputs(args, {}, in[3], {});
    return args;
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    auto args = arguments<T>(c.inputs, attrs);
    args.precision = c.precision;
    const Tensor scratch = attention_scratch(args);
    run_forward("row_attention", args, c.inputs[4],
                heads(c.outputs[0].mutable_data<T>(), c.outputs[0].shape(), args.value_dim), c.aux[0].mutable_data<T>(),
                scratch.raw());
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    auto args = arguments<T>(c.inputs, attrs);
    args.precision = c.precision;
    const Tensor scratch = attention_scratch(args);
    kernels::AttentionGradient<T> to[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const Index width = i == 2 ? args.value_dim : args.head_dim;
      if (c.wants(i)) to[i].to = heads(c.dins[i].mutable_data<T>(), c.dins[i].shape(), width);
    }
    run_backward(
        "row_attention", args, c.inputs[4], heads(c.outputs[0].data<T>(), c.outputs[0].shape(), args.value_dim),
        heads(c.douts[0].data<T>(), c.outputs[0].shape(), args.value_dim), c.aux[0].data<T>(), to, scratch.raw());
  }

  static std::vector<Tensor> compose(std::span<const Tensor> in, const Attrs& attrs) {
    if (in[4].defined()) {
      return {by_sequence(in[4], attrs.options, [&](Index begin, Index end, const AttentionOptions& options) {
        return row_attention(slice(in[0], 1, begin, end), slice(in[1], 1, begin, end), slice(in[2], 1, begin, end),
                             attrs.n_head, attrs.n_kv_head, options);
      })};
    }
    const auto split = [](const Tensor& x, Index count) {  // (B, T, H D) -> (B, H, T, D)
      return transpose(reshape(x, {x.size(0), x.size(1), count, -1}), 1, 2);
    };
    const Tensor out =
        scaled_dot_product_attention(split(in[0], attrs.n_head), split(in[1], attrs.n_kv_head),
                                     split(in[2], attrs.n_kv_head), attrs.options, {.key_lengths = in[3]});
    return {reshape(transpose(out, 1, 2), {in[0].size(0), in[0].size(1), -1})};
  }

  static std::vector<Sample> samples();

  static Cost cost(Specs specs, const Attrs& attrs) {
    const auto four = [](const Shape& x, Index count) { return Shape{x[0], count, x[1], x[2] / count}; };
    const auto elements =
        static_cast<double>(specs[0].shape.numel() * 2 + specs[1].shape.numel() + specs[2].shape.numel());
    return {attention_flops(four(specs[0].shape, attrs.n_head), four(specs[1].shape, attrs.n_kv_head),
                            four(specs[2].shape, attrs.n_kv_head), attrs.options.causal) *
                part_of_sequences(specs[4]),
            elements * static_cast<double>(size_of(specs[0].dtype))};
  }
};

std::vector<Sample> RowAttention::samples() {
  std::vector<Sample> made;
  const auto call = [&](const char* note, const Shape& q, const Shape& k, const Shape& v, const Attrs& attrs,
                        const Tensor& lengths = {}, bool valid = true, const Tensor& borders = {}) {
    made.push_back({.note = note,
                    .inputs = {sample_numbers(q, -1, 1, 1), sample_numbers(k, -1, 1, 2), sample_numbers(v, -1, 1, 3),
                               lengths, borders},
                    .attrs = AttrBox::of(attrs),
                    .valid = valid});
  };
  const AttentionOptions causal{.causal = true};
  call("causal", {2, 5, 8}, {2, 5, 8}, {2, 5, 8}, {2, 2, causal});
  call("grouped queries", {2, 6, 16}, {2, 6, 8}, {2, 6, 8}, {4, 2, causal});
  call("one key head, window", {1, 9, 12}, {1, 9, 4}, {1, 9, 4}, {3, 1, {.causal = true, .window = 3}});
  call("more keys, bottom right, another value width", {1, 3, 8}, {1, 7, 8}, {1, 7, 6},
       {2, 2, {.causal = true, .align = CausalAlign::kBottomRight}});
  call("key lengths", {3, 6, 8}, {3, 6, 4}, {3, 6, 4}, {2, 1, {}},
       Tensor::from<std::int64_t>(std::vector<std::int64_t>{1, 6, 3}, {3}));
  call("dropout", {2, 7, 12}, {2, 7, 12}, {2, 7, 12},
       {4, 4, {.causal = true, .dropout = 0.2, .random = {.seed = 1}, .first_batch = 3}});
  const Shape wide{1, 9, 16};
  const Shape narrow{1, 9, 8};
  call("borders, grouped queries", wide, narrow, narrow, {4, 2, causal}, {}, true, sample_borders({0, 3, 3, 4, 9}));
  call("borders, one key head, dropout", {1, 9, 12}, {1, 9, 4}, {1, 9, 4},
       {3, 1, {.causal = true, .dropout = 0.2, .random = {.seed = 1}, .first_batch = 3, .dropout_length = 8}}, {}, true,
       sample_borders({0, 7, 9}));
  call("a long sequence and short ones", {1, 264, 2}, {1, 264, 1}, {1, 264, 1}, {2, 1, causal}, {}, true,
       sample_borders({0, 4, 263, 264}));
  call("borders that do not begin at 0", wide, narrow, narrow, {4, 2, causal}, {}, false, sample_borders({1, 9}));
  call("borders of keys alone", {1, 8, 16}, narrow, narrow, {4, 2, causal}, {}, false, sample_borders({0, 9}));
  call("several tiles", {1, 150, 32}, {1, 150, 16}, {1, 150, 16}, {2, 1, causal});
  call("heads do not group", {1, 4, 12}, {1, 4, 8}, {1, 4, 8}, {3, 2, causal}, {}, false);
  call("widths differ", {1, 4, 12}, {1, 4, 8}, {1, 4, 8}, {2, 2, causal}, {}, false);
  call("batches differ", {1, 4, 8}, {2, 4, 8}, {2, 4, 8}, {2, 2, causal}, {}, false);
  return made;
}

}  // namespace
MINNOW_OP(row_attention, RowAttention);
}  // namespace ops

Tensor row_attention(const Tensor& q, const Tensor& k, const Tensor& v, Index n_head, Index n_kv_head,
                     const AttentionOptions& options, const Tensor& key_lengths, const Tensor& borders) {
  return apply_one(ops::op_row_attention, {q, k, v, key_lengths, borders},
                   ops::RowAttention::Attrs{n_head, n_kv_head, options});
}

}  // namespace minnow
