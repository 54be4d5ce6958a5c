#pragma once
/// @file
/// Multiplies matrices: in fixed tiles inside our own parallel loop, each by our own product for AVX-512, by OpenBLAS
/// or by oneDNN, both called serially, with an epilogue that works on the tile while it is in the cache.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "minnow/base/parallel.hpp"
#include "minnow/kernels/activation.hpp"
#include "minnow/kernels/column_sum.hpp"

namespace minnow::kernels {

/// In what a product of f32 matrices takes its operands. Sums, C and the epilogue are in f32 either way.
enum class GemmPrecision {
  kF32,
  kBf16  ///< A and B rounded to bf16 (to nearest even; an instruction takes denormal numbers as 0) while they are
         ///< packed
};

/// Who multiplies the tiles of f32 products; those of f64 are OpenBLAS's.
enum class GemmBackend {
  kOpenblas,  ///< runs everywhere; bf16 by rounding the operands first
  kMinnow,    ///< our own; needs AVX-512, and its bf16 products for bf16 (else rounding first)
  kOnednn  ///< where it was built in and is installed; bf16 where it has that for the processor (else rounding first)
};

/// @return kMinnow where the processor has AVX-512, else kOpenblas: nothing but the processor decides.
[[nodiscard]] GemmBackend best_gemm_backend();

/// Makes sure that products can run on all threads of the team: OpenBLAS tries for ever when it gets no room. Every
/// product does so; who is about to begin something long asks before.
/// Throws: MemoryError.
void prepare_gemm();

/// Chooses for the whole process, from the next product on; best_gemm_backend() until then. The last bits of results
/// differ between backends.
/// @throws ConfigError when it cannot run here
void set_gemm_backend(GemmBackend backend);

/// @return who multiplies now.
[[nodiscard]] GemmBackend gemm_backend();

/// @return what checkpoints, `compute.gemm` and people call it: "minnow", "openblas" or "onednn".
[[nodiscard]] const char* gemm_name(GemmBackend backend = gemm_backend());

/// @return every backend that can run here, best_gemm_backend() first. Loads oneDNN where it was built in.
[[nodiscard]] std::vector<GemmBackend> gemm_backends();

/// @return version and kernels of oneDNN; empty where it was not built in or is not installed. Loads it.
[[nodiscard]] std::string onednn_description();

/// Lets whoever is chosen while it lives multiply for a moment; the backend of before comes back at its end.
class GemmBackendScope {
 public:
  GemmBackendScope() : before_(gemm_backend()) {}
  ~GemmBackendScope() { set_gemm_backend(before_); }
  GemmBackendScope(const GemmBackendScope&) = delete;
  GemmBackendScope& operator=(const GemmBackendScope&) = delete;

