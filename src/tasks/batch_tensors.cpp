#include "minnow/tasks/batch_tensors.hpp"

namespace minnow {

BatchTensors batch_tensors(const Batch& batch, Index first, Index rows) {
  const auto begin = static_cast<std::size_t>(first * batch.length);
  const auto count = static_cast<std::size_t>(rows * batch.length);
  const Shape shape{rows, batch.length};
  return {Tensor::from(std::span<const std::int32_t>(batch.tokens).subspan(begin, count), shape),
          Tensor::from(std::span<const std::int32_t>(batch.targets).subspan(begin, count), shape)};
}

}  // namespace minnow
