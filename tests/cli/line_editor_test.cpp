// The line editor fed with the bytes that a terminal sends.
#include "cli/line_editor.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace minnow::cli {
namespace {

/// A terminal that is typed on beforehand.
class Typed {
 public:
  explicit Typed(std::string_view keys, int columns = 80) : keys_(keys.begin(), keys.end()), columns_(columns) {}

  EditorDevice device() {
    return {[this](int) -> int {
              if (keys_.empty()) return kNoDevice;
              const auto byte = static_cast<unsigned char>(keys_.front());
              keys_.pop_front();
              return byte;
            },
            [this](std::string_view text) { written += text; }, [this] { return columns_; }, [this] { ++suspended; }};
  }

  std::string written;
  int suspended = 0;

 private:
  std::deque<char> keys_;
  int columns_;
};

std::string line_of(std::string_view keys) {
  Typed typed(keys);
  LineEditor editor(typed.device());
  std::string line = "nothing entered";
  (void)editor.read("> ", line);
  return line;
}

TEST(LineEditor, EditsAsReadlineDoes) {
  EXPECT_EQ(line_of("hello\r"), "hello");
  EXPECT_EQ(line_of("helo\x02l\r"), "hello");                         // Ctrl-B
  EXPECT_EQ(line_of("ello\x01h\x05!\r"), "hello!");                   // Ctrl-A, Ctrl-E
  EXPECT_EQ(line_of("ab\x7f\x08xy\r"), "xy");                         // both kinds of backspace
  EXPECT_EQ(line_of("abc\x01\x04\x1b[3~\r"), "c");                    // Ctrl-D and Delete on a line that is not empty
  EXPECT_EQ(line_of("one two three\x17\x17new\r"), "one new");        // Ctrl-W
  EXPECT_EQ(line_of("one two\x01\x0b\x19\x19\r"), "one twoone two");  // Ctrl-K, Ctrl-Y
  EXPECT_EQ(line_of("one two\x15three\r"), "three");                  // Ctrl-U
}

TEST(LineEditor, KnowsTheKeysOfTerminals) {
  EXPECT_EQ(line_of("bc\x1b[D\x1b[Da\x1b[Cx\r"), "abxc");
  EXPECT_EQ(line_of("bc\x1b[Ha\x1b[Fd\r"), "abcd");
  EXPECT_EQ(line_of("bc\x1bOHa\x1b[4~d\r"), "abcd");
  EXPECT_EQ(line_of("one two\x1b[1;5Dx\r"), "one xtwo");  // Ctrl-Left
  EXPECT_EQ(line_of("one two\x1b"
                    "bx\x1b"
                    "fy\r"),
            "one xtwoy");
  EXPECT_EQ(line_of("a\x1b[15~\x1b[?b\tc\r").substr(0, 1), "a");  // F5 and nonsense are no text
}

TEST(LineEditor, MovesOverWholeCharacters) {
  EXPECT_EQ(line_of("aé\x7f"
                    "b\r"),
            "ab");
  EXPECT_EQ(line_of("日本\x02x\r"), "日x本");
  EXPECT_EQ(line_of("e\u0301\x7f"
                    "x\r"),
            "x");                             // a letter and the accent that joins it
  EXPECT_EQ(line_of("a\xff\xc3(b\r"), "ab");  // what is no UTF-8 is no key; nor is the byte that breaks a character
  EXPECT_EQ(line_of("a\xc2\x9b"
                    "b\r"),
            "ab");  // a control character of two bytes
}

TEST(LineEditor, PastedLinesDoNotEnter) { EXPECT_EQ(line_of("x\x1b[200~one\rtwo\x03\t.\x1b[201~y\r"), "xone\ntwo .y"); }

TEST(LineEditor, SaysHowALineEnds) {
  std::string line;
  Typed typed(
      "abc\x03"
      "d\x1a"
      "e\r\x04");
  LineEditor editor(typed.device());
  EXPECT_EQ(editor.read("> ", line), LineEnd::kInterrupted);
  EXPECT_EQ(editor.read("> ", line), LineEnd::kEntered);
  EXPECT_EQ(line, "de");
  EXPECT_EQ(typed.suspended, 1);
  EXPECT_EQ(editor.read("> ", line), LineEnd::kEndOfFile);
  EXPECT_EQ(editor.read("> ", line), LineEnd::kEndOfFile);  // the terminal is gone
}

TEST(LineEditor, FindsLinesOfBefore) {
  std::string line;
  Typed typed("new\r\x1b[A\x1b[A\r");
  LineEditor editor(typed.device(), {"older", "old"});
  ASSERT_EQ(editor.read("> ", line), LineEnd::kEntered);
  ASSERT_EQ(editor.read("> ", line), LineEnd::kEntered);
  EXPECT_EQ(line, "old");
}

TEST(LineEditor, WalksThroughItsHistory) {
  std::string line;
  Typed typed(
      "one\rtwo\rtwo\r\r\x1b[A\x1b[A\x1b[A\r"
      "draft\x1b[A\x1b[B\r"
      "\x10!\r");
  LineEditor editor(typed.device());
  for (int i = 0; i < 4; ++i) ASSERT_EQ(editor.read("> ", line), LineEnd::kEntered);
  EXPECT_EQ(editor.history(), (std::vector<std::string>{"one", "two"}));
  ASSERT_EQ(editor.read("> ", line), LineEnd::kEntered);
  EXPECT_EQ(line, "one");
  ASSERT_EQ(editor.read("> ", line), LineEnd::kEntered);
  EXPECT_EQ(line, "draft");  // what was being typed comes back
  ASSERT_EQ(editor.read("> ", line), LineEnd::kEntered);
  EXPECT_EQ(line, "draft!");
}

TEST(LineEditor, KnowsWhereCharactersStand) {
  const auto place = [](std::string_view text, int columns) {
    const ScreenPlace found = place_behind(text, columns);
    return std::pair(found.row, found.column);
  };
  EXPECT_EQ(place("", 10), std::pair(0, 0));
  EXPECT_EQ(place("abc", 10), std::pair(0, 3));
  EXPECT_EQ(place("0123456789", 10), std::pair(1, 0));
  EXPECT_EQ(place("0123456789abc", 10), std::pair(1, 3));
  EXPECT_EQ(place("日本", 10), std::pair(0, 4));
  EXPECT_EQ(place("日本", 3), std::pair(1, 2));  // the second one does not fit beside the first
  EXPECT_EQ(place("e\u0301", 10), std::pair(0, 1));
  EXPECT_EQ(place("ab\ncd", 10), std::pair(1, 2));
}

TEST(LineEditor, LongLinesAreDrawnOverAllTheirRows) {
  std::string line;
  Typed typed("0123456789abc\x01\r", 10);
  LineEditor editor(typed.device());
  ASSERT_EQ(editor.read("> ", line), LineEnd::kEntered);
  // Ctrl-A: from the second row up to the prompt's, behind the prompt
  EXPECT_NE(typed.written.find("> 0123456789abc\x1b[1A\r\x1b[2C"), std::string::npos) << typed.written;
}

}  // namespace
}  // namespace minnow::cli
