#include "minnow/kernels/cross_entropy.hpp"

#include <cmath>

// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cross_entropy.cpp"
#include "hwy/foreach_target.h"
#include "kernels/simd_math.hpp"
// clang-format on
#include "kernels/reference/cross_entropy.hpp"
#include "kernels/row_chunks.hpp"

HWY_BEFORE_NAMESPACE();
namespace minnow::kernels::HWY_NAMESPACE {

struct Smoothing {
  double weights;   // sum of the class weights
  double weighted;  // sum of class weight * (lse - logit)
};

// A class of weight 0 counts nothing even where its logit is -inf.
HWY_INLINE Smoothing smoothing_sums(const CrossEntropyRow<float>& row, float top, float log_sum) {
  Sums weights;
  Sums weighted;
  const V top_v = set(top);
  const V log_sum_v = set(log_sum);
  for_vectors(row.n, [&](Index i, Index k, Index count) MINNOW_LAMBDA {
    // Past the end: logit = lse, weight 0.
    const V logit = load(row.logits + i, count, top);
    const V one = load(row.logits + i, count, __builtin_inff());
    const V w = row.class_weight != nullptr ? load(row.class_weight + i, count)
                : count == kLanes           ? set(1.0F)
                                            : hn::IfThenZeroElse(hn::Eq(one, set(__builtin_inff())), set(1.0F));
    const V minus_log_p = hn::Add(hn::Sub(top_v, logit), log_sum_v);
    weights.add(k, w);
    weighted.add(k, hn::IfThenZeroElse(hn::Eq(w, hn::Zero(D())), hn::Mul(w, minus_log_p)));
  });
  return {weights.total(), weighted.total()};
}

double cross_entropy_float_row(const CrossEntropyRow<float>& row) {
  const float top = row_max(row.logits, row.n);
  float* d = row.dlogits;
  if (top == -__builtin_inff()) {
    if (d != nullptr) map1<false>(d, row.logits, row.n, [](V) MINNOW_LAMBDA { return hn::Zero(D()); });
    return __builtin_inf();
  }
  const double target_logit = row.logits[row.target];
  const bool smooth = row.smoothing > 0;
  Smoothing sums = {static_cast<double>(row.n), 0};
  float sum = 0;
  if (smooth) {
    // Its sums need the logits, which the gradient may overwrite: one more pass.
    sum = exp_sum<false>(nullptr, row.logits, top, row.n);
    sums = smoothing_sums(row, top, std::log(sum));
    if (d != nullptr) exp_sum<true>(d, row.logits, top, row.n);
  } else {
    sum = d != nullptr ? exp_sum<true>(d, row.logits, top, row.n) : exp_sum<false>(nullptr, row.logits, top, row.n);
  }
  const double log_p = target_logit - top - std::log(static_cast<double>(sum));
  const double loss = cross_entropy_loss(row, log_p, sums.weighted);
  if (d == nullptr) return loss;
  const double share = smooth ? row.smoothing / static_cast<double>(row.n) : 0;
  const double weight = row.class_weight != nullptr ? row.class_weight[row.target] : 1.0F;
  const double target_part = (1 - row.smoothing) * weight;
  const V factor = set(static_cast<float>(row.scale * (target_part + share * sums.weights) / sum));
  if (smooth) {
    const V each = set(static_cast<float>(row.scale * share));
    for_vectors(row.n, [&](Index i, Index, Index count) MINNOW_LAMBDA {
      const V w = row.class_weight != nullptr ? load(row.class_weight + i, count) : set(1.0F);
      store(hn::NegMulAdd(each, w, hn::Mul(load(d + i, count), factor)), d + i, count);
    });
  } else {
    map1<false>(d, d, row.n, [&](V e) MINNOW_LAMBDA { return hn::Mul(e, factor); });
  }
  d[row.target] -= static_cast<float>(row.scale * target_part);
  return loss;
}

}  // namespace minnow::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace minnow::kernels {

HWY_EXPORT(cross_entropy_float_row);

namespace {

double row_loss(const CrossEntropyRow<float>& row) { return HWY_DYNAMIC_DISPATCH(cross_entropy_float_row)(row); }
double row_loss(const CrossEntropyRow<double>& row) { return reference::cross_entropy_row(row); }

// What a chunk of rows leaves in scratch.
struct Slot {
  double loss;
  double weight;
  double counted;
  double bad_row;
};
constexpr Index kSlotSize = 4;

// The work depends on rows alone so that the scratch size does.
constexpr Index kRows = 16;

template <class T, class Id>
Slot run_rows(const CrossEntropy<T, Id>& a, Index begin, Index end) {
  Slot slot = {0, 0, 0, -1};
  for (Index row = begin; row < end; ++row) {
    const auto target = static_cast<std::int64_t>(a.targets[row]);
    const bool ignored = target == a.ignore_index;
    const bool bad = !ignored && (target < 0 || target >= a.classes);
    T* dlogits = a.dlogits != nullptr ? a.dlogits + row * a.classes : nullptr;
    if (bad && slot.bad_row < 0) slot.bad_row = static_cast<double>(row);
    if (ignored || bad) {
      if (a.row_loss != nullptr) a.row_loss[row] = 0;
      if (dlogits != nullptr) std::fill(dlogits, dlogits + a.classes, T(0));
      continue;
    }
    const double scale = a.grad_scale * (a.row_scale != nullptr ? static_cast<double>(a.row_scale[row]) : 1.0);
    const double loss = row_loss(CrossEntropyRow<T>{a.logits + row * a.classes, dlogits, a.class_weight, a.classes,
                                                    target, a.label_smoothing, scale});
    if (a.row_loss != nullptr) a.row_loss[row] = static_cast<T>(loss);
    slot.loss += loss;
    slot.weight += a.class_weight != nullptr ? static_cast<double>(a.class_weight[target]) : 1.0;
    slot.counted += 1;
  }
  return slot;
}

}  // namespace

Index cross_entropy_scratch_size(Index rows) { return kSlotSize * ((rows + kRows - 1) / kRows); }

template <class T, class Id>
CrossEntropyTotal cross_entropy(const CrossEntropy<T, Id>& args) {
  parallel_ranges(args.rows, kRows, [&](Index begin, Index end, Index chunk) {
    const Slot slot = run_rows(args, begin, end);
    double* out = args.scratch + kSlotSize * chunk;
    out[0] = slot.loss;
    out[1] = slot.weight;
    out[2] = slot.counted;
    out[3] = slot.bad_row;
  });
  CrossEntropyTotal total;
  for (Index at = 0; at < cross_entropy_scratch_size(args.rows); at += kSlotSize) {
    total.loss += args.scratch[at];
    total.weight += args.scratch[at + 1];
    total.counted += static_cast<Index>(args.scratch[at + 2]);
    if (total.bad_row < 0) total.bad_row = static_cast<Index>(args.scratch[at + 3]);
  }
  return total;
}

template CrossEntropyTotal cross_entropy(const CrossEntropy<float, std::int32_t>&);
template CrossEntropyTotal cross_entropy(const CrossEntropy<float, std::int64_t>&);
template CrossEntropyTotal cross_entropy(const CrossEntropy<double, std::int32_t>&);
template CrossEntropyTotal cross_entropy(const CrossEntropy<double, std::int64_t>&);

}  // namespace minnow::kernels
#endif  // HWY_ONCE
