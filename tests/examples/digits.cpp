// A network of two layers learns to read handwritten digits: 8 * 8 pixels of 0 .. 16, a digit a line, the label last.
//
//   digits FILE.csv      (without a file: images/digits_8x8.csv in $MINNOW_SHARED_DIR/data, if that is set)

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <minnow/minnow.hpp>
#include <sstream>

using namespace minnow;

namespace {

struct Digits {
  Tensor pixels, labels;  // (N, 64) f32 in 0 .. 1; (N) i64
};

Digits read_digits(std::istream& in) {
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) pixels.push_back(std::stof(field) / 16);
    labels.push_back(static_cast<std::int64_t>(pixels.back() * 16));
    pixels.pop_back();
  }
  const auto count = static_cast<Index>(labels.size());
  return {Tensor::from(pixels, {count, 64}), Tensor::from(labels, {count})};
}

std::string data_file(int argc, char** argv) {
  if (argc > 1) return argv[1];
  const char* shared = std::getenv("MINNOW_SHARED_DIR");
  return shared == nullptr ? "" : std::string(shared) + "/data/images/digits_8x8.csv";
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  std::ifstream file(data_file(argc, argv));
  if (!file) {
    std::puts("skipped: no data. usage: digits FILE.csv, or set MINNOW_SHARED_DIR");
    return kSkipped;
  }
  const Digits all = read_digits(file);
  const Index count = all.labels.numel();
  const Index train = count * 4 / 5;

  // The model, its parameters, its beginning.
  ParameterList parameters;
  const auto first = nn::Linear::make(parameters, "first", 64, 64, true, Initializer::normal(0.15));
  const auto second = nn::Linear::make(parameters, "second", 64, 10, true, Initializer::normal(0.15));
  parameters.initialize(1);
  const auto model = [&](const Tensor& x) { return second(first(x, kernels::Activation::kRelu)); };

  // Training: all images at once, plain gradient descent.
  const Tensor x = slice(all.pixels, 0, 0, train);
  const Tensor y = slice(all.labels, 0, 0, train).contiguous();
  for (int step = 0; step <= 300; ++step) {
    const Tensor loss = cross_entropy(model(x), y);
    if (step % 100 == 0) std::printf("step %3d  loss %.4f\n", step, loss.item());
    backward(loss);
    const NoGrad no_grad;
    for (const Parameter& p : parameters.all()) {
      Tensor weight = p.tensor;
      weight.copy_from(weight - 0.5 * grad(weight));
      set_grad(weight, {});
    }
  }

  // What it makes of digits that it has not seen.
  const NoGrad no_grad;
  const Tensor guess = argmax(model(slice(all.pixels, 0, train, count)), -1);
  const Tensor right = eq(guess, slice(all.labels, 0, train, count).contiguous());
  const double accuracy = mean(where(right, Tensor::full({}, 1), Tensor::full({}, 0))).item();
  std::printf("%.1f %% of %lld unseen digits are right\n", 100 * accuracy, static_cast<long long>(count - train));
  return accuracy > 0.88 ? EXIT_SUCCESS : EXIT_FAILURE;
}
