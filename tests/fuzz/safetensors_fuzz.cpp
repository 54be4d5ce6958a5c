// Feeds any bytes to the safetensors reader: it must refuse with a CheckpointError or give tensors that lie in the
// file.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "minnow/base/error.hpp"
#include "minnow/io/safetensors.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const minnow::SafetensorsFile& file, std::size_t size) {
  std::uint64_t at = file.header().data_begin;
  for (const minnow::TensorEntry& entry : file.header().tensors) {
    require(entry.begin == at && entry.end <= size);
    require(minnow::tensor_bytes(entry.dtype, entry.shape) == entry.bytes());
    require(file.header().find(entry.name) == &entry);
    require(file.read(entry).size() == entry.bytes());
    at = entry.end;
  }
  require(at == size);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto bytes = std::as_bytes(std::span(data, size));
    check(minnow::SafetensorsFile::from_bytes(bytes, "fuzz"), size);
  } catch (const minnow::CheckpointError&) {  // the answer to a bad file
    return 0;
  }
  return 0;
}

#ifdef MINNOW_FUZZING

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

class Memory final : public minnow::ByteSink {
 public:
  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override { content.insert(content.end(), bytes.begin(), bytes.end()); }
  std::vector<std::byte> content;
};

// A valid file whose tensors are chosen by `seed`.
std::vector<std::byte> valid_file(unsigned seed) {
  std::vector<minnow::TensorSource> tensors;
  static const std::vector<std::byte> zeros(1 << 12);
  for (unsigned count = seed % 5; tensors.size() < count;) {
    seed = seed * 1664525U + 1013904223U;
    minnow::TensorSource tensor;
    tensor.name = "t" + std::to_string(tensors.size());
    tensor.dtype = static_cast<minnow::FileDtype>((seed >> 8U) % 22);
    for (unsigned axis = 0; axis < (seed >> 16U) % 4; ++axis) tensor.shape.push_back((seed >> (20U + axis)) % 5);
    const auto bytes = minnow::tensor_bytes(tensor.dtype, tensor.shape);
    tensor.dtype = bytes ? tensor.dtype : minnow::FileDtype::kF32;
    tensor.bytes = std::span(zeros).first(minnow::tensor_bytes(tensor.dtype, tensor.shape).value());
    tensors.push_back(tensor);
  }
  Memory sink;
  minnow::write_safetensors(sink, tensors);
  return sink.content;
}

// Changes the JSON and corrects the length before it, so that the change is not lost at the first check.
std::size_t mutate_header(std::uint8_t* data, std::size_t size, std::size_t max_size) {
  std::uint64_t length = 0;
  std::memcpy(&length, data, 8);
  const std::vector<std::uint8_t> rest(data + 8 + length, data + size);
  const std::size_t room = max_size - 8 - rest.size();
  length = LLVMFuzzerMutate(data + 8, length, room);
  std::memcpy(data, &length, 8);
  std::copy(rest.begin(), rest.end(), data + 8 + length);
  return 8 + length + rest.size();
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  if (seed % 8 == 0) {
    const std::vector<std::byte> file = valid_file(seed / 8);
    if (file.size() <= max_size) {
      std::memcpy(data, file.data(), file.size());
      return file.size();
    }
  }
  std::uint64_t length = 0;
  if (size >= 8) std::memcpy(&length, data, 8);
  if (seed % 8 < 6 && size > 8 && length > 0 && length <= size - 8 && size < max_size) {
    return mutate_header(data, size, max_size);
  }
  return LLVMFuzzerMutate(data, size, max_size);
}

#endif
