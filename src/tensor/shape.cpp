#include "minnow/tensor/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "minnow/base/error.hpp"

namespace minnow {

Shape::Shape(std::span<const Index> sizes) {
  for (Index size : sizes) push_back(size);
}

void Shape::push_back(Index size) {
  if (rank_ == kMaxRank) {
    throw ShapeError(fmt::format("[shape] a tensor must have at most {} axes; got more, after {}", kMaxRank, str()));
  }
  sizes_[static_cast<std::size_t>(rank_++)] = size;
}

void Shape::insert(Index axis, Index size) {
  push_back(size);
  for (Index i = rank_ - 1; i > axis; --i) std::swap((*this)[i], (*this)[i - 1]);
}

void Shape::erase(Index axis) {
  for (Index i = axis; i + 1 < rank_; ++i) (*this)[i] = (*this)[i + 1];
  --rank_;
}

bool Shape::operator==(const Shape& other) const noexcept {
  return std::equal(begin(), end(), other.begin(), other.end());
}

Index Shape::numel() const {
  Index total = 1;
  bool overflow = false;
  if (std::any_of(begin(), end(), [](Index size) { return size < 0; })) {
    throw ShapeError(fmt::format("[shape] sizes must be 0 or more; got {}", str()));
  }
  for (Index size : *this) {
    Index product = 0;
    overflow = overflow || __builtin_mul_overflow(total, size, &product);
    total = overflow ? 1 : product;
    if (size == 0) return 0;
  }
  if (overflow) throw ShapeError(fmt::format("[shape] the number of elements must fit 63 bits; got {}", str()));
  return total;
}

std::string Shape::str() const { return fmt::format("({}{})", fmt::join(begin(), end(), ", "), rank_ == 1 ? "," : ""); }

Shape Shape::contiguous_strides() const {
  Shape strides = *this;
  Index step = 1;
  for (Index i = rank_ - 1; i >= 0; --i) {
    strides[i] = step;
    step *= std::max<Index>(1, (*this)[i]);
  }
  return strides;
}

Index Shape::axis(Index axis, const char* who) const {
  const Index from_front = axis < 0 ? axis + rank_ : axis;
  if (from_front < 0 || from_front >= rank_) {
    throw ShapeError(
        fmt::format("[{}] the axis must lie in [-{}, {}); got {}; shape {}", who, rank_, rank_, axis, str()));
  }
  return from_front;
}

Shape broadcast(const Shape& a, const Shape& b, const char* who) {
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const Index shift = longer.rank() - shorter.rank();
  for (Index i = 0; i < shorter.rank(); ++i) {
    Index& size = result[i + shift];
    if (size == shorter[i] || shorter[i] == 1) continue;
    if (size != 1) {
      throw ShapeError(fmt::format("[{}] sizes must be equal or 1 on every axis, counted from the last; got {} and {}",
                                   who, a.str(), b.str()));
    }
    size = shorter[i];
  }
  return result;
}

}  // namespace minnow
