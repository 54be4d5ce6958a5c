#include "cases/case_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace minnow::cases {
namespace {

using Kind = Expectation::Kind;

struct Word {
  std::string_view name;
  Kind kind;
};

constexpr std::array kWords = {
    Word{"stdout", Kind::kOut},
    Word{"stderr", Kind::kErr},
    Word{"stdout~", Kind::kOutMatches},
    Word{"stderr~", Kind::kErrMatches},
    Word{"no-stdout", Kind::kOutLacks},
    Word{"no-stderr", Kind::kErrLacks},
    Word{"empty-stdout", Kind::kOutEmpty},
    Word{"empty-stderr", Kind::kErrEmpty},
    Word{"exists", Kind::kExists},
    Word{"missing", Kind::kMissing},
    Word{"contains", Kind::kFileHas},
};

/// Cuts the first word off.
std::string_view take_word(std::string_view& rest) {
  const auto end = std::min(rest.find(' '), rest.size());
  const auto word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  std::vector<Case> read() {
    while (!rest_.empty()) {
      const auto end = std::min(rest_.find('\n'), rest_.size());
      const auto line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      read_line(line);
    }
    for (const Case& one : cases_) {
      if (one.steps.empty()) fail(fmt::format("case \"{}\" runs nothing", one.name));
    }
    return std::move(cases_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", file_, number_, text));
  }

  void read_line(std::string_view line) {
    if (line.starts_with("=== ")) {
      cases_.push_back({std::string(line.substr(4)), file_, number_, false, false, {}, {}});
      return;
    }
    if (line.starts_with("--- ")) return begin_step(line.substr(4));
    const bool in_file = has_step() && (step().kind == Step::Kind::kFile || step().kind == Step::Kind::kHex);
    if (in_file) {
      step().content += std::string(line) + "\n";
    } else if (!line.empty() && line.front() != '#') {
      read_expectation(line);
    }
  }

  void begin_step(std::string_view rest) {
    if (cases_.empty()) fail("a step must stand in a case (=== NAME)");
    const auto word = take_word(rest);
    if (word == "needs" && rest.starts_with("command ")) {
      cases_.back().needs_commands.emplace_back(rest.substr(rest.find(' ') + 1));
      return;
    }
    if (word == "needs" && (rest == "shared" || rest == "plain")) {
      (rest == "shared" ? cases_.back().needs_shared : cases_.back().needs_plain) = true;
      return;
    }
    const auto kind = word == "file"  ? Step::Kind::kFile
                      : word == "hex" ? Step::Kind::kHex
                      : word == "run" ? Step::Kind::kRun
                      : word == "sh"
                          ? Step::Kind::kShell
                          : throw std::runtime_error(fmt::format("{}:{}: unknown step {}", file_, number_, word));
    Step fresh{};
    fresh.kind = kind;
    fresh.text = rest;
    fresh.timeout_s = 20;
    fresh.line = number_;
    cases_.back().steps.push_back(std::move(fresh));
  }

  void read_expectation(std::string_view rest) {
    if (!has_step()) fail("expectations follow a command (--- run ...)");
    const auto word = take_word(rest);
    if (word == "exit") {
      step().exit_code = std::stoi(std::string(rest));
    } else if (word == "timeout") {
      step().timeout_s = std::stod(std::string(rest));
    } else if (word == "stdin") {
      step().input += std::string(rest) + "\n";
    } else if (word == "env") {
      step().environment.emplace_back(rest);
    } else {
      for (const Word& known : kWords) {
        if (known.name != word) continue;
        step().expectations.push_back({known.kind, std::string(rest), number_});
        return;
      }
      fail(fmt::format("unknown expectation {}", word));
    }
  }

  bool has_step() const { return !cases_.empty() && !cases_.back().steps.empty(); }
  Step& step() { return cases_.back().steps.back(); }

  std::string_view rest_;
  const std::string& file_;
  int number_ = 0;
  std::vector<Case> cases_;
};

}  // namespace

std::vector<Case> read_cases(std::string_view text, const std::string& file) { return Parser(text, file).read(); }

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  bool open = false;  // a word has begun, be it an empty one in quotes
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t')) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      words.back() += text[++i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw std::runtime_error(fmt::format("open quote in: {}", text));
  return words;
}

}  // namespace minnow::cases
