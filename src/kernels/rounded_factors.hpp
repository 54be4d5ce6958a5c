#pragma once
/// @file
/// The factors of a panel rounded to bf16, in buffers that a thread keeps.

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kernels/product_panels.hpp"
#include "minnow/kernels/convert.hpp"

namespace minnow::kernels {

/// Longest part of the sum in a panel of rounded factors: the buffers of a thread stay under 1.6 MB either way.
inline constexpr Index kBf16Sum = 512;     ///< of numbers of two bytes
inline constexpr Index kRoundedSum = 256;  ///< of bf16 numbers in f32

/// @tparam Element std::uint16_t for bf16, float for the same numbers in f32
template <class Element>
class RoundedFactors {
 public:
  /// @return those of the calling thread.
  static RoundedFactors& of_thread() {
    thread_local RoundedFactors factors;
    return factors;
  }

  /// Rounds A, and B when it is another one than at the last call.
  void take(const TileProduct<float>& x, bool b_is_new) {
    lda_ = x.trans_a ? x.m : x.k;
    ldb_ = x.trans_b ? x.k : x.n;
    round(x.a, x.trans_a ? x.k : x.m, lda_, x.lda, a_);
    if (b_is_new) round(x.b, x.trans_b ? x.n : x.k, ldb_, x.ldb, b_);
  }
  [[nodiscard]] const Element* a() const { return a_.data(); }
  [[nodiscard]] const Element* b() const { return b_.data(); }
  [[nodiscard]] Index lda() const { return lda_; }
  [[nodiscard]] Index ldb() const { return ldb_; }

 private:
  static void convert_row(std::uint16_t* to, const float* from, Index n) { convert_f32_to_bf16_serial(to, from, n); }
  static void convert_row(float* to, const float* from, Index n) { round_to_bf16_serial(to, from, n); }

  /// Stored rows, one behind the other.
  static void round(const float* from, Index rows, Index cols, Index ld, std::vector<Element>& to) {
    if (to.size() < static_cast<std::size_t>(rows * cols)) to.resize(static_cast<std::size_t>(rows * cols));
    if (cols == ld) {
      convert_row(to.data(), from, rows * cols);
      return;
    }
    for (Index row = 0; row < rows; ++row) convert_row(to.data() + row * cols, from + row * ld, cols);
  }

  std::vector<Element> a_, b_;
  Index lda_ = 0, ldb_ = 0;
};

}  // namespace minnow::kernels
