#include "minnow/models/language_model.hpp"

#include "minnow/ops/frozen_weights.hpp"

namespace minnow {

void LanguageModel::set_frozen(bool frozen) {
  if (frozen == (frozen_weights_ != nullptr)) return;
  frozen_weights_ = frozen ? std::make_shared<FrozenWeights>() : nullptr;
}

}  // namespace minnow
