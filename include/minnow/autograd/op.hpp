#pragma once
/// @file
/// Says what an operation is: one record of functions, made by make_op<O>() from a plain struct.

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/kernels/gemm.hpp"
#include "minnow/tensor/tensor.hpp"

namespace minnow {

/// What `minnow ops` and the error messages say about an operation.
struct OpDoc {
  std::string_view name;       ///< registry key, C++ name and PyTorch's name
  std::string_view signature;  ///< "softmax(x, axis) -> y"
  std::string_view formula;    ///< what it computes, in plain characters
  std::string_view source;     ///< paper, book or framework whose definition this is
};

/// Which tensors backward needs. Bit i of `inputs` saves input i, of `outputs` output i; auxiliary tensors (means,
/// log-sum-exps, masks) are always kept. What is not listed is not kept alive.
struct Saves {
  unsigned inputs = 0;
  unsigned outputs = 0;
};

using Specs = std::span<const TensorSpec>;

/// Result of shape inference.
struct Inferred {
  std::vector<TensorSpec> outputs;
  std::vector<TensorSpec> aux;  ///< tensors that forward writes for backward alone
};

/// Work of one forward call, for the operation benchmark and the profiler.
struct Cost {
  double flops = 0;
  double bytes = 0;  ///< memory that must be read and written at least once
};

/// The options of one call, without its type. Empty for operations without options.
class AttrBox {
 public:
  AttrBox() = default;
  template <class A>
  static AttrBox of(A attrs) {
    AttrBox box;
    box.held_ = std::make_shared<const A>(std::move(attrs));
    return box;
  }
  template <class A>
  [[nodiscard]] const A& as() const {
    return *static_cast<const A*>(held_.get());
  }