 private:
  GemmBackend before_;
};

/// @return whether bf16 products are computed by instructions for them, not by rounding and multiplying in f32.
[[nodiscard]] bool has_native_bf16(GemmBackend backend = gemm_backend());

/// @return bytes that each thread keeps for factors that are rounded to bf16 before they are multiplied, at most, when
/// no m, n or k is larger than `largest`; 0 for products of f32, and for our own of bf16, which round while they pack.
[[nodiscard]] std::size_t rounding_bytes(GemmBackend backend, GemmPrecision precision, Index largest);

/// What happens to each tile after the product: z = product [+ C] + bias; C = activation(z) + residual.
template <class T>
struct GemmEpilogue {
  const T* bias = nullptr;               ///< (n), added to each row; null: none
  std::optional<Activation> activation;  ///< none: the identity
  T* slope = nullptr;  ///< (m, n): activation'(z) is stored here, for activation_backward_by_slope; null: it is not
  Index ld_slope = 0;  ///< its leading dimension
  const T* residual = nullptr;  ///< (m, n), added last; null: none. Must not overlap C
  Index ld_residual = 0;        ///< its leading dimension
  /// @return whether there is nothing to do
  [[nodiscard]] bool empty() const { return bias == nullptr && !activation && slope == nullptr && residual == nullptr; }
};

/// The matrices of C = alpha op(A) op(B) [+ C], all row-major. Leading dimension = elements from one stored row to the
/// next.
template <class T>
struct GemmArgs {
  Index m = 0;           ///< rows of C and op(A)
  Index n = 0;           ///< columns of C and op(B)
  Index k = 0;           ///< columns of op(A), rows of op(B)
  const T* a = nullptr;  ///< stored (m, k), or (k, m) with trans_a
  Index lda = 0;
  bool trans_a = false;
  const T* b = nullptr;  ///< stored (k, n), or (n, k) with trans_b
  Index ldb = 0;
  bool trans_b = false;
  T* c = nullptr;  ///< (m, n); read only with `add`, so NaN in old contents does not matter otherwise
  Index ldc = 0;
  bool add = false;  ///< add to C instead of assigning
  T alpha = 1;       ///< factor of the product
  GemmEpilogue<T> epilogue = {};
  GemmPrecision precision = GemmPrecision::kF32;  ///< of f32 matrices; those of f64 are taken as they are
};

/// Computes C = activation(alpha op(A) op(B) [+ C] + bias) + residual. k = 0 makes the product zero; m = 0 or n = 0:
/// nothing. Accuracy: each element within about k * eps * sum |a||b| of the exact product (the order of summation is
/// the backend's). Threads: same bits at any thread count, also inside a parallel region (then serial). Tiles depend on
/// (m, n, k) and the type alone; for the bits of a row beside other rows see gemm_rows_are_independent(). Instantiated
/// for float and double.
template <class T>
void gemm(const GemmArgs<T>& args);

/// The most products that gemm_group() takes.
inline constexpr std::size_t kGemmGroup = 4;

/// Computes products and column sums that do not depend on each other in one parallel loop: the team is woken once, and
/// nobody waits between them. The bits of each are those of `gemm` and `sum_columns`. Threads: as `gemm`.
template <class T>
void gemm_group(std::span<const GemmArgs<T>> products, std::span<const ColumnSum<T>> sums = {});

/// @return whether, with trans_b and without trans_a (what `linear` computes), a row of C has the same bits however
/// many rows the call has. With our own product it is so in every case, with oneDNN in none. With OpenBLAS's kernels
/// for AVX-512 it is so too: they get a single row with zeros below it. Those for Haswell and Zen take rows in groups
/// and sum what is left over in another order.
template <class T>
[[nodiscard]] bool gemm_rows_are_independent();

/// The specification of `gemm`: three plain loops, sums in double, one rounding to T per step of the epilogue.
template <class T>
void gemm_reference(const GemmArgs<T>& args);

/// Many products of one shape, for matmul with broadcast batch axes.
template <class T>
struct GemmBatch {
  Index count = 0;
  Index stride_a = 0;  ///< elements from one matrix to the next; 0: the same matrix for all
  Index stride_b = 0;
  Index stride_c = 0;  ///< 0 with count > 1: all products are summed into one C, in batch order
  /// Element offsets per matrix, (count) each; they replace the stride when not null. Offsets of C must be distinct.
  const Index* offsets_a = nullptr;
  const Index* offsets_b = nullptr;
  const Index* offsets_c = nullptr;
};

/// Computes C_i = op(A_i) op(B_i) [+ C_i] for i = 0 .. count - 1, in parallel over matrices and tiles.
/// @param args shape of one product and base pointers; its epilogue's bias and activation work on each product, the
///   fields `residual` and `slope` are not used; no epilogue at all when products are summed
/// Threads: as `gemm`; the bits of each product are those of `gemm`.
template <class T>
void gemm_batch(const GemmArgs<T>& args, const GemmBatch<T>& batch);

/// What does the products: belongs into checkpoints, since another kernel gives other bits.
struct BlasInfo {
  const char* core;    ///< OpenBLAS's name of the kernel set ("Cooperlake", "Haswell", ...); "unknown" for another BLAS
  const char* config;  ///< version and build options; "" for another BLAS
  const char* flavour;  ///< "serial", "pthread", "openmp"; "unknown" for another BLAS
};

/// @return the BLAS that runs in this process (the one linked at run time, not at build time).
[[nodiscard]] BlasInfo blas_info();

}  // namespace minnow::kernels
