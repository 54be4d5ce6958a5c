#include "minnow/tensor/arena.hpp"

#include <gtest/gtest.h>

#include "minnow/tensor/tensor.hpp"

namespace minnow {
namespace {

using Numbers = std::vector<double>;

/// A little step: several tensors are born and die; the result depends on all of them.
double small_step(Index n, double seed) {
  Tensor a = Tensor::full({n}, seed, DType::f64);
  double total = 0;
  for (int i = 0; i < 3; ++i) {
    Tensor b = a.clone();
    b.mutable_data<double>()[n - 1] += 1 + i;
    const Tensor c = b.to(DType::f32);
    a = c.to(DType::f64);
    total += a.to_vector<double>().back();
  }
  return total;
}

TEST(StepArena, ReplaysStepsWithTheSameBits) {
  StepArena arena;
  const double on_the_heap = small_step(1000, 0.5);
  for (int i = 0; i < 4; ++i) {
    const StepArena::Step step(arena, 1);
    EXPECT_EQ(small_step(1000, 0.5), on_the_heap);
  }
  const StepArena::Statistics seen = arena.statistics();
  EXPECT_EQ(seen.recorded, 1U);
  EXPECT_EQ(seen.replayed, 3U);
  EXPECT_EQ(seen.departed, 0U);
  EXPECT_EQ(seen.heap_served, 0U);
  EXPECT_GT(seen.block_bytes, 0U);
  EXPECT_LT(seen.block_bytes, std::size_t{7 * 8 * 1000});  // the dead make room for the young
}

TEST(StepArena, ReplayedStepsUseTheSamePlaces) {
  StepArena arena;
  const std::byte* place = nullptr;
  for (int i = 0; i < 4; ++i) {
    const StepArena::Step step(arena, 1);
    const Tensor x = Tensor::zeros({500});
    if (i == 1) place = x.raw();
    if (i > 1) {
      EXPECT_EQ(x.raw(), place);
    }
  }
}

TEST(StepArena, AnEscapingTensorStaysValid) {
  StepArena arena;
  Tensor kept;
  Tensor view;
  for (int i = 0; i < 5; ++i) {
    const StepArena::Step step(arena, 1);
    const Tensor x = Tensor::full({300}, i, DType::f64);
    if (i == 2) {
      kept = x;
      view = x.as_strided({2}, {7}, 11);
    }
  }
  EXPECT_EQ(arena.statistics().moved_out, 1U);
  EXPECT_EQ(kept.to_vector<double>(), Numbers(300, 2.0));
  EXPECT_EQ(view.to_vector<double>(), (Numbers{2, 2}));
}

TEST(StepArena, ATensorMayOutliveTheArena) {
  Tensor kept;
  {
    StepArena arena;
    for (int i = 0; i < 2; ++i) {
      const StepArena::Step step(arena, 1);
      const Tensor x = Tensor::full({300}, 3, DType::f64);
      if (i == 1) kept = x;
    }
  }
  EXPECT_EQ(kept.to_vector<double>(), Numbers(300, 3.0));
}

TEST(StepArena, APlaceIsGivenOnlyWhenItsEarlierTenantsAreDead) {
  StepArena arena;
  for (int i = 0; i < 2; ++i) {
    const StepArena::Step step(arena, 1);
    Tensor a = Tensor::full({256}, 1, DType::f64);
    if (i == 0) a = Tensor();                             // recorded: b may lie on a
    const Tensor b = Tensor::full({256}, 2, DType::f64);  // replayed: a still lives
    if (i == 1) {
      EXPECT_EQ(a.to_vector<double>(), Numbers(256, 1.0));
    }
    EXPECT_EQ(b.to_vector<double>(), Numbers(256, 2.0));
  }
  EXPECT_EQ(arena.statistics().heap_served, 1U);
}

TEST(StepArena, ADepartureFromThePlanGoesOnOnTheHeap) {
  StepArena arena;
  for (Index n : {100, 100, 70, 100, 130}) {
    const double on_the_heap = small_step(n, 0.25);
    const StepArena::Step step(arena, 1);
    EXPECT_EQ(small_step(n, 0.25), on_the_heap);
  }
  EXPECT_EQ(arena.statistics().departed, 2U);
  EXPECT_EQ(arena.statistics().replayed, 2U);

  StepArena shorter;
  for (int tensors : {3, 2, 4, 3}) {  // fewer and more tensors than planned
    const StepArena::Step step(shorter, 1);
    for (int i = 0; i < tensors; ++i) EXPECT_EQ(Tensor::full({50}, i).to_vector<double>(), Numbers(50, i));
  }
  EXPECT_EQ(shorter.statistics().departed, 2U);
}

TEST(StepArena, APlanThatKeepsBeingLeftIsRecordedAnew) {
  StepArena arena;
  for (Index n : {100, 40, 40, 40, 40}) {
    const StepArena::Step step(arena, 1);
    (void)small_step(n, 1);
  }
  EXPECT_EQ(arena.statistics().recorded, 2U);
  EXPECT_EQ(arena.statistics().replayed, 1U);
}

TEST(StepArena, KeepsABoundedNumberOfPlans) {
  StepArena arena(2);
  const auto run = [&](std::uint64_t key) {
    const StepArena::Step step(arena, key);
    (void)small_step(static_cast<Index>(100 + key), 1);
  };
  for (std::uint64_t key : {1U, 2U, 1U, 3U, 1U}) run(key);  // 3 drives out 2, the least recently used
  EXPECT_EQ(arena.statistics().plans, 2U);
  EXPECT_EQ(arena.statistics().recorded, 3U);
  EXPECT_EQ(arena.statistics().replayed, 2U);
  run(2);
  EXPECT_EQ(arena.statistics().recorded, 4U);
  EXPECT_EQ(arena.statistics().plans, 2U);
}

TEST(StepArena, AStepInsideAStepHasNoEffect) {
  StepArena outer;
  StepArena inner;
  for (int i = 0; i < 3; ++i) {
    const StepArena::Step step(outer, 1);
    const Tensor before = Tensor::full({64}, 1);
    {
      const StepArena::Step nested(inner, 1);
      const Tensor during = Tensor::full({64}, 2);
      const StepArena::Step same(outer, 2);
    }
    const Tensor after = Tensor::full({64}, 3);
    EXPECT_EQ(before.to_vector<double>(), Numbers(64, 1.0));
    EXPECT_EQ(after.to_vector<double>(), Numbers(64, 3.0));
  }
  EXPECT_EQ(inner.statistics().recorded, 0U);
  EXPECT_EQ(outer.statistics().recorded, 1U);
  EXPECT_EQ(outer.statistics().replayed, 2U);
}

}  // namespace
}  // namespace minnow
