#pragma once
/// @file
/// Draws attention weights as annotated heat maps: queries down, keys across.
///
/// Colour grows with the square root of the weight, so that small weights are seen; the values, to two decimals where
/// a cell has room for them, are the weights themselves. What a query may not see stays empty.

#include <string>
#include <string_view>
#include <vector>

#include "minnow/report/attention_maps.hpp"

namespace minnow {

/// Panels in rows, as map_panels() gives them.
using MapRows = std::vector<std::vector<MapPanel>>;

/// @return a drawing as SVG 1.1 that follows a viewer's light or dark scheme.
/// Throws: DataError when it would have more than two million cells.
[[nodiscard]] std::string heat_map_svg(const AttentionMaps& maps, const MapRows& rows);

/// @return the same drawing as PNG, two pixels per unit. Characters outside Latin-1 appear as boxes with their number.
/// Throws: DataError when it would have more than 256 million pixels.
[[nodiscard]] std::string heat_map_png(const AttentionMaps& maps, const MapRows& rows);

/// @return a page that opens without a network: layer and head to choose, a cell's query, key and weight under the
/// pointer or the arrow keys. The page begins with the layer and head given (anything but a number: the mean).
/// Throws: DataError when it would hold more than 16 million weights.
[[nodiscard]] std::string heat_map_html(const AttentionMaps& maps, const MapChoice& layer, const MapChoice& head,
                                        std::string_view version);

/// How many colours the terminal has.
enum class TerminalColors { kNone, k256, kTrue };

/// @param width columns; without room for numbers coloured cells are blocks of two columns, plain ones one character
/// of a scale
/// @return lines that end in line feeds.
[[nodiscard]] std::string heat_map_text(const AttentionMaps& maps, const MapRows& rows, int width,
                                        TerminalColors colors);

}  // namespace minnow
