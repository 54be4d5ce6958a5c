#include "minnow/ops/frozen_weights.hpp"

#include "minnow/kernels/packed_matrix.hpp"

namespace minnow {
namespace {

// Weights of this many elements (1 MB) wait for memory either way, so that a packed copy would be no faster.
constexpr Index kMostF32 = Index{1} << 18;

FrozenWeights*& frozen_of_thread() {
  thread_local FrozenWeights* weights = nullptr;
  return weights;
}

}  // namespace

FrozenWeights::Scope::Scope(FrozenWeights* weights) : before_(frozen_of_thread()) { frozen_of_thread() = weights; }
FrozenWeights::Scope::~Scope() { frozen_of_thread() = before_; }

FrozenWeights* FrozenWeights::current() { return frozen_of_thread(); }

const kernels::PackedMatrix* FrozenWeights::packed(const Tensor& weight, kernels::GemmPrecision precision) {
  if (precision == kernels::GemmPrecision::kF32 && weight.numel() > kMostF32) return nullptr;
  const kernels::GemmBackend backend = kernels::gemm_backend();
  Copy& copy = copies_[weight.raw()];
  const std::shared_ptr<Storage>& storage = weight.storage();
  if (copy.packed != nullptr && copy.version == storage->version() && copy.precision == precision &&
      copy.backend == backend && copy.shape == weight.shape() && copy.source.lock() == storage) {
    return copy.packed.get();
  }
  copy = {storage, storage->version(), backend, precision, weight.shape(), nullptr};  // the old one goes first
  copy.packed =
      kernels::PackedMatrix::pack(weight.data<float>(), weight.size(0), weight.size(1), weight.size(1), precision);
  return copy.packed.get();
}

}  // namespace minnow
