#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "io/json_text.hpp"
#include "io/own_temporary.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/safetensors.hpp"

namespace minnow {

namespace {

using Order = std::vector<const TensorSource*>;

[[noreturn]] void refuse(std::string_view name, const std::string& rule) {
  throw CheckpointError(fmt::format("[write_safetensors] {}; tensor {}.", rule, detail::shown(name)));
}

std::string json_of(std::string_view text) {
  const auto json = detail::json_quote(text);
  if (!json) refuse(text, "names and metadata must be UTF-8");
  return *json;
}

void check(const TensorSource& tensor) {
  if (tensor.name.empty() || tensor.name == "__metadata__") refuse(tensor.name, "a name must not be empty or reserved");
  if (tensor.shape.size() > kMaxFileRank) refuse(tensor.name, fmt::format("at most {} axes", kMaxFileRank));
  const auto bytes = tensor_bytes(tensor.dtype, tensor.shape);
  if (!bytes || *bytes != tensor.bytes.size()) {
    refuse(tensor.name, fmt::format("the data must have the {} bytes that dtype and shape need; got {}",
                                    bytes.value_or(0), tensor.bytes.size()));
  }
}

// Wide elements first, so that each tensor is aligned to its element size; then by name.
Order file_order(std::span<const TensorSource> tensors) {
  Order order;
  order.reserve(tensors.size());
  for (const TensorSource& tensor : tensors) {
    check(tensor);
    order.push_back(&tensor);
  }
  std::sort(order.begin(), order.end(), [](const TensorSource* a, const TensorSource* b) {
    return std::tie(b->dtype, a->name) < std::tie(a->dtype, b->name);
  });
  std::vector<std::string_view> names;
  for (const TensorSource* tensor : order) names.push_back(tensor->name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse(*twice, "every name must stand once (duplicate)");
  return order;
}

std::string header_json(const Order& order, const std::map<std::string, std::string>& metadata) {
  std::string text = "{";
  if (!metadata.empty()) {
    text += "\"__metadata__\":{";
    for (const auto& [name, value] : metadata) text += json_of(name) + ":" + json_of(value) + ",";
    text.back() = '}';
    text += ",";
  }
  std::uint64_t at = 0;
  for (const TensorSource* tensor : order) {
    text += fmt::format("{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}},", json_of(tensor->name),
                        dtype_name(tensor->dtype), fmt::join(tensor->shape, ","), at, at + tensor->bytes.size());
    at += tensor->bytes.size();
  }
  if (text.back() == ',') text.pop_back();
  text += "}";
  text.append((8 - text.size() % 8) % 8, ' ');
  if (text.size() > kMaxSafetensorsHeader) refuse(order.front()->name, "the header must have at most 100 MB");
  return text;
}

}  // namespace

void write_safetensors(ByteSink& sink, std::span<const TensorSource> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const Order order = file_order(tensors);
  const std::string header = header_json(order, metadata);
  const std::uint64_t length = header.size();
  sink.section("(header)");
  sink.write(std::as_bytes(std::span(&length, 1)));
  sink.write(header);
  for (const TensorSource* tensor : order) {
    sink.section(tensor->name);
    sink.write(tensor->bytes);
  }
}

std::uint64_t safetensors_file_bytes(std::span<const TensorSource> tensors,
                                     const std::map<std::string, std::string>& metadata) {
  const Order order = file_order(tensors);
  std::uint64_t total = 8 + header_json(order, metadata).size();
  for (const TensorSource* tensor : order) total += tensor->bytes.size();
  return total;
}

void write_safetensors_file(const std::filesystem::path& path, std::span<const TensorSource> tensors,
                            const std::map<std::string, std::string>& metadata) {
  write_file_atomic(path, [&](ByteSink& sink) { write_safetensors(sink, tensors, metadata); });
}

}  // namespace minnow
