#include "minnow/io/tfevents.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>

#include "io/crc32c.hpp"
#include "io/json_text.hpp"
#include "minnow/io/file.hpp"

namespace minnow {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::uint64_t kMaxLogBytes = std::uint64_t{16} << 30U;
constexpr std::string_view kNameStart = "events.out.tfevents.";
constexpr std::string_view kNameEnd = ".minnow";
constexpr std::size_t kBeforeData = 12, kAfterData = 4;  // bytes of a record around its data

/// Wire types of protocol buffers. Source: protobuf.dev, Encoding
enum class Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

template <class T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80U; value >>= 7U) bytes += static_cast<char>(value | 0x80U);
  return bytes + static_cast<char>(value);
}

std::string key(std::uint32_t field, Wire wire) { return varint((field << 3U) | static_cast<std::uint32_t>(wire)); }

std::string bytes_field(std::uint32_t field, std::string_view content) {
  return key(field, Wire::kBytes) + varint(content.size()) + std::string(content);
}

std::string number_field(std::uint32_t field, std::uint64_t value) { return key(field, Wire::kVarint) + varint(value); }

std::string record(std::string_view data) {
  const std::string length = raw(static_cast<std::uint64_t>(data.size()));
  return length + raw(detail::masked_crc32c(length)) + std::string(data) + raw(detail::masked_crc32c(data));
}

/// Event: wall_time 1, step 2 (0 is left out, as every encoder does), then one of what it can hold.
std::string event(double wall_time, std::int64_t step, std::string_view content) {
  std::string data = key(1, Wire::kFixed64) + raw(wall_time);
  if (step != 0) data += number_field(2, static_cast<std::uint64_t>(step));
  return record(data.append(content));
}

std::string summary(std::string_view values) { return bytes_field(5, values); }

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

/// Reads a varint at `at` and moves behind it. @return nothing when the bytes end before
std::optional<std::uint64_t> read_varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

/// @return the step of an event, 0 where it has none; wall time comes before it in all that we write.
std::int64_t step_of(std::string_view data) {
  constexpr std::size_t kWallTime = 9;
  if (data.size() <= kWallTime || data[kWallTime] != 0x10) return 0;
  std::size_t at = kWallTime + 1;
  return static_cast<std::int64_t>(read_varint(data, at).value_or(0));
}

/// @return the data of the record at `at`, or nothing when it is torn or damaged.
std::optional<std::string_view> record_at(std::string_view content, std::size_t at) {
  if (content.size() - at < kBeforeData + kAfterData) return std::nullopt;
  std::uint64_t length = 0;
  std::uint32_t of_length = 0, of_data = 0;
  std::memcpy(&length, content.data() + at, sizeof length);
  std::memcpy(&of_length, content.data() + at + sizeof length, sizeof of_length);
  if (detail::masked_crc32c(content.substr(at, sizeof length)) != of_length) return std::nullopt;
  if (length > content.size() - at - kBeforeData - kAfterData) return std::nullopt;
  const std::string_view data = content.substr(at + kBeforeData, length);
  std::memcpy(&of_data, data.data() + data.size(), sizeof of_data);
  if (detail::masked_crc32c(data) != of_data) return std::nullopt;
  return data;
}

bool is_ours(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(kNameStart) && name.ends_with(kNameEnd);
}

std::vector<std::filesystem::path> our_files(const std::filesystem::path& run_dir) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(run_dir)) {
    if (entry.is_regular_file() && is_ours(entry.path())) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // the names begin with the time
  return files;
}

}  // namespace

std::string events_header(double wall_time) { return event(wall_time, 0, bytes_field(3, "brain.Event:2")); }

std::string scalars_event(double wall_time, std::int64_t step, const EventScalars& scalars) {
  std::string values;
  for (const auto& [tag, value] : scalars) {
    values += bytes_field(1, bytes_field(1, tag) + key(2, Wire::kFixed32) + raw(static_cast<float>(value)));
  }
  return event(wall_time, step, summary(values));
}

std::string text_event(double wall_time, std::int64_t step, std::string_view tag, std::string_view text) {
  constexpr std::uint64_t kString = 7, kTensorData = 2;  // DataType.DT_STRING, DataClass.DATA_CLASS_TENSOR
  const std::string valid = detail::json_unquote(detail::json_quote_lossy(text)).value_or("");
  const std::string shape = bytes_field(2, number_field(1, 1));  // one dimension of size 1
  const std::string tensor = number_field(1, kString) + bytes_field(2, shape) + bytes_field(8, valid);
  const std::string metadata = bytes_field(1, bytes_field(1, "text")) + number_field(4, kTensorData);
  return event(wall_time, step,
               summary(bytes_field(1, bytes_field(1, tag) + bytes_field(8, tensor) + bytes_field(9, metadata))));
}

std::string event_tag(std::string_view metric) {
  constexpr std::string_view kVal = "val_";
  if (metric.starts_with(kVal)) return fmt::format("val/{}", metric.substr(kVal.size()));
  constexpr std::array<std::string_view, 3> kSpeed = {"tokens", "tokens_per_s", "seconds"};
  const bool speed = std::find(kSpeed.begin(), kSpeed.end(), metric) != kSpeed.end();
  return fmt::format("{}/{}", speed ? "speed" : "train", metric);
}

std::string cut_events(std::string_view content, std::int64_t last_step) {
  std::string kept;
  for (std::size_t at = 0; at < content.size();) {
    const auto data = record_at(content, at);
    if (!data) break;
    const std::size_t size = kBeforeData + data->size() + kAfterData;
    if (step_of(*data) <= last_step) kept += content.substr(at, size);
    at += size;
  }
  return kept;
}

std::string new_events_name(double wall_time) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {"host"};
  return fmt::format("{}{:010}.{}.{}.0{}", kNameStart, static_cast<std::int64_t>(wall_time), host.data(), ::getpid(),
                     kNameEnd);
}

EventsLog::EventsLog(const std::filesystem::path& run_dir, std::int64_t resumed_step) {
  std::filesystem::path newest;
  const std::size_t nothing = events_header(0).size();
  for (const auto& path : our_files(run_dir)) {
    const std::string content = read_file(path, kMaxLogBytes);
    const std::string kept = cut_events(content, resumed_step);
    if (kept.size() <= nothing) {
      remove_file(path);
      continue;
    }
    if (kept != content) write_file_atomic(path, kept);
    newest = path;
  }
  if (!newest.empty()) {
    file_.emplace(newest);
    return;
  }
  const double time = now();
  file_.emplace(run_dir / new_events_name(time));
  file_->append(events_header(time));
}

void EventsLog::append(std::int64_t step, const MetricFields& fields) {
  EventScalars scalars;
  for (const auto& [name, value] : fields) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      scalars.emplace_back(event_tag(name), static_cast<double>(*whole));
    } else if (const auto* number = std::get_if<double>(&value)) {
      scalars.emplace_back(event_tag(name), *number);
    }
  }
  file_->append(scalars_event(now(), step, scalars));
}

}  // namespace minnow
