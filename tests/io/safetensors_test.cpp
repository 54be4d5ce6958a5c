#include "minnow/io/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"

namespace minnow {
namespace {

using test::message_of;
using test::StringSink;
using test::TempDir;
using testing::HasSubstr;

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

TEST(Dtype, NamesAndBits) {
  EXPECT_EQ(dtype_bits(FileDtype::kF4), 4U);
  EXPECT_EQ(dtype_bits(FileDtype::kF6E3m2), 6U);
  EXPECT_EQ(dtype_bits(FileDtype::kC64), 64U);
  for (const char* name : {"BOOL",    "U8",          "I8",          "I16", "U16",     "I32",    "U32",     "I64",
                           "U64",     "F16",         "BF16",        "F32", "F64",     "C64",    "F8_E5M2", "F8_E4M3",
                           "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ", "F4",  "F6_E2M3", "F6_E3M2"}) {
    ASSERT_TRUE(dtype_from_name(name).has_value()) << name;
    EXPECT_EQ(dtype_name(*dtype_from_name(name)), name);
  }
  EXPECT_FALSE(dtype_from_name("f32"));
  EXPECT_FALSE(dtype_from_name(""));
}

TEST(Dtype, TensorBytes) {
  const auto size = [](FileDtype dtype, std::vector<std::int64_t> shape) { return tensor_bytes(dtype, shape); };
  EXPECT_EQ(size(FileDtype::kF32, {}), 4U);
  EXPECT_EQ(size(FileDtype::kF32, {3, 0}), 0U);
  EXPECT_EQ(size(FileDtype::kF4, {3}), std::nullopt);
  EXPECT_EQ(size(FileDtype::kF6E2m3, {4}), 3U);
  EXPECT_EQ(size(FileDtype::kU8, {-1}), std::nullopt);
  EXPECT_EQ(size(FileDtype::kU8, {INT64_MAX, 3}), std::nullopt);
  EXPECT_EQ(size(FileDtype::kF64, {INT64_MAX}), std::nullopt);
}

TEST(Safetensors, WritesWhatTheReferenceWrites) {
  const float x[2] = {1, 2};
  const std::int64_t id = 7;
  const std::vector<TensorSource> tensors{{"b", FileDtype::kF32, {2}, std::as_bytes(std::span(x))},
                                          {"a", FileDtype::kF32, {1, 2}, std::as_bytes(std::span(x))},
                                          {"z", FileDtype::kI64, {}, std::as_bytes(std::span(&id, 1))}};
  StringSink sink;
  write_safetensors(sink, tensors);
  // Wider elements first, then by name; padded with spaces to a multiple of 8.
  std::string json =
      R"({"__metadata__":{"format":"pt"},"z":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]},"b":{"dtype":"F32","shape":[2],"data_offsets":[16,24]}})";
  while (json.size() % 8 != 0) json += ' ';
  const std::uint64_t length = json.size();
  std::string expected(reinterpret_cast<const char*>(&length), 8);
  expected += json;
  expected.append(reinterpret_cast<const char*>(&id), 8);
  expected.append(reinterpret_cast<const char*>(x), 8);
  expected.append(reinterpret_cast<const char*>(x), 8);
  EXPECT_EQ(sink.content, expected);
  EXPECT_EQ(safetensors_file_bytes(tensors), expected.size());
}

TEST(Safetensors, RoundTripThroughAFile) {
  const TempDir dir;
  const std::string data(24, 'd');
  const std::vector<TensorSource> tensors{{"λ \"quoted\"\n", FileDtype::kBf16, {2, 3}, bytes_of(data).first(12)},
                                          {"empty", FileDtype::kF64, {0, 5}, {}},
                                          {"bits", FileDtype::kF6E2m3, {8}, bytes_of(data).first(6)}};
  write_safetensors_file(dir / "m.safetensors", tensors, {{"k", "v"}, {"format", "pt"}});
  const SafetensorsFile file = SafetensorsFile::open(dir / "m.safetensors");
  EXPECT_EQ(file.header().metadata.at("k"), "v");
  ASSERT_EQ(file.header().tensors.size(), 3U);
  const TensorEntry& entry = file.at("λ \"quoted\"\n");
  EXPECT_EQ(entry.dtype, FileDtype::kBf16);
  EXPECT_EQ(entry.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(file.read(entry).size(), 12U);
  EXPECT_EQ(file.read(entry)[0], std::byte{'d'});
  EXPECT_EQ(file.at("empty").bytes(), 0U);
  EXPECT_THAT(message_of<CheckpointError>([&] { (void)file.at("wte"); }), HasSubstr("'wte'"));
  std::vector<std::byte> wrong(11);
  EXPECT_THROW(file.read(entry, wrong), ShapeError);
}

TEST(Safetensors, WriterRefusesWhatAReaderWould) {
  const std::string data(8, 'd');
  StringSink sink;
  const auto refused = [&](std::vector<TensorSource> tensors) {
    return message_of<CheckpointError>([&] { write_safetensors(sink, tensors); });
  };
  const TensorSource good{"a", FileDtype::kF32, {2}, bytes_of(data)};
  EXPECT_THAT(refused({good, good}), HasSubstr("duplicate"));
  EXPECT_THAT(refused({{"", FileDtype::kF32, {2}, bytes_of(data)}}), HasSubstr("empty"));
  EXPECT_THAT(refused({{"__metadata__", FileDtype::kF32, {2}, bytes_of(data)}}), HasSubstr("reserved"));
  EXPECT_THAT(refused({{"a", FileDtype::kF32, {3}, bytes_of(data)}}), HasSubstr("12 bytes"));
  EXPECT_THAT(refused({{"a\xff", FileDtype::kF32, {2}, bytes_of(data)}}), HasSubstr("UTF-8"));
  EXPECT_TRUE(sink.content.empty());
}

TEST(Safetensors, FileThatShrinksAfterOpeningIsAnError) {
  const TempDir dir;
  const std::string data(4096, 'd');
  const std::vector<TensorSource> tensors{{"a", FileDtype::kU8, {4096}, bytes_of(data)}};
  write_safetensors_file(dir / "m", tensors);
  const SafetensorsFile file = SafetensorsFile::open(dir / "m");
  std::filesystem::resize_file(dir / "m", 2000);
  EXPECT_THROW((void)file.read(file.at("a")), IoError);
}

// Every file that the reference library wrote for the golden cases is read and comes out again byte for byte.
TEST(Safetensors, GoldenFilesComeOutByteForByte) {
  const char* shared = std::getenv("MINNOW_SHARED_DIR");
  if (shared == nullptr) GTEST_SKIP() << "MINNOW_SHARED_DIR does not name the shared files";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(shared) / "golden/cases")) {
    if (entry.path().extension() != ".safetensors") continue;
    const std::string content = test::slurp(entry.path());
    const SafetensorsFile file = SafetensorsFile::from_bytes(bytes_of(content), entry.path().string());
    std::vector<TensorSource> tensors;
    for (const TensorEntry& tensor : file.header().tensors) {
      tensors.push_back(
          {tensor.name, tensor.dtype, tensor.shape, bytes_of(content).subspan(tensor.begin, tensor.bytes())});
    }
    StringSink sink;
    write_safetensors(sink, tensors, file.header().metadata);
    EXPECT_EQ(sink.content, content) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace minnow
