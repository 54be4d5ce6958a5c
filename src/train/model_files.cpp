#include "train/model_files.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_set>

#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"
#include "minnow/kernels/gemm.hpp"

namespace minnow {
namespace {

/// Kinds of optimizer state that are sums or means of squares.
constexpr std::string_view kSquares[] = {"exp_avg_sq.", "max_exp_avg_sq.", "sum.",     "square_avg.",
                                         "row_var.",    "col_var.",        "variance."};

FileDtype file_dtype(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return FileDtype::kF32;
    case DType::f64:
      return FileDtype::kF64;
    case DType::bf16:
      return FileDtype::kBf16;
    case DType::i32:
      return FileDtype::kI32;
    case DType::i64:
      return FileDtype::kI64;
    case DType::boolean:
      return FileDtype::kBool;
  }
  return FileDtype::kF32;
}

std::span<std::byte> bytes_of(const Tensor& tensor) {
  return {tensor.raw(), static_cast<std::size_t>(tensor.numel()) * size_of(tensor.dtype())};
}

FileSource tensor_file(const char* name, const std::vector<TrainStep::NamedTensor>& tensors) {
  std::vector<TensorSource> sources;
  sources.reserve(tensors.size());
  for (const auto& named : tensors) {
    sources.push_back({named.name,
                       file_dtype(named.tensor.dtype()),
                       {named.tensor.shape().begin(), named.tensor.shape().end()},
                       bytes_of(named.tensor)});
  }
  const std::uint64_t bytes = safetensors_file_bytes(sources);
  return {name, [sources = std::move(sources)](ByteSink& sink) { write_safetensors(sink, sources); }, bytes};
}

FileSource text_file(const char* name, const std::string& text) {
  return {name,
          [text](ByteSink& sink) {
            sink.section("text");
            sink.write(std::as_bytes(std::span(text)));
          },
          text.size()};
}

template <class T>
void require_moment(const std::string& name, const Tensor& tensor, const std::string& where) {
  const bool second = std::any_of(std::begin(kSquares), std::end(kSquares),
                                  [&](std::string_view kind) { return name.starts_with(kind); });
  const std::span<const T> values(tensor.data<T>(), static_cast<std::size_t>(tensor.numel()));
  const auto bad = std::find_if_not(values.begin(), values.end(), [second](T value) {
    return second ? value >= 0 : std::isfinite(value);  // the comparison is false for NaN
  });
  if (bad == values.end()) return;
  throw CheckpointError(fmt::format(
      "[checkpoint] {} moments of the optimizer must be {}; {} in {} is {} at index {}. Hint: the checksum is right, "
      "but "
      "no training writes this: resume from another checkpoint, or start a new run with --init-from",
      second ? "second" : "first", second ? "0 or more" : "finite", name, where, *bad, bad - values.begin()));
}

}  // namespace

std::vector<FileSource> checkpoint_sources(const TrainStep& step, const CheckpointTexts& texts) {
  std::vector<FileSource> sources{tensor_file(kModelFile, step.parameters()),
                                  tensor_file(kOptimizerFile, step.optimizer_state()),
                                  text_file(kStateFile, texts.state), text_file(kConfigFile, texts.config),
                                  text_file(kEnvironmentFile, texts.environment)};
  if (const auto average = step.averaged_parameters(); !average.empty()) {
    sources.push_back(tensor_file(kAverageFile, average));
  }
  if (!texts.tokenizer.empty()) sources.push_back(text_file(kTokenizerFile, texts.tokenizer));
  return sources;
}

std::vector<FileSource> checkpoint_sources(const ParameterList& parameters, const CheckpointTexts& texts) {
  std::vector<TrainStep::NamedTensor> named;
  for (const Parameter& parameter : parameters.all()) named.push_back({parameter.name, parameter.tensor});
  std::vector<FileSource> sources{tensor_file(kModelFile, named), text_file(kStateFile, texts.state),
                                  text_file(kConfigFile, texts.config), text_file(kEnvironmentFile, texts.environment)};
  if (!texts.tokenizer.empty()) sources.push_back(text_file(kTokenizerFile, texts.tokenizer));
  return sources;
}

