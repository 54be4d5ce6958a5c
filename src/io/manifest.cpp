#include "minnow/io/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "io/json_text.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"

namespace minnow {

namespace {

constexpr std::string_view kOwnHash = "\"manifest_sha256\": \"";
constexpr std::string_view kEnd = "\"\n}\n";
constexpr std::size_t kHexDigits = 64;

[[noreturn]] void refuse(std::string_view who, const std::string& rule) {
  throw CheckpointError(
      fmt::format("[manifest] {}; file '{}'. Hint: the checkpoint is damaged: use another one.", rule, who));
}

// Reads the text from front to back. It is only ever called on a text whose hash is right, so it asks for the exact
// form and gives up at the first difference.
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view who) : text_(text), who_(who) {}

  [[nodiscard]] bool take(std::string_view literal) {
    if (!text_.substr(at_).starts_with(literal)) return false;
    at_ += literal.size();
    return true;
  }

  void need(std::string_view literal) {
    if (!take(literal)) refuse(who_, fmt::format("byte {} must be {}", at_, detail::shown(literal)));
  }

  template <class Number>
  Number number() {
    Number value = 0;
    const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (parsed.ec != std::errc()) refuse(who_, fmt::format("byte {} must be a whole number", at_));
    at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
    return value;
  }

  std::string text() {
    const std::size_t begin = at_;
    need("\"");
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) refuse(who_, "a text must end");
    ++at_;
    auto value = detail::json_unquote(text_.substr(begin, at_ - begin));
    if (!value) refuse(who_, fmt::format("byte {} must begin a text", begin));
    return *std::move(value);
  }

  std::string hex() {
    const std::string_view digits = text_.substr(at_, kHexDigits);
    if (digits.size() != kHexDigits || digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
      refuse(who_, fmt::format("byte {} must begin 64 hexadecimal digits", at_));
    }
    at_ += kHexDigits;
    return std::string(digits);
  }

 private:
  std::string_view text_;
  std::string_view who_;
  std::size_t at_ = 0;
};

// @return the sections of a file; the scanner stands behind "[".
std::vector<Section> scan_sections(Scanner& scanner) {
  std::vector<Section> sections;
  if (scanner.take("]")) return sections;
  do {
    Section section;
    scanner.need("\n{\"name\": ");
    section.name = scanner.text();
    scanner.need(", \"begin\": ");
    section.begin = scanner.number<std::uint64_t>();
    scanner.need(", \"end\": ");
    section.end = scanner.number<std::uint64_t>();
    scanner.need(", \"sha256\": \"");
    section.sha256 = scanner.hex();
    scanner.need("\"}");
    sections.push_back(std::move(section));
  } while (scanner.take(","));
  scanner.need("\n]");
  return sections;
}

FileRecord scan_file(Scanner& scanner) {
  FileRecord file;
  scanner.need("\n{\"name\": ");
  file.name = scanner.text();
  scanner.need(", \"bytes\": ");
  file.bytes = scanner.number<std::uint64_t>();
  scanner.need(", \"sha256\": \"");
  file.sha256 = scanner.hex();
  scanner.need("\", \"sections\": [");
  file.sections = scan_sections(scanner);
  scanner.need("}");
  return file;
}

void check_file(const FileRecord& file, std::string_view who) {
  if (!valid_file_name(file.name)) refuse(who, "file names must be plain; got " + detail::shown(file.name));
  std::uint64_t at = 0;
  for (const Section& section : file.sections) {
    if (section.begin != at || section.end < at) {
      refuse(who, fmt::format("the sections of {} must follow each other; {} does not", detail::shown(file.name),
                              detail::shown(section.name)));
    }
    at = section.end;
  }
  if (at != file.bytes) refuse(who, "the sections must cover the file " + detail::shown(file.name));
}

void check(const Manifest& manifest, std::string_view who) {
  if (manifest.step < 0) refuse(who, "the step must not be negative");
  std::vector<std::string_view> names;
  for (const FileRecord& file : manifest.files) {
    check_file(file, who);
    names.push_back(file.name);
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) refuse(who, "every file must stand once (duplicate " + detail::shown(*twice) + ")");
}

// The last line holds the hash of all bytes before its digits.
void check_own_hash(std::string_view text, std::string_view who) {
  const std::size_t tail = kHexDigits + kEnd.size();
  if (text.size() < tail + kOwnHash.size() || !text.ends_with(kEnd) ||
      !text.substr(0, text.size() - tail).ends_with(kOwnHash)) {
    refuse(who, "the last line must be the manifest's own hash: the file is cut or damaged");
  }
  const std::string_view body = text.substr(0, text.size() - tail);
  if (sha256_hex(body) != text.substr(body.size(), kHexDigits)) refuse(who, "the manifest must have its own hash");
}

std::string quote(std::string_view text) {
  auto json = detail::json_quote(text);
  if (!json) throw CheckpointError("[manifest] names must be UTF-8; got " + detail::shown(text) + ".");
  return *std::move(json);
}

}  // namespace

const FileRecord* Manifest::find(std::string_view name) const {
  for (const FileRecord& file : files) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

std::uint64_t Manifest::total_bytes() const {
  std::uint64_t total = 0;
  for (const FileRecord& file : files) total += file.bytes;
  return total;
}

bool valid_file_name(std::string_view name) {
  constexpr std::size_t kLongest = 200;
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  return !name.empty() && name.size() <= kLongest && name.front() != '.' &&
         name.find_first_not_of(kLetters) == std::string_view::npos && name != "manifest.json";
}

std::string manifest_text(const Manifest& manifest) {
  std::string text = fmt::format("{{\n\"format\": \"minnow checkpoint\",\n\"version\": 1,\n\"step\": {},\n\"files\": [",
                                 manifest.step);
  const char* between_files = "";
  for (const FileRecord& file : manifest.files) {
    text += fmt::format("{}\n{{\"name\": {}, \"bytes\": {}, \"sha256\": \"{}\", \"sections\": [", between_files,
                        quote(file.name), file.bytes, file.sha256);
    const char* between_sections = "";
    for (const Section& section : file.sections) {
      text += fmt::format("{}\n{{\"name\": {}, \"begin\": {}, \"end\": {}, \"sha256\": \"{}\"}}", between_sections,
                          quote(section.name), section.begin, section.end, section.sha256);
      between_sections = ",";
    }
    text += file.sections.empty() ? "]}" : "\n]}";
    between_files = ",";
  }
  text += "\n],\n";
  text += kOwnHash;
  const std::string hash = sha256_hex(text);
  text += hash;
  text += kEnd;
  return text;
}

Manifest parse_manifest(std::string_view text, std::string_view who) {
  check_own_hash(text, who);
  Scanner scanner(text, who);
  scanner.need("{\n\"format\": \"minnow checkpoint\",\n");
  if (!scanner.take("\"version\": 1,\n")) {
    refuse(who, "the format version must be 1: the checkpoint comes from another version of minnow");
  }
  Manifest manifest;
  scanner.need("\"step\": ");
  manifest.step = scanner.number<std::int64_t>();
  scanner.need(",\n\"files\": [");
  do {
    manifest.files.push_back(scan_file(scanner));
  } while (scanner.take(","));
  scanner.need("\n],\n");
  check(manifest, who);
  // Numbers and texts can be spelled in several ways; only one of them is what minnow writes.
  if (manifest_text(manifest) != text) refuse(who, "the manifest must be written as minnow writes it");
  return manifest;
}

}  // namespace minnow
