#include "minnow/base/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include "minnow/base/error.hpp"

namespace minnow {
namespace {

std::string hint_for(int code) {
  if (code == ENOENT) {
    return " Hint: check the spelling of the path; relative paths start at the working directory. scripts/get_data "
           "brings the "
           "public texts that the shipped configurations name.";
  }
  if (code == EACCES) return " Hint: the file exists but may not be read; see its permissions.";
  return "";
}

[[noreturn]] void fail(std::string_view who, const std::filesystem::path& path, int code) {
  throw IoError(fmt::format("[{}] file must be readable; got \"{}\" for {}.{}", who, std::strerror(code), path.string(),
                            hint_for(code)));
}

std::int64_t written_ns(const struct stat& info) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return static_cast<std::int64_t>(info.st_mtim.tv_sec) * kNanoseconds + info.st_mtim.tv_nsec;
}

}  // namespace

namespace mapped_file {

/// One mapping, as a signal handler may look at it. Never freed, taken again by later mappings.
struct Watched {
  std::atomic<std::uintptr_t> begin{0};  ///< 0: not in use
  std::atomic<std::size_t> size{0};
  std::atomic<bool> cut{false};  ///< something behind the end of the file was read
  Watched* next = nullptr;
};
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<Watched*>::is_always_lock_free,
              "a signal handler may not wait for a lock");

namespace {

std::atomic<Watched*> first_watched{nullptr};
std::size_t page_bytes = 0;

Watched* watch(const std::byte* data, std::size_t size) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  Watched* place = first_watched.load();
  while (place != nullptr && place->begin.load() != 0) place = place->next;
  if (place == nullptr) {
    place = new Watched;
    place->next = first_watched.load();
    first_watched.store(place);
  }
  place->cut.store(false);
  place->size.store(size);
  place->begin.store(reinterpret_cast<std::uintptr_t>(data));
  return place;
}

/// Puts a page of zeros where the file has none any more. Only async-signal-safe calls are allowed here; mmap is one
/// system call on Linux.
extern "C" void on_bus_error(int number, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Watched* one = first_watched.load(); one != nullptr && info->si_code == BUS_ADRERR; one = one->next) {
    const std::uintptr_t begin = one->begin.load();
    if (begin == 0 || address < begin || address - begin >= one->size.load()) continue;
    void* page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
    if (::mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    one->cut.store(true);
    return;
  }
  std::signal(number, SIG_DFL);  // not ours: the instruction runs again and has the system's effect
}

}  // namespace
}  // namespace mapped_file

void survive_cut_files() {
  mapped_file::page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction action {};
  action.sa_sigaction = mapped_file::on_bus_error;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

MappedFile::~MappedFile() {
  if (watched_ != nullptr) watched_->begin.store(0);
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void MappedFile::swap(MappedFile& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(written_ns_, other.written_ns_);
  std::swap(watched_, other.watched_);
  path_.swap(other.path_);
}

MappedFile MappedFile::open(const std::filesystem::path& path, std::string_view who) {
  MappedFile file;
  file.path_ = path;
  // O_NONBLOCK: opening a named pipe that nobody writes to must not hang; it has no effect on regular files.
  do {
    file.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (file.descriptor_ < 0 && errno == EINTR);
  if (file.descriptor_ < 0) fail(who, path, errno);
  struct stat info {};
  if (::fstat(file.descriptor_, &info) != 0) fail(who, path, errno);
  if (S_ISDIR(info.st_mode)) fail(who, path, EISDIR);
  if (!S_ISREG(info.st_mode)) {
    throw IoError(fmt::format("[{}] must be a regular file; got a device, pipe or socket: {}.", who, path.string()));
  }
  file.written_ns_ = written_ns(info);
  if (info.st_size == 0) return file;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor_, 0);
  if (address == MAP_FAILED) fail(who, path, errno);
  file.data_ = static_cast<const std::byte*>(address);
  file.size_ = size;
  file.watched_ = mapped_file::watch(file.data_, size);
  return file;
}

void MappedFile::check_unchanged() const {
  if (descriptor_ < 0) return;
  struct stat info {};
  if (::fstat(descriptor_, &info) != 0) fail("file", path_, errno);
  const auto now = static_cast<std::uintmax_t>(info.st_size);
  const bool cut = watched_ != nullptr && watched_->cut.load();
  if (now == size_ && written_ns(info) == written_ns_ && !cut) return;
  std::string change = "it was written to meanwhile";
  if (now != size_)
    change = fmt::format("got {} bytes instead of {}", now, size_);
  else if (cut)
    change = "it was cut for a while";
  throw IoError(
      fmt::format("[file] must stay as it is while it is in use; {}: {}. Hint: put changed data into a new file and "
                  "rename it; a file that is mapped is never written to",
                  change, path_.string()));
}

}  // namespace minnow
