#pragma once
/// @file
/// Gives every choice key its written names, in the order of the enum: what stands in the TOML file.

#include <array>
#include <cstddef>
#include <string_view>

#include "minnow/config/config.hpp"

namespace minnow {

/// The names of an enum's values as they are written in a configuration; index = value of the enumerator.
template <class Enum>
inline constexpr std::array<std::string_view, 0> kChoiceNames{};

template <>
inline constexpr auto kChoiceNames<Task> = std::to_array<std::string_view>({"lm"});
template <>
inline constexpr auto kChoiceNames<Family> = std::to_array<std::string_view>({"gpt2", "llama"});
template <>
inline constexpr auto kChoiceNames<Activation> = std::to_array<std::string_view>({"gelu_erf", "gelu_tanh", "relu",
                                                                                  "silu", "swiglu", "geglu", "reglu"});
template <>
inline constexpr auto kChoiceNames<PositionKind> = std::to_array<std::string_view>({"learned", "sinusoidal", "rotary",
                                                                                    "none"});
template <>
inline constexpr auto kChoiceNames<RopeStyle> = std::to_array<std::string_view>({"half", "interleaved"});
template <>
inline constexpr auto kChoiceNames<NormLayer> = std::to_array<std::string_view>({"layer", "rms"});
template <>
inline constexpr auto kChoiceNames<NormPosition> = std::to_array<std::string_view>({"pre", "post"});
template <>
inline constexpr auto kChoiceNames<InitKind> = std::to_array<std::string_view>({"gpt2", "scaled"});
template <>
inline constexpr auto kChoiceNames<DataFormat> = std::to_array<std::string_view>({"auto", "text", "nanogpt", "llmc"});
template <>
inline constexpr auto kChoiceNames<SplitKind> = std::to_array<std::string_view>({"fraction", "every_nth", "file"});
template <>
inline constexpr auto kChoiceNames<DocumentKind> = std::to_array<std::string_view>({"stream", "lines", "files"});
template <>
inline constexpr auto kChoiceNames<PackingKind> = std::to_array<std::string_view>({"pad", "pack"});
template <>
inline constexpr auto kChoiceNames<OrderKind> = std::to_array<std::string_view>({"epoch", "random"});
template <>
inline constexpr auto kChoiceNames<TokenizerKind> =
    std::to_array<std::string_view>({"char", "byte", "bpe", "word", "wordpiece", "sentencepiece", "none"});
template <>
inline constexpr auto kChoiceNames<PieceKind> = std::to_array<std::string_view>({"auto", "gpt2", "cl100k", "llama3",
                                                                                 "qwen2", "none"});
template <>
inline constexpr auto kChoiceNames<UnknownPolicy> = std::to_array<std::string_view>({"error", "replace"});
template <>
inline constexpr auto kChoiceNames<OptimizerKind> =
    std::to_array<std::string_view>({"adamw", "adam", "sgd", "adagrad", "rmsprop", "adafactor", "lion", "muon"});
template <>
inline constexpr auto kChoiceNames<MuonAdjust> = std::to_array<std::string_view>({"match_rms", "original"});
template <>
inline constexpr auto kChoiceNames<ScheduleKind> = std::to_array<std::string_view>({"constant", "linear", "cosine",
                                                                                    "inverse_sqrt", "wsd"});
template <>
inline constexpr auto kChoiceNames<WsdShape> = std::to_array<std::string_view>({"linear", "sqrt"});
template <>
inline constexpr auto kChoiceNames<GemmKind> = std::to_array<std::string_view>({"auto", "openblas", "minnow",
                                                                                "onednn"});
template <>
inline constexpr auto kChoiceNames<PrecisionKind> = std::to_array<std::string_view>({"f32", "bf16"});

/// @return the written name of an enum value, for instance "gelu_erf".
template <class Enum>
[[nodiscard]] constexpr std::string_view choice_name(Enum value) {
  return kChoiceNames<Enum>[static_cast<std::size_t>(value)];
}

}  // namespace minnow
