// Feeds any text to the reader of model.safetensors.index.json. What is accepted names plain files of the folder.

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/exchange/weight_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    std::set<std::string> tensors;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& [tensor, file] : minnow::exchange::read_weight_map(text, "fuzz")) {
      const bool plain = file.ends_with(".safetensors") && file.find('/') == std::string::npos;
      if (!plain || !tensors.insert(tensor).second) std::abort();
    }
  } catch (const minnow::CheckpointError&) {  // the answer to a bad file
    return 0;
  }
  return 0;
}
