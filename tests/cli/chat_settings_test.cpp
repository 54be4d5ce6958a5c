#include "cli/chat_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "minnow/base/error.hpp"

namespace minnow::cli {
namespace {

std::string problem_of(std::string_view name, std::string_view value) {
  ChatSettings settings;
  try {
    set_chat_value(settings, name, value);
  } catch (const ConfigError& error) {
    EXPECT_EQ(list_chat_values(settings), list_chat_values({}));  // nothing changed
    return error.what();
  }
  return "";
}

TEST(ChatSettings, AreSetByName) {
  ChatSettings settings;
  set_chat_value(settings, "temperature", "0.25");
  set_chat_value(settings, "top-k", "7");
  set_chat_value(settings, "top_p", "0.5");
  set_chat_value(settings, "max_tokens", "12");
  set_chat_value(settings, "seed", "18446744073709551615");
  set_chat_value(settings, "history", "off");
  EXPECT_FALSE(settings.history);
  EXPECT_THAT(list_chat_values(settings), testing::HasSubstr("history             off"));
  set_chat_value(settings, "history", "on");
  EXPECT_TRUE(settings.history);
  EXPECT_EQ(settings.sampler.temperature, 0.25);
  EXPECT_EQ(settings.sampler.top_k, 7);
  EXPECT_EQ(settings.sampler.top_p, 0.5);
  EXPECT_EQ(settings.max_tokens, 12);
  EXPECT_EQ(settings.sampler.seed, UINT64_MAX);
  EXPECT_THAT(list_chat_values(settings), testing::HasSubstr("temperature         0.25"));
}

TEST(ChatSettings, RefuseWhatIsNone) {
  using testing::HasSubstr;
  EXPECT_THAT(problem_of("temprature", "1"), HasSubstr("did you mean temperature?"));
  EXPECT_THAT(problem_of("temperature", "warm"), HasSubstr("temperature must be a number; got warm"));
  EXPECT_THAT(problem_of("temperature", ""), HasSubstr("got nothing"));
  EXPECT_THAT(problem_of("temperature", "-1"), HasSubstr("temperature"));
  EXPECT_THAT(problem_of("temperature", "nan"), HasSubstr("temperature"));
  EXPECT_THAT(problem_of("top_k", "2.5"), HasSubstr("top_k must be a whole number; got 2.5"));
  EXPECT_THAT(problem_of("top_p", "0"), HasSubstr("top_p"));
  EXPECT_THAT(problem_of("history", "1"), HasSubstr("history must be on or off; got 1"));
  EXPECT_THAT(problem_of("seed", "-1"), HasSubstr("seed must be a whole number; got -1"));
  EXPECT_THAT(problem_of("max_tokens", "0"), HasSubstr("max_tokens must be from 1"));
}

}  // namespace
}  // namespace minnow::cli
