// Tells what a model computes: exchange_tool FOLDER|RUN < ids.json
//
// The input is a JSON list of lists of token ids, all of one length; the output a JSON object:
//   loss    mean cross entropy of each token but the first, in nats
//   logits  every score, row by row, position by position
//   grads   of that loss, by parameter: l2 (norm) and sum

#include <cmath>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/base/error.hpp"
#include "minnow/train/run.hpp"

namespace minnow {
namespace {

using Json = nlohmann::ordered_json;

Json gradients(LanguageModel& model) {
  Json list = Json::object();
  for (const Parameter& parameter : model.parameters().all()) {
    double squares = 0, sum = 0;
    for (const float g : grad(parameter.tensor).to_vector<float>()) {
      squares += static_cast<double>(g) * static_cast<double>(g);
      sum += static_cast<double>(g);
    }
    list[parameter.name] = {{"l2", std::sqrt(squares)}, {"sum", sum}};
  }
  return list;
}

Json results(LanguageModel& model, const std::vector<std::vector<std::int32_t>>& rows) {
  std::vector<std::int32_t> ids, next;
  for (const auto& row : rows) {
    ids.insert(ids.end(), row.begin(), row.end());
    next.insert(next.end(), row.begin() + 1, row.end());
    next.push_back(-100);
  }
  const Shape shape{static_cast<Index>(rows.size()), static_cast<Index>(rows.at(0).size())};
  const Tensor tokens = Tensor::from(ids, shape);
  const Tensor loss =
      model.loss(tokens, Tensor::from(next, shape), static_cast<double>(ids.size() - rows.size()), ForwardMode{});
  backward(loss);
  Json made = {{"loss", loss.item()}};
  made["logits"] = model.logits(tokens, {}).to_vector<float>();
  made["grads"] = gradients(model);
  return made;
}

}  // namespace
}  // namespace minnow

int main(int argc, char** argv) {
  try {
    const minnow::LoadedRun run = minnow::open_run(argc == 2 ? argv[1] : "");
    const auto rows = nlohmann::json::parse(std::cin).get<std::vector<std::vector<std::int32_t>>>();
    std::cout << minnow::results(*run.model, rows).dump() << "\n";
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
