// Growth of a step's time against its arithmetic, and the page that shows it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "minnow/report/scaling_page.hpp"

namespace minnow {
namespace {

using testing::HasSubstr;
using testing::Not;

ScalingSweep sweep_of(std::vector<ScalingPoint> points) { return {"T", "B 8, <C> 128", std::move(points)}; }

TEST(Scaling, ComparesTimeWithArithmetic) {
  const ScalingSweep even = sweep_of({{32, 0.5, 1e9}, {64, 1.0, 2.1e9}, {128, 2.2, 4.5e9}});
  EXPECT_DOUBLE_EQ(even.growth(0).time, 2);
  EXPECT_DOUBLE_EQ(even.growth(0).flops, 2.1);
  EXPECT_NEAR(even.growth(1).ratio(), 2.2 / (4.5 / 2.1), 1e-12);
  EXPECT_FALSE(even.fast());
  const ScalingSweep square = sweep_of({{32, 0.5, 1e9}, {64, 1.0, 2e9}, {128, 4.0, 4e9}});
  EXPECT_FALSE(square.growth(0).fast);
  EXPECT_TRUE(square.growth(1).fast);
  EXPECT_TRUE(square.fast());
}

TEST(Scaling, FitsExponents) {
  const ScalingSweep sweep = sweep_of({{1, 3, 5}, {2, 12, 10}, {4, 48, 20}, {8, 192, 40}});
  EXPECT_NEAR(sweep.time_exponent(), 2, 1e-12);
  EXPECT_NEAR(sweep.flops_exponent(), 1, 1e-12);
  EXPECT_EQ(sweep_of({{1, 3, 5}}).time_exponent(), 0);
}

TEST(Scaling, PageShowsPlotsAndMarksWhatGrowsFaster) {
  const std::vector<ScalingSweep> sweeps = {sweep_of({{32, 0.5, 1e9}, {64, 1.0, 2e9}, {128, 4.0, 4e9}}),
                                            {"threads", "B 8", {{1, 0.5, 1e9}, {2, 0.3, 1e9}}}};
  const std::string page = scaling_page(sweeps, "f32 & more", "1.2.3");
  EXPECT_THAT(page, HasSubstr("f32 &amp; more"));
  EXPECT_THAT(page, HasSubstr("B 8, &lt;C&gt; 128"));
  EXPECT_THAT(page, HasSubstr("2.00 ▲</td>"));
  EXPECT_THAT(page, HasSubstr("nowhere does time grow faster"));
  EXPECT_THAT(page, HasSubstr("<title>128: 4000.000 ms</title>"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
}

TEST(Scaling, PageOfOneThreadHasNothingToCompare) {
  const std::vector<ScalingSweep> sweeps = {{"threads", "B 8", {{1, 0.5, 1e9}}}};
  const std::string page = scaling_page(sweeps, "", "");
  EXPECT_THAT(page, HasSubstr("one size, nothing to compare"));
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace minnow
