#include "minnow/base/fast_hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <memory>

#include "base/read_pieces.hpp"
#include "minnow/base/error.hpp"

namespace minnow {

std::uint64_t fast_hash(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::uint64_t fast_file_hash(const std::filesystem::path& path) {
  struct StateDeleter {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  const std::unique_ptr<XXH3_state_t, StateDeleter> state(XXH3_createState());
  if (!state || XXH3_64bits_reset(state.get()) != XXH_OK) throw MemoryError("[fast_file_hash] no memory for the hash.");
  detail::read_pieces("fast_file_hash", path, [&](std::span<const std::byte> piece) {
    (void)XXH3_64bits_update(state.get(), piece.data(), piece.size());
  });
  return XXH3_64bits_digest(state.get());
}

}  // namespace minnow
