#pragma once
/// @file
/// Reads the attention weights of a forward pass, and says which of them a drawing shows.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/models/language_model.hpp"
#include "minnow/text/tokenizer.hpp"

namespace minnow {

/// @return a token as a person can see it: a blank as U+2423, a line feed as U+21B5, other control characters as their
/// pictures, bytes that are no UTF-8 as \xNN, the document boundary by its name, an id where there is no tokenizer.
[[nodiscard]] std::string visible_token(const Tokenizer* tokenizer, std::int32_t id);

/// The weights of all layers and heads over one text.
struct AttentionMaps {
  std::string name;                 ///< what the heading says: the run
  std::int64_t step = 0;            ///< of the checkpoint
  std::vector<std::string> tokens;  ///< T labels
  Index layers = 0, heads = 0;
  std::vector<float> weights;  ///< (L, H, T, T): queries down, keys across; rows sum to 1

  [[nodiscard]] Index length() const { return static_cast<Index>(tokens.size()); }
  /// @return (T, T): the weights of one layer and head, or their mean where none is named. Sums run in f64.
  [[nodiscard]] std::vector<float> map(std::optional<Index> layer, std::optional<Index> head) const;
};

/// Runs the model forward over the ids, without dropout, and takes the weights of every attention on the way from what
/// that pass computed.
/// @param labels one per id
/// Throws: DataError when the weights would take more than 1 GiB; NumericError when they are not finite; what the model
/// throws for too many positions.
[[nodiscard]] AttentionMaps read_attention(LanguageModel& model, std::span<const std::int32_t> ids,
                                           std::vector<std::string> labels);

/// Which layers, or heads, a drawing shows.
struct MapChoice {
  enum class Kind { kAll, kMean, kOne } kind = Kind::kAll;
  Index index = 0;  ///< of kOne

  /// @param text "all", "mean" or a number from 0; @param what "layer" or "head", for the error; @param count of them
  /// Throws: ConfigError.
  static MapChoice parse(std::string_view text, std::string_view what, Index count);
};

/// One map of a drawing.
struct MapPanel {
  std::string title;           ///< "layer 0, head 3", "layer 0, mean", "mean of all"
  std::vector<float> weights;  ///< (T, T)
};

/// @return rows of panels: a row per layer, in it a panel per head and their mean; with all of both the mean of all in
/// front.
[[nodiscard]] std::vector<std::vector<MapPanel>> map_panels(const AttentionMaps& maps, const MapChoice& layer,
                                                            const MapChoice& head);

}  // namespace minnow
