#include "minnow/kernels/adafactor.hpp"

#include <cmath>

#include "kernels/row_chunks.hpp"
#include "minnow/kernels/optimizer.hpp"

namespace minnow::kernels {
namespace {

double square(double x) { return x * x; }

/// @return sum over [0, n) of term(i), by chunks added in their order.
template <class Term>
double sum_of(Index n, double* slots, Term&& term) {
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index chunk) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += term(i);
    slots[chunk] = sum;
  });
  double total = 0;
  for (Index chunk = 0; chunk < flat_chunks(n); ++chunk) total += slots[chunk];
  return total;
}

/// mean += weight (fresh - mean).
template <class T>
void move_mean(T& mean, double fresh, double weight) {
  mean = static_cast<T>(mean + weight * (fresh - mean));
}

/// Moves the running means of rows and columns. @param slots column sums of each chunk of rows, then their fold
template <class T>
void move_means(const T* grad, T* row, T* col, Index rows, Index cols, const AdafactorStep& a, double* slots) {
  parallel_ranges(rows, rows_per_slot(rows, cols), [&](Index begin, Index end, Index slot) {
    double* sums = slots + slot * cols;
    std::fill(sums, sums + cols, 0.0);
    for (Index r = begin; r < end; ++r) {
      double along = 0;
      for (Index c = 0; c < cols; ++c) {
        const double g = square(a.grad_scale * grad[r * cols + c]);
        along += g;
        sums[c] += g;
      }
      move_mean(row[r], along / static_cast<double>(cols), a.new_weight);
    }
  });
  const Index count = slots_of(rows, cols);
  double* totals = slots + count * cols;
  fold_slots(totals, slots, count, cols, cols, false);
  for (Index c = 0; c < cols; ++c) move_mean(col[c], totals[c] / static_cast<double>(rows), a.new_weight);
}

}  // namespace

Index adafactor_scratch_size(Index rows, Index cols) {
  return std::max(flat_chunks(rows * cols), (slots_of(rows, cols) + 1) * cols);
}

template <class T>
void adafactor_step(T* param, const T* grad, T* row, T* col, Index rows, Index cols, const AdafactorStep& a,
                    double* scratch) {
  const Index n = rows * cols;
  if (n == 0) return;
  const auto count = static_cast<double>(n);
  double mean_row = 1;
  if (row != nullptr) {
    move_means(grad, row, col, rows, cols, a, scratch);
    double total = 0;
    for (Index r = 0; r < rows; ++r) total += static_cast<double>(row[r]);
    mean_row = std::max(total / static_cast<double>(rows), a.eps1);
  } else {
    for (Index i = 0; i < n; ++i) move_mean(col[i], square(a.grad_scale * grad[i]), a.new_weight);
  }
  const double size = std::sqrt(sum_of(n, scratch, [&](Index i) { return square(param[i]); }) / count);
  const double least = square(a.eps1);
  const auto update = [&](Index i) {
    const double v = row == nullptr
                         ? static_cast<double>(col[i])
                         : static_cast<double>(row[i / cols]) * static_cast<double>(col[i % cols]) / mean_row;
    return a.grad_scale * grad[i] / std::sqrt(std::max(v, least));
  };
  const double rms = std::sqrt(sum_of(n, scratch, [&](Index i) { return square(update(i)); }) / count);
  const double rate = std::max(a.eps2, size) * a.relative / std::max(1.0, rms / a.clip);
  const double decay = 1 - a.lr * a.weight_decay;
  parallel_ranges(n, kFlatChunk, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) param[i] = static_cast<T>(param[i] * decay - rate * update(i));
  });
}

template void adafactor_step<float>(float*, const float*, float*, float*, Index, Index, const AdafactorStep&, double*);
template void adafactor_step<double>(double*, const double*, double*, double*, Index, Index, const AdafactorStep&,
                                     double*);

}  // namespace minnow::kernels
