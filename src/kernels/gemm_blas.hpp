#pragma once
/// @file
/// The one door to BLAS: row-major products of one tile, called inside a parallel region of ours only (a call outside
/// one, or in a team of one that has not run omp_set_num_threads(1), may open a team of its own).

#include <cblas.h>

#include "minnow/base/parallel.hpp"

namespace minnow::kernels {

/// One product C = alpha op(A) op(B) + beta C, row-major. Sizes and leading dimensions fit int; none is 0.
template <class T>
struct BlasCall {
  bool trans_a = false, trans_b = false;
  Index m, n, k;
  T alpha = 1;
  const T* a;
  Index lda;
  const T* b;
  Index ldb;
  T beta = 0;
  T* c;
  Index ldc;
};

inline CBLAS_TRANSPOSE blas_transpose(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

inline void blas_gemm(const BlasCall<float>& x) {
  cblas_sgemm(CblasRowMajor, blas_transpose(x.trans_a), blas_transpose(x.trans_b), static_cast<int>(x.m),
              static_cast<int>(x.n), static_cast<int>(x.k), x.alpha, x.a, static_cast<int>(x.lda), x.b,
              static_cast<int>(x.ldb), x.beta, x.c, static_cast<int>(x.ldc));
}

inline void blas_gemm(const BlasCall<double>& x) {
  cblas_dgemm(CblasRowMajor, blas_transpose(x.trans_a), blas_transpose(x.trans_b), static_cast<int>(x.m),
              static_cast<int>(x.n), static_cast<int>(x.k), x.alpha, x.a, static_cast<int>(x.lda), x.b,
              static_cast<int>(x.ldb), x.beta, x.c, static_cast<int>(x.ldc));
}

/// Before a region that calls BLAS: keeps the pthread flavour of OpenBLAS off its own pool, for programs that never
/// called set_threads, and makes sure that there is room for OpenBLAS's buffers. Cheap when done.
/// @throws MemoryError when there is none.
void prepare_blas();

}  // namespace minnow::kernels
