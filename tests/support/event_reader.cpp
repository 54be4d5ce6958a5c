#include "support/event_reader.hpp"

#include <cstring>
#include <stdexcept>

namespace minnow::test {
namespace {

/// CRC-32C as a division, masked as record files have it.
std::uint32_t masked_crc(std::string_view bytes) {
  std::uint32_t remainder = ~0U;
  for (const char c : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool one = (((static_cast<unsigned char>(c) >> bit) ^ remainder) & 1U) != 0;
      remainder >>= 1U;
      if (one) remainder ^= 0x82F63B78U;
    }
  }
  const std::uint32_t crc = ~remainder;
  return (crc >> 15U | crc << 17U) + 0xA282EAD8U;
}

/// The fields of one message, one after the other.
class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    field = static_cast<int>(key >> 3U);
    switch (key & 7U) {
      case 0:
        number = varint();
        return true;
      case 1:
        bytes = take(8);
        return true;
      case 2:
        bytes = take(varint());
        return true;
      case 5:
        bytes = take(4);
        return true;
      default:
        throw std::runtime_error("unknown wire type");
    }
  }

  template <class T>
  [[nodiscard]] T as() const {
    T value{};
    if (bytes.size() != sizeof value) throw std::runtime_error("a number of the wrong size");
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  int field = 0;
  std::uint64_t number = 0;
  std::string_view bytes;

 private:
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw std::runtime_error("a field ends behind its message");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value += static_cast<std::uint64_t>(byte & 127U) << shift;
      if (byte < 128U) return value;
    }
    throw std::runtime_error("a number of more than ten bytes");
  }

  std::string_view rest_;
};

std::string text_of(std::string_view tensor) {
  std::string text;
  std::uint64_t dtype = 0;
  for (Message m(tensor); m.next();) {
    if (m.field == 1) dtype = m.number;
    if (m.field == 8) text = std::string(m.bytes);
  }
  if (dtype != 7) throw std::runtime_error("the tensor of a text must hold strings");
  return text;
}

void read_value(std::string_view value, Event& event) {
  std::string tag, plugin;
  for (Message m(value); m.next();) {
    if (m.field == 1) tag = std::string(m.bytes);
    if (m.field == 2) event.scalars[tag] = m.as<float>();
    if (m.field == 8) event.texts[tag] = text_of(m.bytes);
    if (m.field != 9) continue;
    for (Message metadata(m.bytes); metadata.next();) {
      if (metadata.field != 1) continue;
      for (Message data(metadata.bytes); data.next();) {
        if (data.field == 1) plugin = std::string(data.bytes);
      }
    }
  }
  if (event.texts.count(tag) != 0 && plugin != "text") throw std::runtime_error("a text must name its plugin");
}

Event read_event(std::string_view bytes) {
  Event event;
  for (Message m(bytes); m.next();) {
    if (m.field == 1) event.wall_time = m.as<double>();
    if (m.field == 2) event.step = static_cast<std::int64_t>(m.number);
    if (m.field == 3) event.file_version = std::string(m.bytes);
    if (m.field != 5) continue;
    for (Message summary(m.bytes); summary.next();) {
      if (summary.field == 1) read_value(summary.bytes, event);
    }
  }
  return event;
}

template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  if (at + sizeof value > bytes.size()) throw std::runtime_error("a record is torn");
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace

std::vector<Event> read_events(std::string_view bytes) {
  std::vector<Event> events;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto length = number_at<std::uint64_t>(bytes, at);
    if (number_at<std::uint32_t>(bytes, at + 8) != masked_crc(bytes.substr(at, 8))) {
      throw std::runtime_error("the checksum of a length is wrong");
    }
    const std::string_view data = bytes.substr(at + 12, length);
    if (number_at<std::uint32_t>(bytes, at + 12 + length) != masked_crc(data)) {
      throw std::runtime_error("the checksum of a record is wrong");
    }
    events.push_back(read_event(data));
    at += 12 + length + 4;
  }
  return events;
}

}  // namespace minnow::test
