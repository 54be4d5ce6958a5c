#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/ops/linear.hpp"
#include "ops/reduce_to.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

/// The sizes of a product after one-dimensional operands got their axis.
struct Product {
  Shape batch_a, batch_b, batch;  // leading axes
  Index m = 1, k = 1, n = 1;
  Shape out;

  Product(const Shape& a, const Shape& b) {
    const auto fail = [&] {
      throw ShapeError(
          fmt::format("[matmul] the last axis of a must equal the last but one of b; got {} and {}", a.str(), b.str()));
    };
    if (a.rank() == 0 || b.rank() == 0) fail();
    for (Index axis = 0; axis + 2 < a.rank(); ++axis) batch_a.push_back(a[axis]);
    for (Index axis = 0; axis + 2 < b.rank(); ++axis) batch_b.push_back(b[axis]);
    if (a.rank() > 1) m = a[a.rank() - 2];
    if (b.rank() > 1) n = b.back();
    k = a.back();
    if (k != (b.rank() > 1 ? b[b.rank() - 2] : b.back())) fail();
    batch = broadcast(batch_a, batch_b, "matmul");
    out = batch;
    if (a.rank() > 1) out.push_back(m);
    if (b.rank() > 1) out.push_back(n);
  }

  /// @return where each matrix of a broadcast operand begins, in elements.
  [[nodiscard]] std::vector<Index> offsets(const Shape& of, Index elements) const {
    const StridedLoop<1> loop(batch, {broadcast_strides(of, of.contiguous_strides(), batch)});
    std::vector<Index> result;
    for (Index row = 0; row < loop.outer(); ++row) {
      for (Index i = 0; i < loop.inner(); ++i)
        result.push_back((loop.row_offset(0, row) + i * loop.inner_stride(0)) * elements);
    }
    return result;
  }
};

struct Matmul {
  using Attrs = NoAttrs;
  static constexpr OpDoc kDoc{"matmul", "matmul(a, b) -> y", "y[..., i, j] = sum_k a[..., i, k] b[..., k, j]",
                              "NumPy matmul"};
  static constexpr Saves kSaves{.inputs = 0b11};

  static Inferred infer(Specs specs, const Attrs&) {
    return {{{Product(specs[0].shape, specs[1].shape).out, specs[0].dtype}}, {}};
  }

  template <class T>
  static void forward(const ForwardContext& c, const Attrs&) {
    const Product p(c.inputs[0].shape(), c.inputs[1].shape());
    const T* a = c.inputs[0].data<T>();
    const T* b = c.inputs[1].data<T>();
    T* y = c.outputs[0].mutable_data<T>();
    if (p.batch_b.empty()) {  // all rows of a meet one b: a single product
      kernels::gemm<T>({.m = p.batch.numel() * p.m,
                        .n = p.n,
                        .k = p.k,
                        .a = a,
                        .lda = p.k,
                        .b = b,
                        .ldb = p.n,
                        .c = y,
                        .ldc = p.n,
                        .precision = c.precision});
      return;
    }
    batched<T>(p,
               {.m = p.m,
                .n = p.n,
                .k = p.k,
                .a = a,
                .lda = p.k,
                .b = b,
                .ldb = p.n,
                .c = y,
                .ldc = p.n,
                .precision = c.precision},
               p.offsets(p.batch_a, p.m * p.k), p.offsets(p.batch_b, p.k * p.n));
  }

  template <class T>
  static void backward(const BackwardContext& c, const Attrs&) {
    const Product p(c.specs[0].shape, c.specs[1].shape);
    const T* a = c.inputs[0].data<T>();
    const T* b = c.inputs[1].data<T>();
    const T* dy = c.douts[0].data<T>();
    const std::vector<Index> at_y = p.offsets(p.batch, p.m * p.n);
    if (c.wants(0)) {  // da = dy b^T
      Full<T> da(c.dins[0], p.batch, p.batch_a, {p.m, p.k});
      batched<T>(p,
                 {.m = p.m,
                  .n = p.k,
                  .k = p.n,
                  .a = dy,
                  .lda = p.n,
                  .b = b,
                  .ldb = p.n,
                  .trans_b = true,
                  .c = da.data(),
                  .ldc = p.k,
                  .precision = c.precision},
                 at_y, p.offsets(p.batch_b, p.k * p.n));
      da.finish();
    }
    if (!c.wants(1)) return;
    if (p.batch_b.empty()) {  // db = a^T dy, over all rows at once
      kernels::gemm<T>({.m = p.k,
                        .n = p.n,
                        .k = p.batch.numel() * p.m,
                        .a = a,
                        .lda = p.k,
                        .trans_a = true,
                        .b = dy,
                        .ldb = p.n,
                        .c = c.dins[1].mutable_data<T>(),
                        .ldc = p.n,
                        .precision = c.precision});
      return;
    }
    Full<T> db(c.dins[1], p.batch, p.batch_b, {p.k, p.n});
    batched<T>(p,
               {.m = p.k,
                .n = p.n,
                .k = p.m,
                .a = a,
                .lda = p.k,
                .trans_a = true,
                .b = dy,
                .ldb = p.n,
                .c = db.data(),
                .ldc = p.n,
                .precision = c.precision},
               p.offsets(p.batch_a, p.m * p.k), at_y);
    db.finish();
  }

