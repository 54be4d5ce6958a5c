#include "kernels/attention_panels.hpp"

namespace minnow::kernels {
namespace {

/// Packs panels one behind the other.
class PanelPacker {
 public:
  PanelPacker(const AttentionArgs<float>& x, const TilePlace& at, std::uint32_t* to) : x_(x), at_(at), to_(to) {}

  /// (dim, keys) of k or v, for products with op(B) = its transposed.
  PackedStrips turned(const HeadView<const float>& view, Index dim) { return pack(view, true, dim, at_.cols); }
  /// (keys, dim).
  PackedStrips plain(const HeadView<const float>& view, Index dim) { return pack(view, false, at_.cols, dim); }

 private:
  PackedStrips pack(const HeadView<const float>& view, bool turned, Index k, Index n) {
    if (k == 0 || n == 0) return {};
    const TileProduct<float> product{.trans_b = turned,
                                     .m = 0,
                                     .n = n,
                                     .k = k,
                                     .a = nullptr,
                                     .lda = 0,
                                     .b = view.at(at_.b, at_.h / group_size(x_)) + at_.key * view.row,
                                     .ldb = view.row,
                                     .c = nullptr,
                                     .ldc = 0,
                                     .precision = x_.precision};
    std::uint32_t* const to = to_;
    to_ += strip_lanes(x_.precision, k, n);
    return pack_strips(product, to);
  }

  const AttentionArgs<float>& x_;
  const TilePlace& at_;
  std::uint32_t* to_;
};

}  // namespace

template <>
Index panel_lanes<double>(const AttentionArgs<double>&) {
  return 0;
}

template <>
Index panel_lanes<float>(const AttentionArgs<float>& x) {
  if (x.q_len <= kQueryTile || x.window > 0 || x.head_dim == 0 || x.value_dim == 0) return 0;
  const Index keys = key_tile(x);
  const Index keys_turned = strip_lanes(x.precision, x.head_dim, keys);
  const Index values_turned = strip_lanes(x.precision, x.value_dim, keys);
  if (keys_turned == 0 || values_turned == 0) return 0;
  const Index forward = strip_lanes(x.precision, keys, x.value_dim);
  const Index backward = values_turned + strip_lanes(x.precision, keys, x.head_dim);
  return keys_turned + std::max(forward, backward);
}

template <>
KeyPanels pack_forward<double>(const AttentionArgs<double>&, const TilePlace&, std::uint32_t*) {
  return {};
}

template <>
KeyPanels pack_forward<float>(const AttentionArgs<float>& x, const TilePlace& at, std::uint32_t* to) {
  if (panel_lanes(x) == 0) return {};
  PanelPacker packer(x, at, to);
  return {.keys_turned = packer.turned(x.k, x.head_dim), .values = packer.plain(x.v, x.value_dim)};
}

template <>
KeyPanels pack_backward<double>(const AttentionArgs<double>&, const TilePlace&, bool, std::uint32_t*) {
  return {};
}

template <>
KeyPanels pack_backward<float>(const AttentionArgs<float>& x, const TilePlace& at, bool want_queries,
                               std::uint32_t* to) {
  if (panel_lanes(x) == 0) return {};
  PanelPacker packer(x, at, to);
  KeyPanels panels{.keys_turned = packer.turned(x.k, x.head_dim), .values_turned = packer.turned(x.v, x.value_dim)};
  if (want_queries) panels.keys = packer.plain(x.k, x.head_dim);
  return panels;
}

}  // namespace minnow::kernels
