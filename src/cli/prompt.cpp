#include "cli/prompt.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdio>

#include "cli/terminal.hpp"
#include "minnow/base/error.hpp"
#include "minnow/gen/generate.hpp"
#include "minnow/io/file.hpp"
#include "minnow/text/utf8.hpp"

namespace minnow::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;

[[noreturn]] void refuse_size() {
  throw DataError(
      fmt::format("[prompt] a prompt may have at most {} MiB; got more. Hint: only its end counts for the "
                  "model; cut the file",
                  kMostBytes >> 20U));
}

std::string read_stdin() {
  std::string text;
  std::array<char, 1 << 16> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), stdin)) {
    text.append(part.data(), count);
    if (text.size() > kMostBytes) refuse_size();
  }
  if (std::ferror(stdin) != 0) throw IoError("[prompt] stdin must be readable; reading it failed");
  return text;
}

std::string read_prompt_file(const std::string& path) {
  if (FileReader(path).size() > kMostBytes) refuse_size();
  return read_file(path, kMostBytes);
}

std::vector<std::int32_t> listed_ids(const std::string& prompt, Index vocab_size) {
  std::vector<std::int32_t> ids;
  constexpr std::string_view kBlank = " ,\t\r\n";
  for (std::size_t at = prompt.find_first_not_of(kBlank); at != std::string::npos;) {
    const std::size_t end = std::min(prompt.find_first_of(kBlank, at), prompt.size());
    std::int32_t id = 0;
    const auto parsed = std::from_chars(prompt.data() + at, prompt.data() + end, id);
    if (parsed.ec != std::errc() || parsed.ptr != prompt.data() + end || id < 0 || id >= vocab_size) {
      throw DataError(
          fmt::format("[prompt] a model without tokenizer takes token ids from 0 to {}; got {}. Hint: "
                      "--prompt \"17 4 25\"",
                      vocab_size - 1, replace_invalid_utf8(prompt.substr(at, std::min<std::size_t>(end - at, 40)))));
    }
    ids.push_back(id);
    at = prompt.find_first_not_of(kBlank, end);
  }
  if (ids.empty()) ids.push_back(0);
  return ids;
}

}  // namespace

void prompt_options(Options& options, PromptSource& source) {
  options.argument("STDIN", source.dash, "- reads the prompt from stdin", false);
  options.text("--prompt", source.text, "Text to continue; empty = start as a document does");
  options.text("--prompt-file", source.file, "File with the text to continue; - = stdin");
}

std::string read_prompt(const PromptSource& source) {
  if (!source.dash.empty() && source.dash != "-") {
    throw ConfigError(fmt::format("[prompt] the argument behind RUN can only be - (stdin); got {}. Hint: --prompt TEXT",
                                  replace_invalid_utf8(source.dash)));
  }
  const int sources = (source.text.empty() ? 0 : 1) + (source.file.empty() ? 0 : 1) + (source.dash.empty() ? 0 : 1);
  if (sources > 1) throw ConfigError("[prompt] only one of --prompt, --prompt-file and - may be given; got several");
  if (!source.dash.empty() || source.file == "-") return read_stdin();
  return source.file.empty() ? source.text : read_prompt_file(source.file);
}

std::vector<std::int32_t> prompt_tokens(const LoadedRun& run, const std::string& prompt, UnknownCharacter unknown) {
  if (run.tokenizer == nullptr) return listed_ids(prompt, run.model->vocab_size());
  std::vector<std::int32_t> ids =
      prompt_ids(*run.tokenizer, prompt, prompt.empty() ? run.empty_start : run.prompt_start, unknown);
  if (const UnknownText lost = run.tokenizer->unknown_in(prompt); lost.characters > 0)
    print_warning("of the prompt " + describe_unknown(lost, *run.tokenizer));
  return ids;
}

}  // namespace minnow::cli
