#include "minnow/io/run_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "io/own_temporary.hpp"
#include "io/system_error.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/file.hpp"

namespace minnow {

namespace {

// Whether the name still leads to the file that was locked (somebody may have removed the directory meanwhile).
bool still_named(int descriptor, const std::filesystem::path& path) {
  struct stat locked {
  }, named{};
  return ::fstat(descriptor, &locked) == 0 && ::stat(path.c_str(), &named) == 0 && locked.st_dev == named.st_dev &&
         locked.st_ino == named.st_ino;
}

std::string holder_line(int descriptor) {
  char text[256];
  const ssize_t got = ::pread(descriptor, text, sizeof(text), 0);
  return got <= 0 ? "" : std::string(text, static_cast<std::size_t>(got));
}

// "process 123 on host abc", once that is the truth: the winner writes its line a moment after it has the lock, so for
// a short while the file may be empty or name a process that is gone.
std::string describe_holder(int descriptor) {
  constexpr int kTries = 50;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const std::string line = holder_line(descriptor);
    long pid = 0;
    constexpr std::string_view kStart = "pid ";
    if (line.starts_with(kStart) && line.ends_with('\n')) {
      std::from_chars(line.data() + kStart.size(), line.data() + line.size(), pid);
      const std::size_t host = line.find(" host ");
      const std::string name = host == std::string::npos ? "" : line.substr(host + 6, line.size() - host - 7);
      if (name != detail::host_name() || detail::process_alive(pid, 0)) {
        return fmt::format("process {} on host {}", pid, name);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return "a process that did not leave its number";
}

void write_holder(int descriptor, const std::filesystem::path& path) {
  const std::string line = fmt::format("pid {} host {}\n", ::getpid(), detail::host_name());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) {
    detail::throw_io_error(path, "writable", errno, fmt::format("{} bytes needed", line.size()));
  }
}

}  // namespace

RunLock RunLock::acquire(const std::filesystem::path& run_dir) {
  const std::filesystem::path path = run_dir / ".lock";
  for (;;) {
    make_directories(run_dir);
    RunLock lock(detail::retry_interrupted([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666); }));
    if (!lock.held()) {
      if (errno == ENOENT && !path_exists(run_dir)) continue;  // removed between the two calls
      detail::throw_io_error(path, "a lock file that can be created", errno);
    }
    if (detail::retry_interrupted([&] { return ::flock(lock.descriptor_, LOCK_EX | LOCK_NB); }) != 0) {
      if (errno != EWOULDBLOCK) detail::throw_io_error(path, "lockable", errno);
      throw BusyError(
          fmt::format("[run] '{}' must be free for this process; got: {} writes in it. Hint: wait for it, "
                      "stop it, or choose another directory with --run.",
                      run_dir.string(), describe_holder(lock.descriptor_)));
    }
    if (!still_named(lock.descriptor_, path)) continue;
    write_holder(lock.descriptor_, path);
    return lock;
  }
}

RunLock::~RunLock() { release(); }

RunLock::RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  if (this != &other) {
    release();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

void RunLock::release() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace minnow
