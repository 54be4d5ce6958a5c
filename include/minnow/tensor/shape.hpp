#pragma once
/// @file
/// Holds the sizes (or strides) of a tensor's axes without allocating.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "minnow/base/parallel.hpp"

namespace minnow {

/// Up to 8 axes: sizes of a tensor, outermost first, or its strides counted in elements.
class Shape {
 public:
  static constexpr Index kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<Index> sizes) : Shape(std::span<const Index>(sizes.begin(), sizes.size())) {}
  /// Throws: ShapeError beyond 8 axes.
  explicit Shape(std::span<const Index> sizes);

  [[nodiscard]] Index rank() const noexcept { return rank_; }
  [[nodiscard]] bool empty() const noexcept { return rank_ == 0; }
  [[nodiscard]] Index operator[](Index axis) const noexcept { return sizes_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] Index& operator[](Index axis) noexcept { return sizes_[static_cast<std::size_t>(axis)]; }
  [[nodiscard]] Index back() const noexcept { return (*this)[rank_ - 1]; }
  [[nodiscard]] const Index* begin() const noexcept { return sizes_.data(); }
  [[nodiscard]] const Index* end() const noexcept { return sizes_.data() + rank_; }
  void push_back(Index size);
  void insert(Index axis, Index size);
  void erase(Index axis);

  bool operator==(const Shape& other) const noexcept;

  /// @return the product of the sizes, 1 for a scalar. Throws: ShapeError for negative sizes or beyond 2^63 - 1.
  [[nodiscard]] Index numel() const;
  /// @return "(2, 3)".
  [[nodiscard]] std::string str() const;
  /// @return the strides of a contiguous tensor of these sizes.
  [[nodiscard]] Shape contiguous_strides() const;
  /// @return the axis counted from 0. Throws: ShapeError, naming `who`, outside [-rank, rank).
  [[nodiscard]] Index axis(Index axis, const char* who) const;

 private:
  std::array<Index, kMaxRank> sizes_{};
  Index rank_ = 0;
};

/// @return the shape to which NumPy's rules broadcast both. Throws: ShapeError naming `who` and both shapes.
[[nodiscard]] Shape broadcast(const Shape& a, const Shape& b, const char* who);

}  // namespace minnow