void require_room(const std::filesystem::path& folder, const TrainStep& step, std::size_t tokenizer_bytes,
                  bool resumes) {
  constexpr std::uint64_t kTexts = 1U << 16U;  // state, configuration, environment, manifest
  std::uint64_t whole = kTexts + tokenizer_bytes, largest = 0;
  for (const FileSource& file : checkpoint_sources(step, {})) {
    whole += file.bytes;
    largest = std::max(largest, file.bytes);
  }
  require_free_disk(folder, resumes ? whole : 2 * whole);
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= largest) return;
  throw IoError(
      fmt::format("[train] this process must be allowed to write files of {} bytes in {}; its limit is {}. Hint: "
                  "ulimit -f unlimited",
                  largest, folder.string(), static_cast<std::uint64_t>(limit.rlim_cur)));
}

void load_tensors(const Checkpoint& checkpoint, const char* file, const std::vector<TrainStep::NamedTensor>& into) {
  const SafetensorsHeader header = checkpoint.header(file);
  const std::string where = (checkpoint.directory() / file).string();
  for (const auto& named : into) {
    const TensorEntry* entry = header.find(named.name);
    if (entry == nullptr) {
      throw CheckpointError(
          fmt::format("[checkpoint] {} must hold every tensor of the model; {} is missing. Hint: the configuration "
                      "describes another model",
                      where, named.name));
    }
    const Shape shape{std::span<const Index>(entry->shape)};
    if (shape != named.tensor.shape() || entry->dtype != file_dtype(named.tensor.dtype())) {
      throw CheckpointError(fmt::format("[checkpoint] {} in {} must be {}; got {} {}", named.name, where,
                                        named.tensor.spec().str(), dtype_name(entry->dtype), shape.str()));
    }
    checkpoint.read_tensor(file, *entry, bytes_of(named.tensor));
  }
  if (header.tensors.size() == into.size()) return;
  std::unordered_set<std::string_view> known;
  for (const auto& named : into) known.insert(named.name);
  for (const TensorEntry& entry : header.tensors) {
    if (!known.contains(entry.name))
      throw CheckpointError(
          fmt::format("[checkpoint] {} must hold the model's tensors only; {} is none of them", where, entry.name));
  }
}

void require_moments(const std::vector<TrainStep::NamedTensor>& moments, const std::string& where) {
  for (const auto& [name, tensor] : moments) {
    tensor.dtype() == DType::f64 ? require_moment<double>(name, tensor, where)
                                 : require_moment<float>(name, tensor, where);
  }
}

void load_parameters(const Checkpoint& checkpoint, const char* file, ParameterList& into) {
  std::vector<TrainStep::NamedTensor> named;
  for (const Parameter& parameter : into.all()) named.push_back({parameter.name, parameter.tensor});
  load_tensors(checkpoint, file, named);
}

std::string environment_json() {
  const kernels::BlasInfo blas = kernels::blas_info();
  nlohmann::ordered_json json{{"format", 1},
                              {"gemm", kernels::gemm_name()},
                              {"native_bf16", kernels::has_native_bf16()},
                              {"blas_core", blas.core},
                              {"blas_config", blas.config},
                              {"blas_flavour", blas.flavour}};
  if (kernels::gemm_backend() == kernels::GemmBackend::kOnednn) json["onednn"] = kernels::onednn_description();
  return json.dump(1) + "\n";
}

std::vector<std::string> compare_environments(const std::string& before, const std::string& now) {
  std::vector<std::string> lines;
  const auto old = nlohmann::json::parse(before, nullptr, false);
  const auto present = nlohmann::json::parse(now, nullptr, false);
  if (!old.is_object() || !present.is_object()) return {"the checkpoint does not say on what libraries it was made"};
  const std::string gemm = present.value("gemm", "");
  for (const char* key : {"gemm", "blas_core", "onednn"}) {  // flavours of one OpenBLAS give the same bits
    const std::string a = old.value(key, "");
    const std::string b = present.value(key, "");
    const bool matters =
        key == std::string_view("gemm") || gemm == (key == std::string_view("onednn") ? "onednn" : "openblas");
    if (a != b && matters)
      lines.push_back(fmt::format("{}: {} then, {} now: the last bits of results may differ", key, a, b));
  }
  return lines;
}

}  // namespace minnow
