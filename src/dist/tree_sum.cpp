#include "minnow/dist/tree_sum.hpp"

#include "minnow/base/error.hpp"
#include "minnow/kernels/elementwise.hpp"

namespace minnow {

void TreeSum::reset() {
  for (Subtree& subtree : stack_) spare_.push_back(std::move(subtree.sum));
  stack_.clear();
  if (leaf_.defined()) spare_.push_back(std::move(leaf_));
  leaf_ = Tensor();
  loss_ = 0;
}

Tensor& TreeSum::next_leaf() {
  if (!leaf_.defined()) {
    if (spare_.empty()) {
      leaf_ = Tensor::empty({count_}, dtype_);
    } else {
      leaf_ = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  return leaf_;
}

void TreeSum::push(double loss) {
  stack_.push_back({std::move(leaf_), loss, 0});
  leaf_ = Tensor();
  while (stack_.size() > 1 && stack_[stack_.size() - 2].height == stack_.back().height) merge_last_two();
}

void TreeSum::merge_last_two() {
  Subtree right = std::move(stack_.back());
  stack_.pop_back();
  Subtree& left = stack_.back();
  if (dtype_ == DType::f64) {
    auto* sum = left.sum.mutable_data<double>();
    kernels::add(sum, sum, right.sum.data<double>(), count_);
  } else {
    auto* sum = left.sum.mutable_data<float>();
    kernels::add(sum, sum, right.sum.data<float>(), count_);
  }
  left.loss += right.loss;
  left.height = std::max(left.height, right.height) + 1;
  spare_.push_back(std::move(right.sum));
}

Tensor& TreeSum::finish() {
  if (stack_.empty()) throw ShapeError("[tree_sum] at least one leaf must have been pushed; got none");
  while (stack_.size() > 1) merge_last_two();
  loss_ = stack_.front().loss;
  return stack_.front().sum;
}

}  // namespace minnow
