#include "minnow/ops/dropout.hpp"

#include <fmt/format.h>

#include "minnow/base/error.hpp"
#include "minnow/kernels/dropout.hpp"
#include "ops/samples.hpp"

namespace minnow {
namespace ops {
namespace {

struct Dropout {
  struct Attrs {
    double p = 0;
    RandomKey key = {};
    std::uint64_t first_element = 0;
  };
  static constexpr OpDoc kDoc{"dropout", "dropout(x, p, key, first_element) -> y",
                              "y = x * keep(key, element) / (1 - p)",
                              "Srivastava et al. 2014, Dropout; masks from Philox 4x32-10"};
  static constexpr Saves kSaves{};  // the mask is drawn again
  static constexpr bool kAddsNatively = true;

  static Inferred infer(Specs specs, const Attrs& attrs) {
    if (!(attrs.p >= 0 && attrs.p <= 1))
      throw ShapeError(fmt::format("[dropout] p must lie in [0, 1]; got {}", attrs.p));
    return {{specs[0]}, {}};
  }
  template <class T>
  static void forward(const ForwardContext& c, const Attrs& attrs) {
    kernels::dropout<T>(c.outputs[0].mutable_data<T>(), c.inputs[0].data<T>(), nullptr, c.inputs[0].numel(), attrs.p,
                        attrs.key, attrs.first_element);
  }
  template <class T>
  static void backward(const BackwardContext& c, const Attrs& attrs) {
    const T* dout = c.douts[0].data<T>();
    T* dx = c.dins[0].mutable_data<T>();
    if (c.add[0] != 0) {
      kernels::dropout_add<T>(dx, dout, c.dins[0].numel(), attrs.p, attrs.key, attrs.first_element);
    } else {
      kernels::dropout<T>(dx, dout, nullptr, c.dins[0].numel(), attrs.p, attrs.key, attrs.first_element);
    }
  }
  static std::vector<Sample> samples() {
    const auto at = [](double p, std::uint64_t first) {
      return AttrBox::of(Attrs{p, {.seed = 3, .stream = 5, .step = 7}, first});
    };
    return {{.note = "p = 0.3", .inputs = {sample_numbers({5, 7}, -1, 1)}, .attrs = at(0.3, 0)},
            {.note = "odd first element", .inputs = {sample_numbers({41}, -1, 1)}, .attrs = at(0.5, 13)},
            {.note = "many", .inputs = {sample_numbers({100, 333}, -1, 1)}, .attrs = at(0.1, 2)},
            {.note = "p = 0", .inputs = {sample_numbers({5}, -1, 1)}, .attrs = at(0, 0)},
            {.note = "p = 1", .inputs = {sample_numbers({5}, -1, 1)}, .attrs = at(1, 0)},
            {.note = "p = 1.5", .inputs = {sample_numbers({5}, -1, 1)}, .attrs = at(1.5, 0), .valid = false}};
  }
  static Cost cost(Specs specs, const Attrs&) {
    const auto n = static_cast<double>(specs[0].shape.numel());
    return {n, 2 * n * static_cast<double>(size_of(specs[0].dtype))};
  }
};

}  // namespace
MINNOW_OP(dropout, Dropout);
}  // namespace ops

Tensor dropout(const Tensor& x, double p, const RandomKey& key, std::uint64_t first_element) {
  if (p == 0) return x;
  return apply_one(ops::op_dropout, {x}, ops::Dropout::Attrs{p, key, first_element});
}

}  // namespace minnow
