#include "minnow/optim/muon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "minnow/base/error.hpp"
#include "minnow/kernels/elementwise.hpp"
#include "minnow/kernels/gemm.hpp"
#include "minnow/kernels/optimizer_steps.hpp"
#include "optim/view.hpp"

namespace minnow {
namespace {

/// X, made orthogonal in place by Newton-Schulz steps.
template <class T>
class Orthogonal {
 public:
  Orthogonal(T* work, Index rows, Index cols)
      : rows_(rows), cols_(cols), small_(std::min(rows, cols)), x_(work), next_(x_ + rows * cols) {
    s_ = next_ + rows * cols;
    ss_ = s_ + small_ * small_;
  }

  T* x() { return x_; }

  void run(int iterations) {
    constexpr double kA = 3.4445;
    constexpr double kB = -4.7750;
    constexpr double kC = 2.0315;
    constexpr double kLeastNorm = 1e-7;
    const double norm = norm_of(x_, rows_ * cols_);
    kernels::scale(x_, static_cast<T>(1 / std::max(norm, kLeastNorm)), rows_ * cols_);
    for (int i = 0; i < iterations; ++i) {
      gram();
      kernels::gemm<T>({.m = small_,
                        .n = small_,
                        .k = small_,
                        .a = s_,
                        .lda = small_,
                        .b = s_,
                        .ldb = small_,
                        .c = ss_,
                        .ldc = small_});
      kernels::scale_add(s_, kB, ss_, kC, small_ * small_);  // P = b S + c S S
      kernels::scaled_copy(next_, static_cast<T>(kA), x_, rows_ * cols_);
      multiply();
      std::swap(x_, next_);
    }
  }

 private:
  static double norm_of(const T* x, Index n) {
    std::vector<double> slots(static_cast<std::size_t>(kernels::flat_chunks(n)));
    return std::sqrt(kernels::sum_of_squares(x, n, slots.data()));
  }

  /// S = X X^T, of tall matrices X^T X: the smaller one.
  void gram() {
    const bool tall = rows_ > cols_;
    kernels::gemm<T>({.m = small_,
                      .n = small_,
                      .k = tall ? rows_ : cols_,
                      .a = x_,
                      .lda = cols_,
                      .trans_a = tall,
                      .b = x_,
                      .ldb = cols_,
                      .trans_b = !tall,
                      .c = s_,
                      .ldc = small_});
  }

  /// next += P X, of tall matrices X P.
  void multiply() {
    const bool tall = rows_ > cols_;
    kernels::gemm<T>({.m = rows_,
                      .n = cols_,
                      .k = small_,
                      .a = tall ? x_ : s_,
                      .lda = tall ? cols_ : small_,
                      .b = tall ? s_ : x_,
                      .ldb = tall ? small_ : cols_,
                      .c = next_,
                      .ldc = cols_,
                      .add = true});
  }

  Index rows_, cols_, small_;
  T *x_, *next_, *s_, *ss_;
};

}  // namespace

Muon::Muon(FlatLayout layout, const MuonOptions& options, DType dtype)
    : Optimizer(std::move(layout), dtype), options_(options) {
  Index in_matrices = 0;
  Index in_rest = 0;
  for (const FlatPart& part : this->layout().parts) {
    if (part.matrix_rows.empty()) {
      rest_.push_back({part.begin, part.shape.numel(), in_rest, part.begin < this->layout().decayed});
      in_rest += part.shape.numel();
      continue;
    }
    Index at = part.begin;
    for (const Index rows : part.matrix_rows) {
      const Index cols = part.shape.rank() == 2 ? part.shape[1] : 0;
      matrices_.push_back({at, rows, cols, in_matrices, 0});
      at += rows * cols;
      in_matrices += rows * cols;
    }
    if (at != part.end()) {
      throw ShapeError(
          fmt::format("[muon] {} {} must consist of the matrices it is said to hold; got {} numbers in them", part.name,
                      part.shape.str(), at - part.begin));
    }
  }
  velocity_ = Tensor::zeros({in_matrices}, dtype);
  exp_avg_ = Tensor::zeros({in_rest}, dtype);
  exp_avg_sq_ = Tensor::zeros({in_rest}, dtype);
  plan_work();
}

/// Small matrices share the threads, each worked on by one; what is too large for that goes by itself.
void Muon::plan_work() {
  Index used = 0;
  Index most = 0;
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    const Index size = work_size(matrices_[i].rows, matrices_[i].cols);
    if (i == 0 || used + size > kWorkLimit) {
      batches_.push_back(static_cast<Index>(i));
      used = 0;
    }
    matrices_[i].work = used;
    used += size;
    most = std::max(most, used);
  }
  batches_.push_back(static_cast<Index>(matrices_.size()));
  work_ = Tensor::empty({most}, dtype());
}

