#include "minnow/ops/frozen_weights.hpp"

#include "minnow/kernels/packed_matrix.hpp"

namespace minnow {
namespace {

constexpr Index kSmall = Index{1} << 18;  // elements (1 MB): the copies of such weights are not counted

FrozenWeights*& frozen_of_thread() {
  thread_local FrozenWeights* weights = nullptr;
  return weights;
}

}  // namespace

FrozenWeights::Scope::Scope(FrozenWeights* weights) : before_(frozen_of_thread()) { frozen_of_thread() = weights; }
FrozenWeights::Scope::~Scope() { frozen_of_thread() = before_; }

FrozenWeights* FrozenWeights::current() { return frozen_of_thread(); }

const kernels::PackedMatrix* FrozenWeights::packed(const Tensor& weight, kernels::GemmPrecision precision) {
  const kernels::GemmBackend backend = kernels::gemm_backend();
  Copy& copy = copies_[weight.raw()];
  const std::shared_ptr<Storage>& storage = weight.storage();
  if (copy.packed != nullptr && copy.version == storage->version() && copy.precision == precision &&
      copy.backend == backend && copy.shape == weight.shape() && copy.source.lock() == storage) {
    return copy.packed.get();
  }
  const bool counts = precision == kernels::GemmPrecision::kF32 && weight.numel() > kSmall;
  const std::uint64_t bytes = counts ? static_cast<std::uint64_t>(weight.numel()) * sizeof(float) : 0;
  spare_bytes_ += copy.bytes;
  copy = {};  // the old one goes first
  if (bytes > spare_bytes_) return nullptr;
  spare_bytes_ -= bytes;
  copy = {storage, storage->version(), backend, precision, weight.shape(), nullptr, bytes};
  copy.packed = kernels::PackedMatrix::pack(weight.data<float>(), weight.size(0), weight.size(1), weight.size(1),
                                            precision, room_);
  return copy.packed.get();
}

}  // namespace minnow
