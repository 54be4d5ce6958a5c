#include "ops/samples.hpp"

#include "minnow/base/philox.hpp"

namespace minnow::ops {
namespace {
constexpr std::uint32_t kStream = 0x5A3B1E;
}

Tensor sample_numbers(const Shape& shape, double low, double high, unsigned salt) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Rounded to f32, so that an f32 test starts from the same numbers as the f64 reference.
    values[i] = static_cast<double>(static_cast<float>(
        low + (high - low) * static_cast<double>(random_uniform({.seed = salt, .stream = kStream}, i))));
  }
  return Tensor::from(values, shape);
}

Tensor sample_ids(const Shape& shape, Index low, Index high, unsigned salt) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = low + static_cast<Index>(random_below({.seed = salt, .stream = kStream + 1}, i,
                                                      static_cast<std::uint64_t>(high - low)));
  }
  return Tensor::from(values, shape);
}

Tensor sample_mask(const Shape& shape, double p, unsigned salt) {
  const auto n = static_cast<std::size_t>(shape.numel());
  const auto flags = std::make_unique<bool[]>(n);
  for (std::size_t i = 0; i < n; ++i) {
    flags[i] = static_cast<double>(random_uniform({.seed = salt, .stream = kStream + 2}, i)) < p;
  }
  return Tensor::from(std::span<const bool>(flags.get(), n), shape);
}

std::vector<Sample> unary_samples(double low, double high, const AttrBox& attrs) {
  std::vector<Sample> samples;
  for (const Shape& shape :
       {Shape{1}, Shape{3}, Shape{7}, Shape{16}, Shape{17}, Shape{2, 3, 5}, Shape{}, Shape{0, 4}, Shape{40, 500}}) {
    samples.push_back(
        {"shape " + shape.str(), {sample_numbers(shape, low, high, static_cast<unsigned>(shape.rank()))}, attrs});
  }
  return samples;
}

std::vector<Sample> two_sided_samples(double low, double high) {
  std::vector<Sample> samples = unary_samples(low, high);
  for (Sample& sample : unary_samples(-high, -low)) {
    sample.note += ", negative";
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<Sample> binary_samples(double low_a, double high_a, double low_b, double high_b) {
  const AttrBox attrs = AttrBox::of(NoAttrs{});
  const std::pair<Shape, Shape> shapes[] = {
      {{5}, {5}},       {{2, 3, 4}, {2, 3, 4}}, {{4, 3}, {3}},    {{4, 1, 3}, {2, 1}},
      {{1, 3}, {4, 1}}, {{2, 3}, {}},           {{}, {}},         {{0, 3}, {3}},
      {{3}, {2, 5, 3}}, {{40, 500}, {40, 500}}, {{64, 65}, {65}}, {{30, 1}, {30, 700}}};
  std::vector<Sample> samples;
  for (const auto& [a, b] : shapes) {
    samples.push_back({a.str() + " with " + b.str(),
                       {sample_numbers(a, low_a, high_a, 1), sample_numbers(b, low_b, high_b, 2)},
                       attrs});
  }
  samples.push_back({.note = "sizes 3 and 4",
                     .inputs = {sample_numbers({2, 3}, low_a, high_a), sample_numbers({2, 4}, low_b, high_b)},
                     .attrs = attrs,
                     .valid = false});
  return samples;
}

}  // namespace minnow::ops
