/// @file
/// Runs every case of every tests/cases/*.case file against the real program: one test per case.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "cases/case_file.hpp"
#include "cases/process.hpp"
#include "support/sanitizers.hpp"

namespace minnow::cases {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder that goes away with its owner.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (fs::temp_directory_path() / "minnow_case_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make a folder at " + pattern);
    path_ = pattern;
  }
  ~TempFolder() {
    // A case may have taken away the right to write.
    std::error_code error;
    for (fs::recursive_directory_iterator entry(path_, error), end; !error && entry != end; entry.increment(error)) {
      if (entry->is_directory(error) && !entry->is_symlink(error)) {
        fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, error);
      }
    }
    fs::remove_all(path_, error);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Puts in what a case cannot know: @SOURCE@ the source tree, @SHARED@ the shared data, @DIR@ the working directory.
std::string fill_in(std::string text, const fs::path& folder) {
  const char* shared = std::getenv("MINNOW_SHARED_DIR");
  const std::map<std::string, std::string> values = {
      {"@SOURCE@", MINNOW_SOURCE_DIR}, {"@SHARED@", shared == nullptr ? "" : shared}, {"@DIR@", folder.string()}};
  for (const auto& [name, value] : values) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size())) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

std::string bytes_of_hex(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  }
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern, std::regex::ECMAScript));
}

/// @return empty, or what is wrong.
std::string check(const Expectation& expectation, const ProcessResult& result, const fs::path& folder) {
  using Kind = Expectation::Kind;
  const std::string text = fill_in(expectation.text, folder);
  const auto has = [&](const std::string& where) { return where.find(text) != std::string::npos; };
  switch (expectation.kind) {
    case Kind::kOut:
      return has(result.out) ? "" : "stdout must have: " + text;
    case Kind::kErr:
      return has(result.err) ? "" : "stderr must have: " + text;
    case Kind::kOutMatches:
      return matches(result.out, text) ? "" : "stdout must match: " + text;
    case Kind::kErrMatches:
      return matches(result.err, text) ? "" : "stderr must match: " + text;
    case Kind::kOutLacks:
      return has(result.out) ? "stdout must not have: " + text : "";
    case Kind::kErrLacks:
      return has(result.err) ? "stderr must not have: " + text : "";
    case Kind::kOutEmpty:
      return result.out.empty() ? "" : "stdout must be empty";
    case Kind::kErrEmpty:
      return result.err.empty() ? "" : "stderr must be empty";
    case Kind::kExists:
      return fs::exists(fs::symlink_status(folder / text)) ? "" : "must exist: " + text;
    case Kind::kMissing:
      return fs::exists(fs::symlink_status(folder / text)) ? "must not exist: " + text : "";
    case Kind::kFileHas:
      break;
  }
  const auto space = text.find(' ');
  const std::string wanted = space == std::string::npos ? "" : text.substr(space + 1);
  const bool found = slurp(folder / text.substr(0, space)).find(wanted) != std::string::npos;
  return found ? "" : "file must have: " + text;
}

class CaseTest : public ::testing::Test {
 public:
  explicit CaseTest(const Case& one) : case_(one) {}

  void TestBody() override {
    if (case_.needs_shared && std::getenv("MINNOW_SHARED_DIR") == nullptr) {
      GTEST_SKIP() << "needs the shared data: set MINNOW_SHARED_DIR";
    }
    if (case_.needs_plain && test::kSanitized)
      GTEST_SKIP() << "a sanitizer needs its own environment, memory and files";
    for (const std::string& command : case_.needs_commands) {
      if (std::system(("command -v " + command + " >/dev/null").c_str()) != 0) {  // NOLINT(bugprone-command-processor)
        GTEST_SKIP() << "needs the command " << command;
      }
    }
    fs::create_directory(work());
    for (const Step& step : case_.steps) {
      if (step.kind == Step::Kind::kFile || step.kind == Step::Kind::kHex) {
        create_file(step);
      } else {
        run(step);
      }
      if (HasFailure()) return;
    }
  }

 private:
  fs::path work() const { return folder_.path() / "work"; }

