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

using detail::still_named;

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
  MissingDirectories made(run_dir);
  for (;;) {
    make_directories(run_dir);
    const auto open_with = [&](int flags) {
      return detail::retry_interrupted([&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0666); });
    };
    RunLock lock(open_with(O_CREAT | O_EXCL));
    lock.made_file_ = lock.held();
    if (!lock.held() && errno == EEXIST) lock.descriptor_ = open_with(O_CREAT);
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
    struct stat directory {};
    if (::stat(run_dir.c_str(), &directory) != 0 || !still_named(lock.descriptor_, path)) continue;
    write_holder(lock.descriptor_, path);
    lock.run_dir_ = run_dir;
    lock.made_ = std::move(made);
    lock.device_ = directory.st_dev;
    lock.inode_ = directory.st_ino;
    return lock;
  }
}

RunLock::~RunLock() { release(); }

void RunLock::keep() {
  if (!held() || still_named(descriptor_, run_dir_ / ".lock")) return;
  struct stat now {};
  const bool there = ::stat(run_dir_.c_str(), &now) == 0;
  if (!there || now.st_dev != device_ || now.st_ino != inode_) {
    throw IoError(
        fmt::format("[run] '{}' must stay where it is while a process writes in it; it was {}. Hint: what was saved "
                    "before is where the directory went; go on there with --resume",
                    run_dir_.string(), there ? "replaced by another directory" : "removed or moved"));
  }
  *this = acquire(run_dir_);
}

void RunLock::take(RunLock& other) noexcept {
  descriptor_ = std::exchange(other.descriptor_, -1);
  made_file_ = std::exchange(other.made_file_, false);
  run_dir_ = std::move(other.run_dir_);
  made_ = std::move(other.made_);
  device_ = other.device_;
  inode_ = other.inode_;
}

RunLock::RunLock(RunLock&& other) noexcept { take(other); }

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  if (this != &other) {
    release();
    take(other);
  }
  return *this;
}

void RunLock::withdraw() noexcept {
  if (!held()) return;
  // Whoever opened the file meanwhile finds that it is gone once the lock is free, and tries again.
  if (made_file_ && still_named(descriptor_, run_dir_ / ".lock")) ::unlink((run_dir_ / ".lock").c_str());
  release();
  made_.remove_empty();
}

void RunLock::release() noexcept {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

}  // namespace minnow
