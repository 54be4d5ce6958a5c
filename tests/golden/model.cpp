// Adapters of the kind model: as the program trains them, with the real training step.

#include <algorithm>
#include <memory>

#include "golden/adapter.hpp"
#include "golden/model_options.hpp"
#include "minnow/autograd/backward.hpp"
#include "minnow/autograd/variable.hpp"
#include "minnow/models/decoder.hpp"
#include "minnow/train/train_step.hpp"

namespace minnow::golden {
namespace {

ModelConfig sizes(Call& call, Family family) {
  ModelConfig config = ModelConfig::of(family);
  config.n_layer = call.options.integer("layers");
  config.n_embd = call.options.integer("d_model");
  config.n_head = call.options.integer("num_heads");
  config.block_size = call.options.integer("context");
  config.n_inner = call.options.integer("ff");
  config.tie_head = call.options.flag("tied_head");
  config.norm_eps = call.options.number("eps");
  return config;
}

ModelConfig gpt2_config(Call& call) {
  ModelConfig config = sizes(call, Family::kGpt2);
  config.activation = model_activation(call.options.text("activation"));
  config.bias = call.options.flag("bias");
  config.head_bias = call.has_param("lm_head.bias");
  return config;
}

ModelConfig llama_config(Call& call) {
  ModelConfig config = sizes(call, Family::kLlama);
  config.n_kv_head = call.options.integer("kv_heads");
  config.rope_theta = call.options.number("rope_theta");
  const bool halves = rope_pairs(call.options.text("rope_style")) == RopePairs::kHalves;
  config.rope_style = halves ? RopeStyle::kHalf : RopeStyle::kInterleaved;
  return config;
}

/// Gives the model the stored numbers, and lets its gradients come in where the runner reads them.
void take_parameters(Call& call, LanguageModel& model) {
  const Values& given = call.all_params();
  for (const Parameter& parameter : model.parameters().all()) {
    const auto found = given.find(parameter.name);
    if (found == given.end()) throw Unsupported("param." + parameter.name + " is missing");
    if (found->second.shape() != parameter.tensor.shape()) throw Unsupported(parameter.name + " has another shape");
    Tensor tensor = parameter.tensor;
    tensor.copy_from(found->second);
    if (!requires_grad(found->second)) continue;
    const Tensor gradient = Tensor::zeros(tensor.shape(), tensor.dtype());
    set_grad(tensor, gradient);
    set_grad(found->second, gradient);
  }
  if (given.size() != model.parameters().all().size()) throw Unsupported("the case has parameters of another model");
}

Batch batch_of(const Tensor& tokens, const Tensor& targets) {
  Batch batch;
  batch.rows = tokens.size(0);
  batch.length = tokens.size(1);
  batch.tokens = tokens.to_vector<std::int32_t>();
  batch.targets = targets.to_vector<std::int32_t>();
  batch.lengths.assign(static_cast<std::size_t>(batch.rows), static_cast<std::int32_t>(batch.length));
  batch.counted = std::count_if(batch.targets.begin(), batch.targets.end(),
                                [](std::int32_t target) { return target != kIgnoredTarget; });
  batch.counted_in_step = batch.counted;
  return batch;
}

/// What a case says of its training steps.
struct Training {
  TrainStepOptions options;
  double learning_rate = 0;
  Index steps = 0;
};

Training read_training(const Json& config, Index rows) {
  Options options(config);
  Training training;
  options.require("optimiser", "adamw");
  options.require("decay", "parameters with two or more dimensions");
  const std::vector<double> betas = options.numbers("betas");
  if (betas.size() != 2) throw Unsupported("option betas must hold two numbers");
  training.options.optimizer = {.learning_rate = options.number("lr"),
                                .beta1 = betas[0],
                                .beta2 = betas[1],
                                .eps = options.number("eps"),
                                .weight_decay = options.number("weight_decay"),
                                .grad_clip = options.number_or_null("clip").value_or(0)};
  training.options.leaf_sequences = rows;
  training.learning_rate = training.options.optimizer.learning_rate;
  training.steps = options.integer("steps");
  options.finish();
  return training;
}

/// @return steps.loss (steps + 1), steps.grad_norm (steps) and the weights after the steps.
Values train_on(LanguageModel& model, const Batch& batch, const Training& training, DType dtype) {
  TrainStep step(model, training.options);
  std::vector<double> losses;
  std::vector<double> norms;
  for (Index i = 0; i < training.steps; ++i) {
    const auto result = step.run(batch, i, training.learning_rate);
    if (!result || !result->applied) throw std::runtime_error("a training step was refused");
    losses.push_back(result->loss);
    norms.push_back(result->grad_norm);
  }
  const NoGrad no_grad;
  const Shape shape{batch.rows, batch.length};
  const Tensor last = model.loss(Tensor::from(batch.tokens, shape), Tensor::from(batch.targets, shape),
                                 static_cast<double>(batch.counted), {});
  losses.push_back(last.item());
  Values made;
  made["steps.loss"] = Tensor::from(losses, {training.steps + 1}).to(dtype);
  made["steps.grad_norm"] = Tensor::from(norms, {training.steps}).to(dtype);
  for (const auto& [name, tensor] : step.parameters()) made["final." + name] = tensor.clone();
  return made;
}

Outcome language_model(Call& call, const ModelConfig& config) {
  const Tensor& tokens = call.in("tokens");
  const Tensor& targets = call.in("targets");
  const auto model = std::make_shared<Decoder>(config, call.options.integer("vocab"), call.dtype());
  model->set_precision(current_precision());
  take_parameters(call, *model);
  if (call.options.has("noise_entries")) call.options.json("noise_entries");  // the runner leaves them out
  const Batch batch = batch_of(tokens, targets);
  const Tensor loss = model->loss(tokens, targets, static_cast<double>(batch.counted), {});
  Outcome outcome = {{{"loss", loss}, {"logits", model->logits(tokens, {})}}};
  if (call.options.has("train")) {
    const Training training = read_training(call.options.json("train"), batch.rows);
    outcome.train = [=, dtype = call.dtype()] { return train_on(*model, batch, training, dtype); };
  }
  return outcome;
}

Outcome gpt2(Call& call) { return language_model(call, gpt2_config(call)); }
Outcome llama(Call& call) { return language_model(call, llama_config(call)); }

}  // namespace

AdapterTable model_adapters() { return {{"gpt2", gpt2}, {"llama", llama}}; }

}  // namespace minnow::golden
