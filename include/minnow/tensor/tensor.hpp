#pragma once
/// @file
/// Holds an n-dimensional array as a cheap handle: storage, element type, sizes, strides and an offset.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "minnow/tensor/dtype.hpp"
#include "minnow/tensor/shape.hpp"
#include "minnow/tensor/storage.hpp"

namespace minnow {

/// What the autograd layer hangs onto a tensor; see minnow/autograd/variable.hpp.
struct AutogradMeta {
  AutogradMeta() = default;
  AutogradMeta(const AutogradMeta&) = delete;
  AutogradMeta& operator=(const AutogradMeta&) = delete;
  virtual ~AutogradMeta() = default;
};

/// Shape and element type of a tensor, without its numbers.
struct TensorSpec {
  Shape shape;
  DType dtype = DType::f32;
  bool present = true;  ///< false: an optional input of an operation that was not given
  bool operator==(const TensorSpec&) const = default;
  [[nodiscard]] static TensorSpec absent() { return {{}, DType::f32, false}; }
  /// @return "f32 (2, 3)".
  [[nodiscard]] std::string str() const;
};

/// A handle: copies share numbers and gradient. Views (slices, transposes, expansions) share the storage. The members
/// here know nothing of gradients; the differentiable operations are free functions in minnow/ops.
class Tensor {
 public:
  Tensor() = default;  ///< no tensor; defined() is false

  /// @return numbers not initialised. Throws: ShapeError, MemoryError.
  static Tensor empty(const Shape& shape, DType dtype = DType::f32);
  static Tensor zeros(const Shape& shape, DType dtype = DType::f32);
  /// @return every element `value`, rounded to `dtype`.
  static Tensor full(const Shape& shape, double value, DType dtype = DType::f32);
  /// @return a copy of `values` in row-major order. Throws: ShapeError when the count does not fit.
  template <class T>
  static Tensor from(std::span<const T> values, const Shape& shape);
  template <class T>
  static Tensor from(const std::vector<T>& values, const Shape& shape) {
    return from(std::span<const T>(values), shape);
  }

  [[nodiscard]] bool defined() const noexcept { return body_ != nullptr; }
  // All of these throw ShapeError for an empty handle.
  [[nodiscard]] const Shape& shape() const { return body("shape").shape; }
  [[nodiscard]] const Shape& strides() const { return body("strides").strides; }  ///< in elements
  [[nodiscard]] Index offset() const { return body("offset").offset; }            ///< of the first element, in elements
  [[nodiscard]] DType dtype() const { return body("dtype").dtype; }
  [[nodiscard]] TensorSpec spec() const { return {shape(), dtype(), true}; }
  [[nodiscard]] Index rank() const { return shape().rank(); }
  [[nodiscard]] Index numel() const { return body("numel").numel; }
  /// @return the size of an axis; negative ones count from the last.
  [[nodiscard]] Index size(Index axis) const { return shape()[shape().axis(axis, "size")]; }
  /// @return true when the elements lie in row-major order without gaps.
  [[nodiscard]] bool is_contiguous() const;
  /// @return true when two elements lie at one place: in an expanded tensor, in windows that overlap. Such a tensor can
  /// be read, not written to.
  [[nodiscard]] bool overlaps_itself() const;
  /// @return true when no other handle and no view looks at these numbers.
  [[nodiscard]] bool is_sole_owner() const noexcept {
    return body_ != nullptr && body_.use_count() == 1 && body_->storage.use_count() == 1;
  }

  /// @return the first element. Throws: ShapeError when T is not the element type.
  template <class T>
  [[nodiscard]] const T* data() const {
    check_dtype(dtype_of<T>);
    return reinterpret_cast<const T*>(raw());
  }
  /// As data(), and counts as a write: a tensor saved for backward must not be written to (see Storage::version).
  /// Throws: ShapeError also for a tensor that overlaps itself.
  template <class T>
  [[nodiscard]] T* mutable_data() {
    check_dtype(dtype_of<T>);
    count_write("mutable_data");
    return reinterpret_cast<T*>(raw());
  }
  [[nodiscard]] std::byte* raw() const {
    const Body& it = body("raw");
    return it.storage->data() + static_cast<std::size_t>(it.offset) * size_of(it.dtype);
  }
  [[nodiscard]] const std::shared_ptr<Storage>& storage() const { return body("storage").storage; }

  /// @return this tensor if its rows are contiguous, else a copy that is. Loses the gradient link.
  [[nodiscard]] Tensor contiguous() const;
  /// @return a copy of its own, contiguous, without gradient link.
  [[nodiscard]] Tensor clone() const;
  /// @return the numbers in another type (bf16: round to nearest even; bool: not zero; whole numbers from floating
  /// ones: towards 0, the nearest that there is, and 0 for NaN), without gradient link.
  [[nodiscard]] Tensor to(DType dtype) const;
  /// @return the same numbers seen through other sizes and strides, without gradient link.
  /// Throws: ShapeError when an element would lie outside the storage.
  [[nodiscard]] Tensor as_strided(const Shape& shape, const Shape& strides, Index offset) const;
  /// @return the same numbers without gradient link.
  [[nodiscard]] Tensor alias() const;

  /// @return the only element, as a double. Throws: ShapeError for another count.
  [[nodiscard]] double item() const;
  /// @return the numbers in row-major order, converted.
  template <class T>
  [[nodiscard]] std::vector<T> to_vector() const;

  /// Replaces the numbers in place by those of `source`, converted. Throws: ShapeError for another shape, and when this
  /// tensor overlaps itself.
  void copy_from(const Tensor& source);
  /// Makes this tensor, and every copy of this handle, look at the numbers of `place` (a slice of a flat buffer) from
  /// now on. Its own numbers are not copied. Throws: ShapeError for another shape or type.
  void move_to(const Tensor& place);
  /// Sets every element in place. Throws: ShapeError when this tensor overlaps itself.
  void fill(double value);

  [[nodiscard]] const std::shared_ptr<AutogradMeta>& autograd() const { return body("autograd").autograd; }
  void set_autograd(std::shared_ptr<AutogradMeta> meta) {
    (void)body("set_autograd");
    body_->autograd = std::move(meta);
  }
  /// @return true when both handles are one tensor.
  [[nodiscard]] bool is(const Tensor& other) const noexcept { return body_ == other.body_; }

 private:
  struct Body {
    std::shared_ptr<Storage> storage;
    Shape shape, strides;
    Index offset = 0, numel = 0;
    DType dtype = DType::f32;
    std::shared_ptr<AutogradMeta> autograd;
  };
  explicit Tensor(std::shared_ptr<Body> body) : body_(std::move(body)) {}
  /// Throws: ShapeError naming the member `who` when there is no tensor.
  [[nodiscard]] const Body& body(const char* who) const {
    if (body_ == nullptr) [[unlikely]]
      refuse_empty(who);
    return *body_;
  }
  [[noreturn]] static void refuse_empty(const char* who);
  /// Throws: ShapeError naming `who` for a tensor that overlaps itself.
  void count_write(const char* who);
  void check_dtype(DType wanted) const;

  std::shared_ptr<Body> body_;
};

}  // namespace minnow
