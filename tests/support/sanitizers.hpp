#pragma once

namespace minnow::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MINNOW_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define MINNOW_SANITIZED 1
#endif
#endif

/// Whether this build runs under AddressSanitizer or ThreadSanitizer, whose own memory and threads some tests would
/// measure.
#ifdef MINNOW_SANITIZED
inline constexpr bool kSanitized = true;
#undef MINNOW_SANITIZED
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace minnow::test
