/// @file
/// What verbs declare and how it is parsed.

#include "cli/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/frame.hpp"
#include "cli/verb.hpp"
#include "minnow/base/error.hpp"

namespace minnow::cli {
namespace {

using ::testing::HasSubstr;

struct Values {
  bool json = false;
  int64_t count = 1;
  double temperature = 1;
  std::string format = "text";
  std::string file;
  std::vector<std::string> stops;
  std::vector<std::string> overrides;
};

Action declare(Options& options, Values& values) {
  options.flag("--json", values.json, "JSON");
  options.integer("-n,--count", values.count, "How many", 1, 100);
  options.number("--temp", values.temperature, "Temperature", 0, 10);
  options.choice("--format", values.format, {"text", "page"}, "Form");
  options.texts("--stop", values.stops, "Stop here");
  options.overrides(values.overrides);
  options.argument("FILE", values.file, "File");
  return [] { return 7; };
}

std::string error_of(const std::vector<std::string>& arguments) {
  Values values;
  try {
    run_verb(
        "t", "Test", [&](Options& options) { return declare(options, values); }, arguments);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Options, ReadEveryKind) {
  Values values;
  const int code = run_verb("t", "Test", [&](Options& options) { return declare(options, values); },
                            {"--set", "a=1", "x.toml", "--set", "b=[1,2]", "-n", "5", "--temp", "0.5", "--json",
                             "--stop", "-1", "--stop", ""});
  EXPECT_EQ(code, 7);
  EXPECT_TRUE(values.json);
  EXPECT_EQ(values.count, 5);
  EXPECT_EQ(values.temperature, 0.5);
  EXPECT_EQ(values.file, "x.toml");
  EXPECT_EQ(values.stops, (std::vector<std::string>{"-1", ""}));
  EXPECT_EQ(values.overrides, (std::vector<std::string>{"a=1", "b=[1,2]"}));
}

TEST(Options, RefuseWrongValues) {
  EXPECT_THAT(error_of({"x", "--count", "0"}), HasSubstr("must be a whole number from 1 to 100; got 0"));
  EXPECT_THAT(error_of({"x", "--count", "1.5"}), HasSubstr("must be a whole number from 1 to 100; got 1.5"));
  EXPECT_THAT(error_of({"x", "--count", "99999999999999999999"}), HasSubstr("must be a whole number"));
  EXPECT_THAT(error_of({"x", "--temp", "nan"}), HasSubstr("must be a number from 0 to 10; got nan"));
  EXPECT_THAT(error_of({"x", "--temp", "inf"}), HasSubstr("got inf"));
  EXPECT_THAT(error_of({"x", "--temp", "1e400"}), HasSubstr("got 1e400"));
  EXPECT_THAT(error_of({"x", "--temp", "-1"}), HasSubstr("got -1"));
  EXPECT_THAT(error_of({"x", "--format", "pag"}),
              HasSubstr("must be one of text, page; got pag. Hint: did you mean page?"));
}

TEST(Options, SuggestNames) {
  EXPECT_THAT(error_of({"x", "--jsn"}), HasSubstr("[minnow t] unknown option --jsn. Hint: did you mean --json?"));
  EXPECT_THAT(error_of({"x", "--tempp=1"}), HasSubstr("did you mean --temp?"));
  EXPECT_THAT(error_of({}), HasSubstr("[minnow t] FILE is required"));
}

TEST(Frame, MapsFailuresToExitCodes) {
  EXPECT_EQ(run({"config", "check", "/nonexistent/x.toml"}), 2);
  EXPECT_EQ(run({"nonsense"}), 2);
  EXPECT_EQ(run({}), 0);
}

TEST(Verbs, HaveUniqueNamesAndWorkingHelp) {
  std::set<std::string_view> names;
  for (const Verb* verb : verbs()) {
    EXPECT_TRUE(names.insert(verb->name).second) << verb->name;
    EXPECT_FALSE(verb->summary.empty() || verb->summary.ends_with('.')) << verb->name;
    EXPECT_THAT(help_text(verb->name, verb->summary, verb->setup), HasSubstr(std::string(verb->summary)));
  }
}

}  // namespace
}  // namespace minnow::cli