  void create_file(const Step& step) {
    const fs::path path = work() / step.text;
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary);
    out << (step.kind == Step::Kind::kHex ? bytes_of_hex(step.content) : fill_in(step.content, work()));
    ASSERT_TRUE(out.good()) << case_.file << ":" << step.line << ": cannot write " << path;
  }

  void run(const Step& step) {
    ProcessRequest request;
    const std::string text = fill_in(step.text, work());
    if (step.kind == Step::Kind::kShell) {
      request.words = {"/bin/sh", "-c", text};
    } else {
      request.words = split_words(text);
      request.words.insert(request.words.begin(), MINNOW_BINARY);
    }
    request.folder = work();
    request.scratch = folder_.path();
    request.input = step.input;
    request.environment = step.environment;
    request.environment.emplace_back("MINNOW=" MINNOW_BINARY);
    request.timeout_s = step.timeout_s;
    const ProcessResult result = run_process(request);
    std::string wrong;
    if (result.timed_out) wrong += fmt::format("\n{}: must end within {} s", step.line, step.timeout_s);
    if (result.exit_code != step.exit_code) {
      wrong += fmt::format("\n{}: must exit with {}; got {}", step.line, step.exit_code, result.exit_code);
    }
    for (const Expectation& expectation : step.expectations) {
      const std::string what = check(expectation, result, work());
      if (!what.empty()) wrong += fmt::format("\n{}: {}", expectation.line, what);
    }
    if (wrong.empty()) return;
    ADD_FAILURE_AT(case_.file.c_str(), step.line) << text << wrong << "\n--- stdout\n"
                                                  << result.out << "\n--- stderr\n"
                                                  << result.err;
  }

  const Case& case_;
  TempFolder folder_;
};

std::string test_name(const std::string& title) {
  std::string name;
  for (const char c : title) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (fits) name += c;
    if (!fits && !name.empty() && name.back() != '_') name += '_';
  }
  return name;
}

/// Registers all cases. They live as long as the program: the tests refer to them.
void register_cases(const std::vector<Case>& cases, const std::string& suite) {
  std::map<std::string, int> seen;
  for (const Case& one : cases) {
    std::string name = test_name(one.name);
    if (const int count = seen[name]++; count > 0) name += fmt::format("_{}", count + 1);
    ::testing::RegisterTest(("Cases_" + suite).c_str(), name.c_str(), nullptr, nullptr, one.file.c_str(), one.line,
                            [&one]() -> ::testing::Test* { return new CaseTest(one); });
  }
}

/// Before main() of gtest: listing the tests must show them.
const std::vector<std::vector<Case>>& all_cases() {
  static const std::vector<std::vector<Case>> all = [] {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(MINNOW_SOURCE_DIR) / "tests" / "cases")) {
      if (entry.path().extension() == ".case") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::vector<Case>> result;
    for (const auto& file : files) result.push_back(read_cases(slurp(file), file.string()));
    return result;
  }();
  return all;
}

const bool kRegistered = [] {
  for (const auto& cases : all_cases()) {
    if (!cases.empty()) register_cases(cases, test_name(fs::path(cases.front().file).stem().string()));
  }
  return true;
}();

TEST(CaseFile, SplitsWordsAsAShell) {
  EXPECT_EQ(split_words(R"(a 'b c' "d \"e" f\ g '' --set=x)"),
            (std::vector<std::string>{"a", "b c", "d \"e", "f g", "", "--set=x"}));
  EXPECT_THROW(split_words("'open"), std::runtime_error);
}

TEST(CaseFile, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(read_cases("=== a\n--- runn x\n", "t"), std::runtime_error);
  EXPECT_THROW(read_cases("=== a\n--- run x\nstder x\n", "t"), std::runtime_error);
  EXPECT_THROW(read_cases("=== a\n", "t"), std::runtime_error);
  EXPECT_THROW(read_cases("--- run x\n", "t"), std::runtime_error);
}

TEST(CaseFile, ThereAreCases) {
  EXPECT_TRUE(kRegistered);
  EXPECT_GE(all_cases().size(), 3U);
}

}  // namespace
}  // namespace minnow::cases
