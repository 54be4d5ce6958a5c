#pragma once
/// @file
/// Muon for the matrices inside the blocks, AdamW for everything else.

#include "minnow/optim/adamw.hpp"
#include "minnow/optim/optimizer.hpp"

namespace minnow {

/// How long an orthogonal update is made.
enum class MuonScale {
  kMatchRms,  ///< 0.2 sqrt(max(rows, columns)): about as large as AdamW's updates, so its rates and decay fit
  kOriginal,  ///< sqrt(max(1, rows / columns))
};

struct MuonOptions {
  double rate = 1;  ///< learning rate of the matrices as a multiple of AdamW's
  double momentum = 0.95;
  bool nesterov = true;
  int iterations = 5;  ///< Newton-Schulz steps
  MuonScale scale = MuonScale::kMatchRms;
  double weight_decay = 0;  ///< decoupled, of the matrices, with their unscaled rate
  AdamWOptions rest = {};   ///< of all other parameters
};

/// Parameters with matrix_rows are moved matrix by matrix along their momentum made orthogonal: U = X / |X| with
/// X = momentum, then `iterations` times X = a X + (b S + c S S) X with S = X X^T, (a, b, c) = (3.4445,
/// -4.7750, 2.0315). In the precision of the parameters; PyTorch iterates in bf16. Source: Jordan et al. 2024, Muon;
/// Liu et al. 2025, Muon is Scalable (kMatchRms), in PyTorch's form.
class Muon final : public Optimizer {
 public:
  Muon(FlatLayout layout, const MuonOptions& options, DType dtype = DType::f32);
  [[nodiscard]] std::vector<Named> state() const override;

  /// Numbers of work space that matrices in hand at once may take together; a single larger one takes more.
  static constexpr Index kWorkLimit = 1 << 22;
  /// @return numbers of work space for one matrix: X and its successor, S and S S.
  [[nodiscard]] static constexpr Index work_size(Index rows, Index cols) {
    const Index small = rows < cols ? rows : cols;
    return 2 * rows * cols + 2 * small * small;
  }

 private:
  /// One matrix (rows, cols) at `begin` of the flat buffers, whose velocity lies at `velocity`; work at `work`.
  struct Matrix {
    Index begin = 0, rows = 0, cols = 0, velocity = 0, work = 0;
  };
  /// Numbers [begin, begin + count) that AdamW moves; their moments lie at `moments`.
  struct Rest {
    Index begin = 0, count = 0, moments = 0;
    bool decays = false;
  };
  void update(Tensor& parameters, const Tensor& gradients, double lr, double grad_scale) override;
  template <class T>
  struct Buffers {
    T* param = nullptr;
    const T* grad = nullptr;
    T* velocity = nullptr;
    T* work = nullptr;
  };
  template <class T>
  void move_matrix(const Matrix& matrix, const Buffers<T>& in, double lr, double grad_scale) const;
  template <class T>
  void move_rest(const Rest& rest, const Buffers<T>& in, double lr, double grad_scale);
  void plan_work();

  MuonOptions options_;
  std::vector<Matrix> matrices_;
  std::vector<Index> batches_;  // first matrix of each batch that is worked on at once, and their end
  std::vector<Rest> rest_;      // in the order of the layout
  Tensor velocity_, exp_avg_, exp_avg_sq_, work_;
};

}  // namespace minnow
