#include "base/json_fault.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace minnow {
namespace {

std::string fault(const std::string& text) {
  try {
    const auto ignored = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return json_place("f", text, error.byte) + " " + json_reason(error.what());
  }
  return "";
}

TEST(JsonFault, SaysWhereAndWhyInItsOwnWords) {
  EXPECT_EQ(fault("not"), "f:1:2 invalid literal; last read: 'no'");
  EXPECT_EQ(fault("{\n \"a\": 1,\n  x}"), "f:3:3 invalid literal; last read: '1,<U+000A>  x'; expected string literal");
  EXPECT_EQ(fault("{} {}"), "f:1:4 unexpected '{'; expected end of input");
  EXPECT_EQ(fault("{\"a\": "), "f:1:7 unexpected end of input; expected '[', '{', or a literal");
}

TEST(JsonFault, ShowsTheEndOfALongTextAlone) {
  const std::string told = fault("[\"" + std::string(5000, 'a') + "\x01");
  EXPECT_LT(told.size(), 250U);
  EXPECT_TRUE(told.ends_with("aaa<U+0001>'")) << told;
}

TEST(JsonFault, LeavesOtherWordsAlone) {
  EXPECT_EQ(json_reason("what: else - [it] is"), "what: else - [it] is");
  EXPECT_EQ(json_place("f", "", 0), "f:1:1");
  EXPECT_EQ(json_place("f", "a\n", 3), "f:2:1");
}

}  // namespace
}  // namespace minnow