void Muon::update(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) {
  with_float(dtype(), [&]<class T>(T) {
    const Buffers<T> buffers{parameters.mutable_data<T>(), gradients.data<T>(), velocity_.mutable_data<T>(),
                             work_.mutable_data<T>()};
    for (std::size_t i = 0; i + 1 < batches_.size(); ++i) {
      const Index first = batches_[i];
      const auto move = [&](Index k) {
        move_matrix(matrices_[static_cast<std::size_t>(first + k)], buffers, lr * options_.rate, grad_scale);
      };
      const Index count = batches_[i + 1] - first;
      count == 1 ? move(0) : parallel_chunks(count, move);
    }
    for (const Rest& rest : rest_) move_rest(rest, buffers, lr, grad_scale);
  });
}

template <class T>
void Muon::move_matrix(const Matrix& m, const Buffers<T>& in, double lr, double grad_scale) const {
  constexpr double kRmsOfAdamW = 0.2;
  const Index n = m.rows * m.cols;
  if (n == 0) return;
  Orthogonal<T> direction(in.work + m.work, m.rows, m.cols);
  kernels::muon_momentum(direction.x(), in.grad + m.begin, in.velocity + m.velocity, n, options_.momentum,
                         options_.nesterov, grad_scale);
  direction.run(options_.iterations);
  const auto rows = static_cast<double>(m.rows);
  const auto cols = static_cast<double>(m.cols);
  const double scale = options_.scale == MuonScale::kOriginal ? std::sqrt(std::max(1.0, rows / cols))
                                                              : kRmsOfAdamW * std::sqrt(std::max(rows, cols));
  kernels::scale_add(in.param + m.begin, 1 - lr * options_.weight_decay, direction.x(), -lr * scale, n);
}

template <class T>
void Muon::move_rest(const Rest& rest, const Buffers<T>& in, double lr, double grad_scale) {
  kernels::adamw_step(in.param + rest.begin, in.grad + rest.begin, exp_avg_.mutable_data<T>() + rest.moments,
                      exp_avg_sq_.mutable_data<T>() + rest.moments, rest.count,
                      {.lr = lr,
                       .beta1 = options_.rest.beta1,
                       .beta2 = options_.rest.beta2,
                       .eps = options_.rest.eps,
                       .weight_decay = rest.decays ? options_.rest.weight_decay : 0,
                       .step = steps(),
                       .grad_scale = grad_scale});
}

std::vector<Optimizer::Named> Muon::state() const {
  std::vector<Named> all;
  std::size_t matrix = 0;
  std::size_t rest = 0;
  for (const FlatPart& part : layout().parts) {
    FlatPart place = part;
    if (part.matrix_rows.empty()) {
      place.begin = rest_[rest++].moments;
      all.push_back({"exp_avg." + part.name, view_of(exp_avg_, place)});
      all.push_back({"exp_avg_sq." + part.name, view_of(exp_avg_sq_, place)});
    } else {
      place.begin = matrices_[matrix].velocity;
      matrix += part.matrix_rows.size();
      all.push_back({"momentum_buffer." + part.name, view_of(velocity_, place)});
    }
  }
  return all;
}

}  // namespace minnow
