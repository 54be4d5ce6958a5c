#pragma once
/// @file
/// Makes the blocks of a decoder and names their tensors.

#include <string_view>

#include "minnow/config/config.hpp"
#include "minnow/models/decoder_block.hpp"

namespace minnow {

/// What the tensors of a family are called in its Hugging Face checkpoints. Parts that a family does not have there
/// have a name in its style.
struct DecoderNames {
  std::string_view root;  ///< of everything but the head
  std::string_view embedding, positions, blocks, final_norm;
  std::string_view norm_1, norm_2;
  std::string_view qkv;      ///< not empty: one matrix for all three
  std::string_view q, k, v;  ///< else
  std::string_view out, gate, up, down;
};

[[nodiscard]] const DecoderNames& decoder_names(Family family);

/// @return the standard deviation of the first weights: what is set, GPT-2's own 0.02, or 1 / sqrt(C), which keeps the
/// scale of what each layer adds at any width.
[[nodiscard]] double decoder_init_std(const ModelConfig& config);

[[nodiscard]] nn::NormType norm_type(NormLayer norm);

/// Adds the parameters of block `layer` to the list.
[[nodiscard]] DecoderBlock make_decoder_block(ParameterList& list, const ModelConfig& config, Index layer);

}  // namespace minnow
