#pragma once
/// @file
/// Names the tensors of a model as the folders of Hugging Face have them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/config/config.hpp"

namespace minnow::exchange {

/// One parameter of a model, as it stands in a file.
struct ForeignTensor {
  std::string name;                 ///< minnow's and the file's
  std::vector<std::int64_t> shape;  ///< in the file
  bool transposed = false;          ///< (in, out) there (the Conv1D of GPT-2), (out, in) here
};

/// @return every parameter of a model whose parts the family's class has (see why_not_foreign), in the model's order:
/// what a file must hold. The head is not among them when it is tied.
[[nodiscard]] std::vector<ForeignTensor> foreign_tensors(const ModelConfig& model, std::int64_t vocab_size);

/// What the name of a tensor in a file means.
struct ForeignName {
  std::string name;     ///< with the family's prefix (`transformer.` or `model.`), which old files leave out
  bool buffer = false;  ///< a constant that the class computes by itself: causal masks, rotary frequencies
};

[[nodiscard]] ForeignName read_foreign_name(std::string_view name, Family family);

}  // namespace minnow::exchange
