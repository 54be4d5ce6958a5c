#pragma once
/// @file
/// Reads reference cases: the list in cases.json and the tensors of one case.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "minnow/tensor/tensor.hpp"

namespace minnow::golden {

using Json = nlohmann::json;
using Values = std::map<std::string, Tensor>;  ///< tensors by name

/// A case that is not supported yet, and why. Golden.unsupported lists it; it never counts as passed.
class Unsupported : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Tolerance {
  double rtol = 0, atol = 0;
};

/// An entry of cases.json.
struct Case {
  std::string name, kind, op;
  std::filesystem::path file;
  std::optional<std::filesystem::path> file_f64;  ///< holds the f64.* tensors when `file` does not
  Json config;
  Tolerance f32, f64;
  Tolerance steps_f32, steps_f64;  ///< of steps.* and final.*
};

/// @return MINNOW_GOLDEN_DIR, or the copy beside this file.
std::filesystem::path folder();

/// @return every case of the folder, in the order of cases.json. Throws when the list cannot be read.
std::vector<Case> list_cases();

/// @return all tensors of a case by their full names (in.x, f64.grad.x, ...).
Values load(const Case& which);

/// The options of a case. Every one must be asked for: an adapter that leaves one out does not know it.
class Options {
 public:
  explicit Options(const Json& config) : config_(config) {}

  /// @return the option. Throws: Unsupported when it is missing or of another type.
  double number(const std::string& key);
  Index integer(const std::string& key);
  bool flag(const std::string& key);
  std::string text(const std::string& key);
  std::optional<double> number_or_null(const std::string& key);
  std::optional<Index> integer_or_null(const std::string& key);
  Shape integers(const std::string& key);  ///< null: empty
  std::vector<double> numbers(const std::string& key);
  const Json& json(const std::string& key);  ///< whatever it is
  [[nodiscard]] bool has(const std::string& key) const { return config_.contains(key); }

  /// Throws: Unsupported unless the option has this value.
  void require(const std::string& key, const Json& value);
  /// Throws: Unsupported naming an option that nobody asked for.
  void finish() const;

 private:
  template <class T>
  T get(const std::string& key);

  const Json& config_;
  std::vector<std::string> asked_;
};

}  // namespace minnow::golden
