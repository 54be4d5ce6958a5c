#pragma once
/// @file
/// Shows every operation that runs to whoever wants to look: what a forward pass truly computes, tensor by tensor.

#include <functional>
#include <span>
#include <string>

#include "minnow/autograd/op.hpp"

namespace minnow {

/// One operation that has just run. The spans live during the call alone; the tensors may be kept.
struct OpCall {
  const Op& op;
  const AttrBox& attrs;
  std::span<const Tensor> inputs;   ///< as the caller gave them, undefined where an optional one is absent
  std::span<const Tensor> outputs;  ///< recorded already, so that retain_grad() and register_hook() take them
  std::string scope;                ///< the part of the model that runs: "transformer.h.0.attn"
};

/// While one lives, this thread calls `look` behind every operation. What `look` runs itself is not observed; a second
/// observer takes the place of the first as long as it lives. Without one an operation costs one comparison more.
class Observer {
 public:
  explicit Observer(std::function<void(const OpCall&)> look);
  ~Observer();
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

 private:
  std::function<void(const OpCall&)> look_;
  const std::function<void(const OpCall&)>* before_;
};

}  // namespace minnow
