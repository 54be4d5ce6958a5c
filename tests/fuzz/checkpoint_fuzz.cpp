// Feeds any text to the manifest reader, as it is and again with its own hash put right, so that the rules behind the
// hash are reached. What is accepted must be exactly what minnow would write.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/io/manifest.hpp"

namespace {

void read(std::string_view text) {
  try {
    const minnow::Manifest manifest = minnow::parse_manifest(text, "fuzz");
    if (minnow::manifest_text(manifest) != text) std::abort();
    for (const minnow::FileRecord& file : manifest.files) {
      if (manifest.find(file.name) != &file || file.name.find('/') != std::string::npos) std::abort();
    }
  } catch (const minnow::CheckpointError&) {  // the answer to a bad manifest
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read(text);
  constexpr std::string_view kOwnHash = "\"manifest_sha256\": \"";
  const std::size_t at = text.rfind(kOwnHash);
  std::string body(text.substr(0, at));
  body += kOwnHash;
  const std::string hash = minnow::sha256_hex(body);
  read(body + hash + "\"\n}\n");
  return 0;
}
