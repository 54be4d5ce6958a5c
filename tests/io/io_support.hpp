#pragma once
/// @file
/// What the io tests share: a folder that vanishes, small states to save, raw file access past the code under test.

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "minnow/io/checkpoint.hpp"

namespace minnow::test {

/// A fresh folder that is removed with its content.
class TempDir {
 public:
  TempDir() {
    static std::atomic<int> counter{0};
    // Memory, if there is a folder of it: a disk that honours fsync makes some ten thousand saves slow.
    const std::filesystem::path memory = "/dev/shm";
    const bool has_memory = ::access(memory.c_str(), W_OK) == 0;
    path_ = (has_memory ? memory : std::filesystem::temp_directory_path()) /
            ("minnow_io_" + std::to_string(::getpid()) + "_" + std::to_string(counter++));
    std::filesystem::create_directories(path_);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void spill(const std::filesystem::path& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// A sink that keeps everything.
class StringSink final : public ByteSink {
 public:
  using ByteSink::write;
  void write(std::span<const std::byte> bytes) override {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  std::string content;
};

/// The state that a run would have at `step`: two tensors and a text, all different at every step.
struct ToyState {
  explicit ToyState(std::int64_t step, std::size_t values = 20) : step_(step), weights_(values), moments_(values) {
    for (std::size_t i = 0; i < values; ++i) {
      weights_[i] = static_cast<float>(step) + static_cast<float>(i) / 8;
      moments_[i] = static_cast<float>(step) * 3 - static_cast<float>(i);
    }
  }

  [[nodiscard]] std::vector<FileSource> files() const {
    const auto tensors = [](const std::vector<float>& values) {
      const std::size_t half = values.size() / 2;
      const auto bytes = std::as_bytes(std::span(values));
      return std::vector<TensorSource>{
          {"a.weight", FileDtype::kF32, {static_cast<std::int64_t>(half)}, bytes.first(half * 4)},
          {"b.weight", FileDtype::kF32, {static_cast<std::int64_t>(values.size() - half)}, bytes.subspan(half * 4)}};
    };
    return {{"model.safetensors", [=, this](ByteSink& sink) { write_safetensors(sink, tensors(weights_)); },
             weights_.size() * 4},
            {"optimizer.safetensors", [=, this](ByteSink& sink) { write_safetensors(sink, tensors(moments_)); },
             moments_.size() * 4},
            {"state.json", [this](ByteSink& sink) { sink.write(text()); }, text().size()}};
  }

  [[nodiscard]] std::string text() const { return "{\"step\": " + std::to_string(step_) + "}\n"; }

  /// @return whether a checkpoint holds exactly this state, read through the checked reader.
  [[nodiscard]] bool equals(const Checkpoint& checkpoint) const {
    return checkpoint.step() == step_ && checkpoint.read("state.json") == text() &&
           same(checkpoint, "model.safetensors", weights_) && same(checkpoint, "optimizer.safetensors", moments_);
  }

 private:
  static bool same(const Checkpoint& checkpoint, std::string_view file, const std::vector<float>& expected) {
    std::vector<float> got(expected.size());
    const SafetensorsHeader header = checkpoint.header(file);
    const TensorEntry* first = header.find("a.weight");
    const TensorEntry* second = header.find("b.weight");
    if (first == nullptr || second == nullptr || first->bytes() + second->bytes() != got.size() * 4) return false;
    const auto target = std::as_writable_bytes(std::span(got));
    checkpoint.read_tensor(file, *first, target.first(first->bytes()));
    checkpoint.read_tensor(file, *second, target.subspan(first->bytes()));
    return got == expected;
  }

  std::int64_t step_;
  std::vector<float> weights_;
  std::vector<float> moments_;
};

inline SaveResult save(const std::filesystem::path& run, std::int64_t step, const SaveOptions& options = {},
                       std::size_t values = 20) {
  const ToyState state(step, values);
  return save_checkpoint(run, step, state.files(), options);
}

inline std::vector<std::int64_t> steps_of(const std::filesystem::path& run) {
  std::vector<std::int64_t> steps;
  for (const CheckpointInfo& info : list_checkpoints(run)) steps.push_back(info.step);
  return steps;
}

/// @return the names of temporaries below a run directory.
inline std::vector<std::string> temporaries(const std::filesystem::path& run) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(run)) return names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(".minnow-tmp-")) names.push_back(name);
  }
  return names;
}

/// @return the text of the exception that `body` throws, "" if it throws none.
template <class Exception, class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace minnow::test
