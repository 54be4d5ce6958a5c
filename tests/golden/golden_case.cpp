#include "golden/golden_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "minnow/io/safetensors.hpp"

namespace minnow::golden {
namespace {

Tolerance read_tolerance(const Json& entry, const char* key, Tolerance otherwise) {
  const auto found = entry.find(key);
  if (found == entry.end()) return otherwise;
  return {found->at("rtol").get<double>(), found->at("atol").get<double>()};
}

Case read_case(const Json& entry, const std::filesystem::path& root) {
  Case made;
  made.name = entry.at("name").get<std::string>();
  made.kind = entry.at("kind").get<std::string>();
  made.op = entry.at("op").get<std::string>();
  made.file = root / entry.at("file").get<std::string>();
  if (entry.contains("file_f64")) made.file_f64 = root / entry["file_f64"].get<std::string>();
  made.config = entry.at("config");
  made.f32 = read_tolerance(entry, "tolerance_f32", {});
  made.f64 = read_tolerance(entry, "tolerance_f64", {});
  made.steps_f32 = read_tolerance(entry, "tolerance_steps_f32", made.f32);
  made.steps_f64 = read_tolerance(entry, "tolerance_steps_f64", made.f64);
  return made;
}

DType dtype_of_file(const TensorEntry& entry) {
  switch (entry.dtype) {
    case FileDtype::kF32:
      return DType::f32;
    case FileDtype::kF64:
      return DType::f64;
    case FileDtype::kI64:
      return DType::i64;
    case FileDtype::kBool:
      return DType::boolean;
    default:
      throw Unsupported(fmt::format("tensor {} has type {}", entry.name, dtype_name(entry.dtype)));
  }
}

void load_file(const std::filesystem::path& path, Values& values) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  for (const TensorEntry& entry : file.header().tensors) {
    Tensor tensor = Tensor::empty(Shape(entry.shape), dtype_of_file(entry));
    file.read(entry, {tensor.raw(), static_cast<std::size_t>(entry.bytes())});
    values.insert_or_assign(entry.name, std::move(tensor));
  }
}

}  // namespace

std::filesystem::path folder() {
  const char* given = std::getenv("MINNOW_GOLDEN_DIR");
  return given != nullptr ? std::filesystem::path(given)
                          : std::filesystem::path(MINNOW_SOURCE_DIR) / "tests" / "golden" / "cases";
}

std::vector<Case> list_cases() {
  const std::filesystem::path path = folder() / "cases.json";
  std::ifstream stream(path);
  if (!stream) throw std::runtime_error(fmt::format("{} cannot be read", path.string()));
  std::vector<Case> cases;
  for (const Json& entry : Json::parse(stream)) cases.push_back(read_case(entry, folder()));
  return cases;
}

Values load(const Case& which) {
  Values values;
  load_file(which.file, values);
  if (which.file_f64) load_file(*which.file_f64, values);
  return values;
}

const Json& Options::json(const std::string& key) {
  const auto found = config_.find(key);
  if (found == config_.end()) throw Unsupported(fmt::format("option {} is missing", key));
  asked_.push_back(key);
  return *found;
}

template <class T>
T Options::get(const std::string& key) {
  const Json& value = json(key);
  try {
    return value.get<T>();
  } catch (const Json::exception&) {
    throw Unsupported(fmt::format("option {} is {}", key, value.dump()));
  }
}

double Options::number(const std::string& key) { return get<double>(key); }
Index Options::integer(const std::string& key) {
  const Json& value = json(key);
  if (!value.is_number_integer()) throw Unsupported(fmt::format("option {} is {}", key, value.dump()));
  return value.get<Index>();
}
bool Options::flag(const std::string& key) { return get<bool>(key); }
std::string Options::text(const std::string& key) { return get<std::string>(key); }
std::vector<double> Options::numbers(const std::string& key) { return get<std::vector<double>>(key); }

std::optional<double> Options::number_or_null(const std::string& key) {
  if (json(key).is_null()) return std::nullopt;
  return number(key);
}
std::optional<Index> Options::integer_or_null(const std::string& key) {
  if (json(key).is_null()) return std::nullopt;
  return integer(key);
}
Shape Options::integers(const std::string& key) {
  if (json(key).is_null()) return {};
  return Shape(get<std::vector<Index>>(key));
}

void Options::require(const std::string& key, const Json& value) {
  const Json& given = json(key);
  if (given != value)
    throw Unsupported(fmt::format("option {} is {}, only {} is known", key, given.dump(), value.dump()));
}

void Options::finish() const {
  for (const auto& item : config_.items()) {
    if (std::find(asked_.begin(), asked_.end(), item.key()) == asked_.end()) {
      throw Unsupported(fmt::format("option {} = {} is not known", item.key(), item.value().dump()));
    }
  }
}

}  // namespace minnow::golden
