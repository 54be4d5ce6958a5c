// A GPT made of the library's blocks learns a counting rhyme by heart, letter by letter, and recites it.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <minnow/minnow.hpp>
#include <string>

using namespace minnow;

namespace {

const std::string kRhyme =
    "one, two, buckle my shoe; three, four, knock at the door; five, six, pick up sticks; "
    "seven, eight, lay them straight; nine, ten, a big fat hen. ";

/// x += attention(norm(x)); x += mlp(norm(x)).
struct Block {
  nn::Norm ln_1, ln_2;
  nn::Linear qkv, out, up, down;
  Index heads;

  Block(ParameterList& list, const std::string& name, Index width, Index n_head, const Initializer& init)
      : ln_1(nn::Norm::make(list, name + ".ln_1", width, nn::NormType::kLayer, true, 1e-5)),
        ln_2(nn::Norm::make(list, name + ".ln_2", width, nn::NormType::kLayer, true, 1e-5)),
        qkv(nn::Linear::make(list, name + ".qkv", width, 3 * width, true, init)),
        out(nn::Linear::make(list, name + ".out", width, width, true, init)),
        up(nn::Linear::make(list, name + ".up", width, 4 * width, true, init)),
        down(nn::Linear::make(list, name + ".down", 4 * width, width, true, init)),
        heads(n_head) {}

  [[nodiscard]] Tensor operator()(const Tensor& x) const {  // (B, T, C)
    const Tensor mixed = x + out(packed_self_attention(qkv(ln_1(x)), heads, {.causal = true}));
    return mixed + down(up(ln_2(mixed), kernels::Activation::kGeluTanh));
  }
};

struct Gpt {
  ParameterList parameters;
  Tensor tokens, places;  // (V, C), (T, C)
  std::vector<Block> blocks;
  nn::Norm ln_f;

  Gpt(Index vocab, Index block_size, Index width, Index n_head, Index n_layer) {
    const Initializer init = Initializer::normal(0.08);
    tokens = parameters.add("tokens", {vocab, width}, init);
    places = parameters.add("places", {block_size, width}, init);
    for (Index i = 0; i < n_layer; ++i) {
      blocks.emplace_back(parameters, "block." + std::to_string(i), width, n_head, init);
    }
    ln_f = nn::Norm::make(parameters, "ln_f", width, nn::NormType::kLayer, true, 1e-5);
    parameters.initialize(1);
  }

  /// @param ids (B, T). @return (B, T, C)
  [[nodiscard]] Tensor operator()(const Tensor& ids) const {
    Tensor x = embedding(tokens, ids) + slice(places, 0, 0, ids.size(1));
    for (const Block& block : blocks) x = block(x);
    return ln_f(x);
  }
};

/// @return rows of `length` ids from places of the rhyme, and the ids behind each of them.
std::pair<Tensor, Tensor> make_batch(const std::vector<std::int64_t>& ids, Index rows, Index length, int step) {
  std::vector<std::int64_t> inputs, targets;
  for (Index row = 0; row < rows; ++row) {
    const auto first = static_cast<std::size_t>(step * 31 + row * 17);
    for (std::size_t t = first; t < first + static_cast<std::size_t>(length); ++t) {
      inputs.push_back(ids[t % ids.size()]);
      targets.push_back(ids[(t + 1) % ids.size()]);
    }
  }
  return {Tensor::from(inputs, {rows, length}), Tensor::from(targets, {rows, length})};
}

std::string recite(const Gpt& gpt, const CharTokenizer& letters, const std::string& start, Index count, Index window) {
  const NoGrad no_grad;
  std::string text = start;
  while (static_cast<Index>(text.size()) < count) {
    const auto from =
        text.size() > static_cast<std::size_t>(window) ? text.size() - static_cast<std::size_t>(window) : 0;
    const std::vector<std::int32_t> ids = letters.encode(text.substr(from));
    const Tensor x = gpt(Tensor::from(ids, {1, static_cast<Index>(ids.size())}));
    const Tensor scores = linear(select(x, 1, -1), gpt.tokens);  // (1, V)
    const auto next = static_cast<std::int32_t>(argmax(scores, -1).to_vector<std::int64_t>().front());
    text += letters.decode(std::span(&next, 1));
  }
  return text;
}

}  // namespace

int main() {
  constexpr Index kWindow = 32;
  const auto letters = CharTokenizer::train(kRhyme);
  const std::vector<std::int32_t> rhyme = letters->encode(kRhyme);
  const std::vector<std::int64_t> ids(rhyme.begin(), rhyme.end());
  Gpt gpt(letters->vocab_size(), kWindow, 48, 4, 2);
  FlatParameters flat(gpt.parameters);  // all weights in one buffer, and so their gradients
  Tensor gradients = Tensor::zeros({flat.count()});
  flat.collect_gradients_in(gradients);
  AdamW adamw(flat.layout(), {.beta2 = 0.99});
  std::printf("%lld parameters\n", static_cast<long long>(gpt.parameters.count()));
  double last = 0;
  for (int step = 0; step < 400; ++step) {
    const auto [x, y] = make_batch(ids, 8, kWindow, step);
    const Tensor loss = linear_cross_entropy(gpt(x), gpt.tokens, {}, y);  // the head is the embedding
    gradients.fill(0);
    backward(loss);
    adamw.step(flat.values(), gradients, 3e-3);
    last = loss.item();
    if (step % 100 == 99) std::printf("step %3d  loss %.4f\n", step + 1, last);
  }
  const std::string text = recite(gpt, *letters, "one, two, buckle", static_cast<Index>(kRhyme.size()), kWindow);
  std::printf("%s\n", text.c_str());
  return last < 0.2 && text == kRhyme ? EXIT_SUCCESS : EXIT_FAILURE;
}
