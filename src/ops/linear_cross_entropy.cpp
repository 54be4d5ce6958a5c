#include "minnow/kernels/gemm.hpp"
#include "minnow/ops/linear.hpp"
#include "ops/cross_entropy.hpp"
#include "ops/norm_shape.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

// 64 MiB of f32 logits at a time: fewer rows would read and write the whole weight more often than they pay for.
constexpr Index kLogitsPerChunk = Index{1} << 24;
constexpr Index kLeastRows = 64;  // fewer would starve the product of work

struct LinearCrossEntropy {
  using Attrs = CrossEntropyOptions;
  static constexpr OpDoc kDoc{"linear_cross_entropy",
                              "linear_cross_entropy(x, weight, bias?, targets, options) -> loss",
                              "loss = cross_entropy(x weight^T + bias, targets), in chunks of rows",
                              "the head and the loss of a language model without its (B, T, V) logits"};
  static constexpr unsigned kOptional = 0b100;  // bias
  // aux: what the sum was divided by; where one chunk holds all rows, the gradient of the summed loss towards the
  // logits (rows, V), made while they are in the cache. Larger ones are computed again in backward.
  static constexpr Saves kSaves{.inputs = 0b1111};
  static constexpr bool kAddsNatively = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    check_loss("linear_cross_entropy", specs[0], specs[3], attrs);
    const Shape& weight = specs[1].shape;
    if (weight.rank() != 2 || weight[1] != specs[0].shape.back() ||
        (specs[2].present && specs[2].shape != Shape{weight[0]})) {
      throw ShapeError(
          fmt::format("[linear_cross_entropy] x must be (..., C), weight (V, C) and bias (V,); got {}, {} and {}",
                      specs[0].shape.str(), weight.str(), specs[2].present ? specs[2].shape.str() : "none"));
    }
    const Shape loss = attrs.reduction == Reduction::kNone ? specs[3].shape : Shape{};
    Inferred inferred{{{loss, specs[0].dtype}}, {{{}, DType::f64}}};
    if (keeps_gradient(specs[3].shape.numel(), weight[0], attrs))
      inferred.aux.push_back({{specs[3].shape.numel(), weight[0]}, specs[0].dtype});
    return inferred;
  }

  /// Whether forward leaves the gradient of the logits for backward. One loss per row is what evaluation asks for.
  static bool keeps_gradient(Index rows, Index classes, const Attrs& attrs) {
    return attrs.reduction != Reduction::kNone && rows <= rows_per_chunk(rows, classes);
  }
  static Index rows_per_chunk(Index rows, Index classes) {
    return std::min(rows, std::max(kLeastRows, kLogitsPerChunk / std::max<Index>(1, classes)));
  }

  /// Rows of one chunk and the places they are worked on.
  template <class T>
  struct Chunks {
    const Tensor& x;
    const Tensor& weight;
    const Tensor& bias;
    kernels::GemmPrecision precision;
    Index rows;          ///< of the targets: x says nothing about them where it has no columns
    Tensor logits = {};  ///< (chunk, V); made here unless given
    Index width = x.size(-1), classes = weight.size(0);
    Index chunk = rows_per_chunk(rows, classes);
    Tensor scratch = Tensor::empty({kernels::cross_entropy_scratch_size(chunk)}, DType::f64);

    /// Calls `body(first, count)` for each chunk after its logits are made.
    template <class Body>
    void run(Body&& body) {
      if (!logits.defined()) logits = Tensor::empty({chunk, classes}, dtype_of<T>);
      for (Index first = 0; first < rows; first += chunk) {
        const Index count = std::min(chunk, rows - first);
        kernels::GemmArgs<T> args{.m = count,
                                  .n = classes,
                                  .k = width,
                                  .a = x.data<T>() + first * width,
                                  .lda = width,
                                  .b = weight.data<T>(),
                                  .ldb = width,
                                  .trans_b = true,
                                  .c = logits.mutable_data<T>(),
                                  .ldc = classes,
                                  .precision = precision};
        args.epilogue.bias = optional_data<T>(bias);
        kernels::gemm(args);
        body(first, count);
      }
    }
    template <class Id>
    kernels::CrossEntropy<T, Id> arguments(const Id* targets, Index first, Index count, const Attrs& attrs) {
      kernels::CrossEntropy<T, Id> args;
      args.logits = logits.data<T>();
      args.targets = targets + first;
      args.scratch = scratch.mutable_data<double>();
      args.label_smoothing = attrs.label_smoothing;
      args.rows = count;
      args.classes = classes;
      args.ignore_index = attrs.ignore_index;
      return args;
    }
  };

  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    const bool keeps = c.aux.size() > 1;
    Chunks<T> chunks{c.inputs[0], c.inputs[1],         c.inputs[2],
                     c.precision, c.inputs[3].numel(), keeps ? c.aux[1] : Tensor()};
    const bool each = attrs.reduction == Reduction::kNone;
    double loss = 0;
    double weight = 0;
    with_ids(c.inputs[3], [&](const auto* targets) {
      chunks.run([&](Index first, Index count) {
        auto args = chunks.arguments(targets, first, count, attrs);
        if (each) args.row_loss = c.outputs[0].template mutable_data<T>() + first;
        if (keeps) args.dlogits = chunks.logits.template mutable_data<T>();  // in place
        const kernels::CrossEntropyTotal total = kernels::cross_entropy(args);
        if (total.bad_row >= 0)
          refuse_bad_target("linear_cross_entropy", first + total.bad_row, targets, chunks.classes, attrs);
        loss += total.loss;
        weight += total.weight;
      });
    });
    const double divisor = each ? 1 : divisor_of(attrs, weight);
    if (!each) *c.outputs[0].mutable_data<T>() = static_cast<T>(divisor == 0 ? 0 : loss / divisor);
    *c.aux[0].mutable_data<double>() = divisor;
  }

  /// Adds what `count` rows from `first` on give: dx = scale dlogits W, dW += scale dlogits^T x, db += scale sum
  /// dlogits.
  template <class T>
  static void add_rows(const BackwardContext& c, const T* dlogits, Index first, Index count, T scale) {
    const Index classes = c.specs[1].shape[0];
    const Index width = c.specs[1].shape[1];
    std::vector<kernels::GemmArgs<T>> products;
    if (c.wants(0)) {
      products.push_back({.m = count,
                          .n = width,
                          .k = classes,
                          .a = dlogits,
                          .lda = classes,
                          .b = c.inputs[1].data<T>(),
                          .ldb = width,
                          .c = c.dins[0].mutable_data<T>() + first * width,
                          .ldc = width,
                          .add = c.add[0] != 0,
                          .alpha = scale,
                          .precision = c.precision});
    }
    if (c.wants(1)) {
      products.push_back({.m = classes,
                          .n = width,
                          .k = count,
                          .a = dlogits,
                          .lda = classes,
                          .trans_a = true,
                          .b = c.inputs[0].data<T>() + first * width,
                          .ldb = width,
                          .c = c.dins[1].mutable_data<T>(),
                          .ldc = width,
                          .add = c.add[1] != 0 || first > 0,
                          .alpha = scale,
                          .precision = c.precision});
    }
    std::vector<kernels::ColumnSum<T>> sums;
    if (c.wants(2))
      sums.push_back({dlogits, count, classes, c.dins[2].mutable_data<T>(), c.add[2] != 0 || first > 0, scale});
    kernels::gemm_group<T>(products, sums);
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const double divisor = *c.aux[0].data<double>();
    const Index rows = c.specs[3].shape.numel();
    if (divisor == 0 || rows == 0) {
      for (std::size_t i = 0; i < 3; ++i)
        if (c.wants(i) && c.add[i] == 0) c.dins[i].fill(0);
      return;
    }
    const bool each = attrs.reduction == Reduction::kNone;
    const T scale = each ? T(1) : static_cast<T>(static_cast<double>(*c.douts[0].data<T>()) / divisor);
    if (c.aux.size() > 1) {
      add_rows(c, c.aux[1].data<T>(), 0, rows, scale);
      return;
    }
    Chunks<T> chunks{c.inputs[0], c.inputs[1], c.inputs[2], c.precision, c.inputs[3].numel()};
    with_ids(c.inputs[3], [&](const auto* targets) {
      chunks.run([&](Index first, Index count) {
        auto args = chunks.arguments(targets, first, count, attrs);
        T* dlogits = chunks.logits.template mutable_data<T>();
        args.dlogits = dlogits;  // in place
        if (each) args.row_scale = c.douts[0].data<T>() + first;
        (void)kernels::cross_entropy(args);
        add_rows<T>(c, dlogits, first, count, scale);
      });
    });
  }

  static std::vector<Tensor> compose(std::span<const Tensor> in, const Attrs& attrs) {
    return {cross_entropy(linear(in[0], in[1], in[2]), in[3], attrs)};
  }

  static std::vector<Sample> samples() {
    const Tensor x = sample_numbers({2, 5, 6}, -1, 1);
    const Tensor weight = sample_numbers({9, 6}, -1, 1, 1);
    const Tensor bias = sample_numbers({9}, -1, 1, 2);
    Tensor some = sample_ids({2, 5}, 0, 9);
    some.mutable_data<std::int64_t>()[3] = -100;
    const auto with = [](Attrs attrs) { return AttrBox::of(attrs); };
    return {
        {.note = "mean", .inputs = {x, weight, {}, some}, .attrs = with({})},
        {.note = "bias, sum, smoothed",
         .inputs = {x, weight, bias, some},
         .attrs = with({.reduction = Reduction::kSum, .label_smoothing = 0.1})},
        {.note = "divisor, i32", .inputs = {x, weight, bias, some.to(DType::i32)}, .attrs = with({.divisor = 20})},
        {.note = "all ignored", .inputs = {x, weight, bias, Tensor::full({2, 5}, -100, DType::i64)}, .attrs = with({})},
        {.note = "several chunks",
         .inputs =
             {sample_numbers({70, 2}, -1, 1), sample_numbers({270000, 2}, -1, 1), {}, sample_ids({70}, 0, 270000)},
         .attrs = with({}),
         .smooth = false},
        {.note = "target too large",
         .inputs = {x, weight, {}, Tensor::full({2, 5}, 9, DType::i64)},
         .attrs = with({}),
         .valid = false},
        {.note = "each row by itself", .inputs = {x, weight, {}, some}, .attrs = with({.reduction = Reduction::kNone})},
        {.note = "weight of another width",
         .inputs = {x, sample_numbers({9, 5}, -1, 1), {}, some},
         .attrs = with({}),
         .valid = false}};
  }

  static Cost cost(Specs specs, const Attrs&) {
    const auto rows = static_cast<double>(specs[3].shape.numel());
    const auto weight = static_cast<double>(specs[1].shape.numel());
    const double logits = rows * static_cast<double>(specs[1].shape[0]);  // written once, whether in chunks or whole
    return {2 * rows * weight, (weight + static_cast<double>(specs[0].shape.numel()) + logits) *
                                   static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(linear_cross_entropy, LinearCrossEntropy);
}  // namespace ops

Tensor linear_cross_entropy(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& targets,
                            const CrossEntropyOptions& options) {
  return apply_one(ops::op_linear_cross_entropy, {x, weight, bias, targets}, options);
}

}  // namespace minnow
