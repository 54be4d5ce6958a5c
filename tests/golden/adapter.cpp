#include "golden/adapter.hpp"

#include <fmt/format.h>

namespace minnow::golden {
namespace {

const std::map<std::string, AdapterTable>& tables() {
  static const std::map<std::string, AdapterTable> all = {
      {"elementwise", elementwise_adapters()},
      {"reduction", reduction_adapters()},
      {"matmul", matmul_adapters()},
      {"norm", norm_adapters()},
      {"attention", attention_adapters()},
      {"clip", clip_adapters()},
      {"schedule", schedule_adapters()},
      {"optimiser", optimiser_adapters()},
      {"block", block_adapters()},
      {"model", model_adapters()},
      {"loss", loss_adapters()},
      {"shape", shape_adapters()},
      {"position", position_adapters()},
      {"ctc", ctc_adapters()},
      {"linear_sparse", linear_sparse_adapters()},
      {"audio", audio_adapters()},
      {"multihead", multihead_adapters()},
      {"convolution", convolution_adapters()},
  };
  return all;
}

}  // namespace

const Tensor& Call::pick(Values& from, const char* prefix, const std::string& name) {
  const auto found = from.find(name);
  if (found == from.end()) throw Unsupported(fmt::format("{}{} is missing", prefix, name));
  asked_.insert(prefix + name);
  return found->second;
}

const Tensor& Call::in(const std::string& name) { return pick(inputs_, "in.", name); }
const Tensor& Call::param(const std::string& name) { return pick(params_, "param.", name); }
Tensor Call::optional_in(const std::string& name) { return has_in(name) ? in(name) : Tensor(); }

const Values& Call::all_in() {
  for (const auto& [name, value] : inputs_) asked_.insert("in." + name);
  return inputs_;
}
const Values& Call::all_params() {
  for (const auto& [name, value] : params_) asked_.insert("param." + name);
  return params_;
}

Tensor Call::stored(const std::string& name) const {
  auto found = file_.find("f64." + name);
  if (found == file_.end()) found = file_.find(name);
  if (found == file_.end()) throw Unsupported(fmt::format("{} is missing", name));
  return found->second.to(dtype_);
}

void Call::finish() const {
  options.finish();
  for (const auto& [prefix, values] : {std::pair{"in.", &inputs_}, std::pair{"param.", &params_}}) {
    for (const auto& [name, value] : *values) {
      if (!asked_.contains(prefix + name)) throw Unsupported(fmt::format("{}{} is not known", prefix, name));
    }
  }
}

Adapter find_adapter(const Case& which) {
  const auto table = tables().find(which.kind);
  if (table == tables().end()) throw Unsupported(fmt::format("kind {} has no adapters yet", which.kind));
  const auto adapter = table->second.find(which.op);
  if (adapter == table->second.end()) throw Unsupported(fmt::format("op {} has no adapter yet", which.op));
  return adapter->second;
}

}  // namespace minnow::golden