 private:
  std::shared_ptr<const void> held_;
};

/// What forward sees. Inputs are contiguous unless the operation declares kStrided; an absent optional input is an
/// undefined Tensor. Outputs and aux are allocated, not initialised.
struct ForwardContext {
  std::span<const Tensor> inputs;
  std::span<Tensor> outputs;
  std::span<Tensor> aux;  ///< empty with kAuxForBackward when no backward can follow
  kernels::GemmPrecision precision = kernels::GemmPrecision::kF32;  ///< of matrix products in f32
};

/// What backward sees.
struct BackwardContext {
  Specs specs;                      ///< of the inputs
  std::span<const Tensor> inputs;   ///< those listed in Saves, else undefined
  std::span<const Tensor> outputs;  ///< likewise
  std::span<const Tensor> aux;
  std::span<const Tensor> douts;  ///< gradients that come in, contiguous, one per output (zeros where none came)
  std::span<Tensor> dins;         ///< where to write the gradient of each input; undefined where none is wanted
  std::span<const char> add;      ///< not 0: add to dins[i] instead of assigning (only with kAddsNatively)
  kernels::GemmPrecision precision = kernels::GemmPrecision::kF32;  ///< as it was in forward
  [[nodiscard]] bool wants(std::size_t i) const { return dins[i].defined(); }
};

/// One example call, valid or not, from which all generated tests of an operation are made.
struct Sample {
  std::string note = {};            ///< what is special about it
  std::vector<Tensor> inputs = {};  ///< f64, i64 or bool; floats are converted for f32 tests
  AttrBox attrs = {};
  bool valid = true;                ///< false: ShapeError (or DataError) must come, naming the operation
  bool smooth = true;               ///< false: on a tie or kink, so no comparison with differences
  std::vector<char> constant = {};  ///< not 0: input i is no variable (a mask given as floats)
};

/// A record per operation: what the registry holds, the tape points to and the generated tests use.
struct Op {
  OpDoc doc;
  Saves saves;
  unsigned optional = 0;  ///< bit i: input i may be absent; an empty handle for any other is an error
  bool differentiable = true;
  bool adds_natively = false;     ///< backward can add into an existing gradient
  bool strided = false;           ///< forward takes inputs that are not contiguous
  bool aux_for_backward = false;  ///< forward needs no aux itself, so there is none when nothing is recorded
  Inferred (*infer)(Specs, const AttrBox&) = nullptr;
  void (*forward_f32)(const ForwardContext&, const AttrBox&) = nullptr;
  void (*forward_f64)(const ForwardContext&, const AttrBox&) = nullptr;
  void (*backward_f32)(const BackwardContext&, const AttrBox&) = nullptr;
  void (*backward_f64)(const BackwardContext&, const AttrBox&) = nullptr;
  Tensor (*view)(const Tensor&, const AttrBox&) = nullptr;  ///< of view operations, instead of forward
  Tensor (*view_backward)(const Tensor& dout, const TensorSpec& input, const AttrBox&) = nullptr;
  std::vector<Sample> (*samples)() = nullptr;
  Cost (*cost)(Specs, const AttrBox&) = nullptr;
  std::vector<Tensor> (*compose)(std::span<const Tensor>, const AttrBox&) = nullptr;  ///< of coarse operations
};

/// Options type of operations that have none.
struct NoAttrs {};

/// What every operation must bring; make_op demands it at compile time.
template <class O>
concept Described = requires(Specs specs, const typename O::Attrs& attrs) {
  { O::kDoc } -> std::convertible_to<OpDoc>;
  { O::samples() } -> std::same_as<std::vector<Sample>>;
  { O::cost(specs, attrs) } -> std::same_as<Cost>;
};

template <class O>
concept Computes = Described<O> && requires(Specs specs, const ForwardContext& f, const typename O::Attrs& attrs) {
  { O::infer(specs, attrs) } -> std::same_as<Inferred>;
  O::template forward<float>(f, attrs);
  O::template forward<double>(f, attrs);
};

template <class O>
concept Differentiates = Computes<O> && requires(const BackwardContext& b, const typename O::Attrs& attrs) {
  { O::kSaves } -> std::convertible_to<Saves>;
  O::template backward<float>(b, attrs);
  O::template backward<double>(b, attrs);
};

template <class O>
concept Views = Described<O> && requires(const Tensor& x, const TensorSpec& in, const typename O::Attrs& attrs) {
  { O::view(x, attrs) } -> std::same_as<Tensor>;
  { O::view_backward(x, in, attrs) } -> std::same_as<Tensor>;
};

template <class O>
concept Operation = Computes<O> || Views<O>;

/// @return the record of operation O. constexpr: needs no initialisation at start, so nothing depends on its order.
template <Operation O>
constexpr Op make_op() {
  using A = typename O::Attrs;
  Op op;
  op.doc = O::kDoc;
  op.samples = &O::samples;
  op.cost = [](Specs specs, const AttrBox& box) { return O::cost(specs, box.template as<A>()); };
  if constexpr (Views<O>) {
    op.strided = true;
    op.view = [](const Tensor& x, const AttrBox& box) { return O::view(x, box.template as<A>()); };
    op.view_backward = [](const Tensor& dout, const TensorSpec& in, const AttrBox& box) {
      return O::view_backward(dout, in, box.template as<A>());
    };
  } else {
    op.infer = [](Specs specs, const AttrBox& box) { return O::infer(specs, box.template as<A>()); };
    op.forward_f32 = [](const ForwardContext& c, const AttrBox& box) {
      O::template forward<float>(c, box.template as<A>());
    };
    op.forward_f64 = [](const ForwardContext& c, const AttrBox& box) {
      O::template forward<double>(c, box.template as<A>());
    };
    op.differentiable = Differentiates<O>;
  }
  if constexpr (Differentiates<O>) {
    op.saves = O::kSaves;
    op.backward_f32 = [](const BackwardContext& c, const AttrBox& box) {
      O::template backward<float>(c, box.template as<A>());
    };
    op.backward_f64 = [](const BackwardContext& c, const AttrBox& box) {
      O::template backward<double>(c, box.template as<A>());
    };
  }
  if constexpr (requires { O::kOptional; }) op.optional = O::kOptional;
  if constexpr (requires { O::kAddsNatively; }) op.adds_natively = O::kAddsNatively;
  if constexpr (requires { O::kAuxForBackward; }) op.aux_for_backward = O::kAuxForBackward;
  if constexpr (requires { O::kStrided; }) op.strided = O::kStrided;
  if constexpr (requires(std::span<const Tensor> in, const A& attrs) { O::compose(in, attrs); }) {
    op.compose = [](std::span<const Tensor> in, const AttrBox& box) { return O::compose(in, box.template as<A>()); };
  }
  return op;
}

/// Defines the record that the table of operations lists: `MINNOW_OP(exp, Exp)` in exp.cpp makes `op_exp`.
#define MINNOW_OP(name, type)          \
  extern const ::minnow::Op op_##name; \
  constinit const ::minnow::Op op_##name = ::minnow::make_op<type>()

/// Runs an operation and, when a gradient may be asked for, records it on this thread's tape.
/// @param inputs undefined tensors stand for absent inputs, where the operation has the bit of its `optional`
///   (`static constexpr unsigned kOptional = 0b100;`).
/// Throws: ShapeError from the operation's shape inference and for empty handles; NumericError in anomaly mode.
std::vector<Tensor> apply(const Op& op, std::span<const Tensor> inputs, const AttrBox& attrs);

/// As above for operations with one output.
Tensor apply_one(const Op& op, std::initializer_list<Tensor> inputs, const AttrBox& attrs);
template <class A>
Tensor apply_one(const Op& op, std::initializer_list<Tensor> inputs, A attrs) requires(!std::same_as<A, AttrBox>) {
  return apply_one(op, inputs, AttrBox::of(std::move(attrs)));
}

}  // namespace minnow
