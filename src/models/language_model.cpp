#include "minnow/models/language_model.hpp"

#include "minnow/ops/frozen_weights.hpp"

namespace minnow {

void LanguageModel::set_frozen(bool frozen, std::uint64_t spare_bytes) {
  if (frozen == (frozen_weights_ != nullptr)) return;
  frozen_weights_ = frozen ? std::make_shared<FrozenWeights>(spare_bytes) : nullptr;
}

}  // namespace minnow