  static std::vector<Sample> samples() {
    const std::pair<Shape, Shape> shapes[] = {{{2, 3}, {3, 4}},    {{1, 5}, {5, 1}},     {{2, 4, 3}, {2, 3, 5}},
                                              {{2, 4, 3}, {3, 5}}, {{4, 3}, {2, 3, 5}},  {{2, 1, 4, 3}, {3, 3, 2}},
                                              {{3}, {3}},          {{3}, {3, 2}},        {{2, 3}, {3}},
                                              {{2, 4, 3}, {3}},    {{3}, {2, 3, 4}},     {{2, 0}, {0, 3}},
                                              {{0, 3}, {3, 2}},    {{33, 65}, {65, 17}}, {{150, 70}, {70, 130}}};
    std::vector<Sample> made;
    for (const auto& [a, b] : shapes) {
      made.push_back({.note = a.str() + " times " + b.str(),
                      .inputs = {sample_numbers(a, -1, 1, 1), sample_numbers(b, -1, 1, 2)},
                      .attrs = AttrBox::of(Attrs{})});
    }
    for (const auto& [a, b] : {std::pair<Shape, Shape>{{2, 3}, {4, 3}}, {{}, {2}}, {{2, 4, 3}, {3, 3, 5}}}) {
      made.push_back({.note = a.str() + " times " + b.str(),
                      .inputs = {sample_numbers(a, -1, 1), sample_numbers(b, -1, 1)},
                      .attrs = AttrBox::of(Attrs{}),
                      .valid = false});
    }
    return made;
  }

  static Cost cost(Specs specs, const Attrs&) {
    const Product p(specs[0].shape, specs[1].shape);
    const auto item = static_cast<double>(size_of(specs[0].dtype));
    const auto elements = static_cast<double>(specs[0].shape.numel() + specs[1].shape.numel() + p.out.numel());
    return {2.0 * static_cast<double>(p.batch.numel() * p.m) * static_cast<double>(p.n * p.k), elements * item};
  }

 private:
  /// A gradient before the sum over the batch axes that were broadcast.
  template <class T>
  class Full {
   public:
    Full(const Tensor& target, const Shape& batch, const Shape& own, std::initializer_list<Index> matrix)
        : target_(target) {
      full_ = Shape(batch);
      own_ = Shape(own);
      for (Index size : matrix) {
        full_.push_back(size);
        own_.push_back(size);
      }
      tensor_ = full_.numel() == target.numel() ? target : Tensor::empty(full_, dtype_of<T>);
    }
    T* data() { return tensor_.mutable_data<T>(); }
    void finish() {
      if (!tensor_.is(target_))
        sum_to<T>(tensor_, target_.as_strided(own_, own_.contiguous_strides(), target_.offset()));
    }

   private:
    Tensor target_, tensor_;
    Shape full_, own_;
  };

  template <class T>
  static void batched(const Product& p, const kernels::GemmArgs<T>& args, const std::vector<Index>& at_a,
                      const std::vector<Index>& at_b) {
    kernels::GemmBatch<T> batch;
    batch.count = p.batch.numel();
    batch.offsets_a = at_a.data();
    batch.offsets_b = at_b.data();
    batch.stride_c = args.m * args.n;
    kernels::gemm_batch(args, batch);
  }
};

}  // namespace
MINNOW_OP(matmul, Matmul);
}  // namespace ops

Tensor matmul(const Tensor& a, const Tensor& b) { return apply_one(ops::op_matmul, {a, b}, NoAttrs{}); }

}  // namespace minnow
