#include "ops/largest.hpp"

namespace minnow::ops {

std::vector<Sample> largest_samples() {
  std::vector<Sample> made;
  struct Call {
    Shape shape;
    Index axis;
    bool keepdim;
  };
  for (const Call& call : {Call{{3, 4, 5}, 1, false}, Call{{3, 4, 5}, -1, true}, Call{{3, 4, 5}, 0, false},
                           Call{{7}, 0, false}, Call{{300, 70}, 1, false}, Call{{0, 3}, 1, false}}) {
    made.push_back({.note = call.shape.str() + " over axis " + std::to_string(call.axis),
                    .inputs = {sample_numbers(call.shape, -200, 200)},
                    .attrs = AttrBox::of(LargestAttrs{call.axis, call.keepdim})});
  }
  made.push_back({.note = "ties",
                  .inputs = {Tensor::from<double>({3, 1, 3, 3, 0, 2, 2, -1}, {2, 4})},
                  .attrs = AttrBox::of(LargestAttrs{1}),
                  .smooth = false});
  made.push_back({.note = "no such axis",
                  .inputs = {sample_numbers({3, 4}, 0, 1)},
                  .attrs = AttrBox::of(LargestAttrs{2}),
                  .valid = false});
  made.push_back({.note = "no element",
                  .inputs = {sample_numbers({3, 0}, 0, 1)},
                  .attrs = AttrBox::of(LargestAttrs{1}),
                  .valid = false});
  return made;
}

}  // namespace minnow::ops
