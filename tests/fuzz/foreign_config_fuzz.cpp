// Feeds any text to the reader of config.json. What is accepted names tensors of sizes that fit 64 bits.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/exchange/foreign_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto read = minnow::exchange::read_foreign_config({reinterpret_cast<const char*>(data), size}, "fuzz");
    const minnow::ModelConfig& model = read.model;
    const bool sound = model.n_layer > 0 && model.n_embd % model.n_head == 0 && model.n_head % model.kv_heads() == 0 &&
                       model.vocab_size > 0 && model.block_size > 0 && model.hidden_width() > 0;
    if (!sound) std::abort();
    if (minnow::exchange::why_not_foreign(model).empty()) {  // what is written reads back
      const std::string text = minnow::exchange::write_foreign_config(model, model.vocab_size, {});
      if (minnow::exchange::read_foreign_config(text).model.n_embd != model.n_embd) std::abort();
    } else {
      std::abort();
    }
  } catch (const minnow::CheckpointError&) {  // the answer to a bad file
    return 0;
  }
  return 0;
}
