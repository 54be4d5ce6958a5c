#include "cli/keys.hpp"

#include <string_view>

#include "minnow/text/utf8.hpp"

namespace minnow::cli {
namespace {

constexpr int kEscape = 0x1B;
constexpr int kDelete = 0x7F;
constexpr int kSequenceMilliseconds = 50;  // a sequence comes at once; a pressed Escape comes alone
constexpr std::string_view kPasteEnd = "\x1b[201~";

constexpr int control(char letter) { return letter & 0x1F; }

PressedKey control_key(int byte) {
  switch (byte) {
    case control('M'):
    case control('J'):
      return PressedKey::kEnter;
    case control('C'):
      return PressedKey::kInterrupt;
    case control('D'):
      return PressedKey::kEndOfFile;
    case control('Z'):
      return PressedKey::kSuspend;
    case control('L'):
      return PressedKey::kClear;
    case control('B'):
      return PressedKey::kLeft;
    case control('F'):
      return PressedKey::kRight;
    case control('A'):
      return PressedKey::kHome;
    case control('E'):
      return PressedKey::kEnd;
    case control('P'):
      return PressedKey::kUp;
    case control('N'):
      return PressedKey::kDown;
    case control('H'):
    case kDelete:
      return PressedKey::kEraseLeft;
    case control('W'):
      return PressedKey::kKillWord;
    case control('U'):
      return PressedKey::kKillToStart;
    case control('K'):
      return PressedKey::kKillToEnd;
    case control('Y'):
      return PressedKey::kYank;
    default:
      return PressedKey::kNothing;
  }
}

/// ESC [ `numbers` `last`, or ESC O `last`.
PressedKey sequence_key(std::string_view numbers, char last) {
  const bool modified = numbers.find(';') != std::string_view::npos;  // with Ctrl, Alt or Shift
  switch (last) {
    case 'A':
      return PressedKey::kUp;
    case 'B':
      return PressedKey::kDown;
    case 'C':
      return modified ? PressedKey::kWordRight : PressedKey::kRight;
    case 'D':
      return modified ? PressedKey::kWordLeft : PressedKey::kLeft;
    case 'H':
      return PressedKey::kHome;
    case 'F':
      return PressedKey::kEnd;
    case '~':
      if (numbers == "3") return PressedKey::kEraseRight;
      if (numbers == "1" || numbers == "7") return PressedKey::kHome;
      if (numbers == "4" || numbers == "8") return PressedKey::kEnd;
      return PressedKey::kNothing;
    default:
      return PressedKey::kNothing;
  }
}

/// Text up to the end of the paste. Line feeds stay; other control characters would not be text.
KeyPress read_paste(const ByteSource& next) {
  std::string raw;
  while (!raw.ends_with(kPasteEnd)) {
    const int byte = next(-1);
    if (byte == kNoDevice) return {PressedKey::kClosed};
    if (byte >= 0) raw += static_cast<char>(byte);
  }
  raw.resize(raw.size() - kPasteEnd.size());
  KeyPress pasted{PressedKey::kText};
  for (const char c : replace_invalid_utf8(raw)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\r') {
      pasted.text += '\n';
    } else if (c == '\t') {
      pasted.text += ' ';
    } else if (c == '\n' || (byte >= 0x20 && byte != kDelete)) {
      pasted.text += c;
    }
  }
  return pasted;
}

KeyPress read_escape(const ByteSource& next) {
  const int first = next(kSequenceMilliseconds);
  if (first == 'b') return {PressedKey::kWordLeft};
  if (first == 'f') return {PressedKey::kWordRight};
  if (first == kDelete || first == control('H')) return {PressedKey::kKillWord};
  if (first != '[' && first != 'O') return {first == kNoDevice ? PressedKey::kClosed : PressedKey::kNothing};
  std::string numbers;
  constexpr std::size_t kLongest = 16;
  int byte = next(kSequenceMilliseconds);
  while ((byte == ';' || (byte >= '0' && byte <= '9')) && numbers.size() < kLongest) {
    numbers += static_cast<char>(byte);
    byte = next(kSequenceMilliseconds);
  }
  if (byte < 0) return {byte == kNoDevice ? PressedKey::kClosed : PressedKey::kNothing};
  if (byte == '~' && numbers == "200") return read_paste(next);
  return {sequence_key(numbers, static_cast<char>(byte))};
}

/// The rest of a character of several bytes; what is no UTF-8 is no key.
KeyPress read_character(int first, const ByteSource& next) {
  std::string text(1, static_cast<char>(first));
  for (Utf8Step step = read_utf8(text, 0); !step.valid; step = read_utf8(text, 0)) {
    const int byte = step.truncated ? next(kSequenceMilliseconds) : kNoByte;
    if (byte < 0) return {byte == kNoDevice ? PressedKey::kClosed : PressedKey::kNothing};
    text += static_cast<char>(byte);
  }
  const bool control_of_two_bytes = text[0] == '\xC2' && static_cast<unsigned char>(text[1]) < 0xA0;  // C1
  if (control_of_two_bytes) return {};
  return {PressedKey::kText, text};
}

}  // namespace

KeyPress read_key(const ByteSource& next) {
  const int byte = next(-1);
  if (byte == kNoDevice) return {PressedKey::kClosed};
  if (byte == kNoByte) return {};
  if (byte == kEscape) return read_escape(next);
  if (byte == '\t') return {PressedKey::kText, " "};
  if (byte < 0x20 || byte == kDelete) return {control_key(byte)};
  return read_character(byte, next);
}

}  // namespace minnow::cli
