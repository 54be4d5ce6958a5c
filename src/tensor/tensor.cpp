#include "minnow/tensor/tensor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "minnow/base/error.hpp"
#include "minnow/base/parallel.hpp"
#include "tensor/convert.hpp"
#include "tensor/places.hpp"

namespace minnow {
namespace {

constexpr Index kZerosPerChunk = Index{2} << 20;  // bytes: a huge page

}  // namespace

std::string TensorSpec::str() const { return fmt::format("{} {}", name_of(dtype), shape.str()); }

Tensor Tensor::empty(const Shape& shape, DType dtype) {
  const Index numel = shape.numel();
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(numel), size_of(dtype), &bytes)) {
    throw MemoryError(
        fmt::format("[tensor] a tensor must fit the address space; got {} {}", name_of(dtype), shape.str()));
  }
  auto body = std::make_shared<Body>();
  body->storage = Storage::allocate(bytes);
  body->shape = shape;
  body->strides = shape.contiguous_strides();
  body->numel = numel;
  body->dtype = dtype;
  return Tensor(std::move(body));
}

Tensor Tensor::zeros(const Shape& shape, DType dtype) {
  Tensor result = empty(shape, dtype);
  // By all threads: the first touch of fresh memory takes longer than the zeros.
  std::byte* const data = result.raw();
  parallel_ranges(static_cast<Index>(result.storage()->bytes()), kZerosPerChunk,
                  [data](Index begin, Index end, Index) { std::fill(data + begin, data + end, std::byte{0}); });
  return result;
}

Tensor Tensor::full(const Shape& shape, double value, DType dtype) {
  Tensor result = empty(shape, dtype);
  result.fill(value);
  return result;
}

template <class T>
Tensor Tensor::from(std::span<const T> values, const Shape& shape) {
  if (std::ssize(values) != shape.numel()) {
    throw ShapeError(
        fmt::format("[tensor] shape {} must hold as many numbers as are given; got {}", shape.str(), values.size()));
  }
  Tensor result = empty(shape, dtype_of<T>);
  std::copy(values.begin(), values.end(), reinterpret_cast<T*>(result.raw()));
  return result;
}
template Tensor Tensor::from(std::span<const float>, const Shape&);
template Tensor Tensor::from(std::span<const double>, const Shape&);
template Tensor Tensor::from(std::span<const std::int32_t>, const Shape&);
template Tensor Tensor::from(std::span<const std::int64_t>, const Shape&);
template Tensor Tensor::from(std::span<const BFloat16>, const Shape&);
template Tensor Tensor::from(std::span<const bool>, const Shape&);

void Tensor::refuse_empty(const char* who) {
  throw ShapeError(fmt::format(
      "[{}] there must be a tensor; got an empty handle. Hint: a Tensor made without a shape has no numbers, "
      "nor has grad(x) before a backward reached x; ask defined() first",
      who));
}

void Tensor::count_write(const char* who) {
  if (overlaps_itself()) {
    throw ShapeError(
        fmt::format("[{}] a tensor that is written to must have a place of its own for each element; got {} with "
                    "strides {}. Hint: write into its clone()",
                    who, spec().str(), strides().str()));
  }
  body_->storage->bump_version();
}

bool Tensor::overlaps_itself() const {
  if (is_contiguous()) return false;
  return elements_meet(shape(), strides());
}

bool Tensor::is_contiguous() const {
  Index step = 1;
  for (Index axis = rank() - 1; axis >= 0; --axis) {
    if (shape()[axis] == 1) continue;
    if (strides()[axis] != step) return numel() == 0;
    step *= shape()[axis];
  }
  return true;
}

Tensor Tensor::contiguous() const {
  (void)body("contiguous");
  return is_contiguous() ? *this : clone();
}

Tensor Tensor::clone() const {
  (void)body("clone");
  Tensor result = empty(shape(), dtype());
  convert_strided(*this, result);
  return result;
}

Tensor Tensor::to(DType dtype) const {
  (void)body("to");
  Tensor result = empty(shape(), dtype);
  convert_strided(*this, result);
  return result;
}

Tensor Tensor::alias() const {
  auto copy = std::make_shared<Body>(body("alias"));
  copy->autograd = nullptr;
  return Tensor(std::move(copy));
}

Tensor Tensor::as_strided(const Shape& shape, const Shape& strides, Index offset) const {
  const auto& own = body("as_strided");
  const auto elements = static_cast<Index>(own.storage->bytes() / size_of(own.dtype));
  if (shape.rank() != strides.rank() || (shape.numel() > 0 && !stays_inside(elements, shape, strides, offset))) {
    throw ShapeError(
        fmt::format("[as_strided] a view must stay inside its storage of {} elements; got shape {}, strides {}, "
                    "offset {}",
                    elements, shape.str(), strides.str(), offset));
  }
  auto body = std::make_shared<Body>();
  body->storage = body_->storage;
  body->shape = shape;
  body->strides = strides;
  body->offset = offset;
  body->numel = shape.numel();
  body->dtype = dtype();
  return Tensor(std::move(body));
}

double Tensor::item() const {
  (void)body("item");
  if (numel() != 1) {
    throw ShapeError(fmt::format("[item] a tensor must have exactly one element; got shape {}", shape().str()));
  }
  return to_vector<double>().front();
}

template <class T>
std::vector<T> Tensor::to_vector() const {
  (void)body("to_vector");
  const Tensor values = dtype() == dtype_of<T> ? contiguous() : to(dtype_of<T>);
  const T* first = values.data<T>();
  return std::vector<T>(first, first + numel());
}
template std::vector<float> Tensor::to_vector() const;
template std::vector<double> Tensor::to_vector() const;
template std::vector<std::int32_t> Tensor::to_vector() const;
template std::vector<std::int64_t> Tensor::to_vector() const;
template std::vector<bool> Tensor::to_vector() const;

void Tensor::copy_from(const Tensor& source) {
  (void)body("copy_from");
  (void)source.body("copy_from");
  if (source.shape() != shape()) {
    throw ShapeError(
        fmt::format("[copy_from] both shapes must be equal; got {} into {}", source.shape().str(), shape().str()));
  }
  const bool elsewhere = source.storage() != storage();
  const bool same_places = source.offset() == offset() && source.strides() == strides();
  const Tensor from = elsewhere || same_places ? source : source.clone();  // a write must not change what is read later
  count_write("copy_from");
  convert_strided(from, *this);
}

void Tensor::move_to(const Tensor& place) {
  (void)body("move_to");
  (void)place.body("move_to");
  if (place.spec() != spec()) {
    throw ShapeError(fmt::format("[move_to] the place must be {}; got {}", spec().str(), place.spec().str()));
  }
  body_->storage = place.body_->storage;
  body_->strides = place.strides();
  body_->offset = place.offset();
}

void Tensor::fill(double value) {
  (void)body("fill");
  const Tensor one = from<double>(std::vector<double>{value}, {});
  count_write("fill");
  convert_strided(one.as_strided(shape(), Shape(std::vector<Index>(static_cast<std::size_t>(rank()), 0)), 0), *this);
}

void Tensor::check_dtype(DType wanted) const {
  if (wanted != dtype()) {
    throw ShapeError(fmt::format("[tensor] the element type must be {}; got {} {}", name_of(wanted), name_of(dtype()),
                                 shape().str()));
  }
}

}  // namespace minnow
