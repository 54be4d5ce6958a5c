// Hand-made files that break one rule each: all are refused with a CheckpointError that says which.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"
#include "minnow/io/safetensors.hpp"

namespace minnow {
namespace {

std::string with_length(std::uint64_t length, std::string_view json, std::string_view data) {
  std::string file(reinterpret_cast<const char*>(&length), sizeof(length));
  file += json;
  file += data;
  return file;
}

std::string file_of(std::string_view json, std::string_view data = "") { return with_length(json.size(), json, data); }

// The header of one tensor "a", with its entry's fields.
std::string entry(std::string_view fields, std::string_view data = "") {
  return file_of("{\"a\":{" + std::string(fields) + "}}", data);
}

struct Broken {
  std::string name;
  std::string file;
  std::string says;  // part of the message
};

std::string nested(std::size_t depth) {
  return entry(R"("dtype":"U8","shape":[0],"data_offsets":[0,0],"x":)" + std::string(depth, '[') +
               std::string(depth, ']'));
}

std::string many_axes(std::size_t count) {
  std::string shape = "1";
  for (std::size_t axis = 1; axis < count; ++axis) shape += ",1";
  return entry(R"("dtype":"U8","shape":[)" + shape + R"(],"data_offsets":[0,1])", "x");
}

std::string much_metadata(std::size_t fields) {
  std::string json = "{\"__metadata__\":{\"0\":\"\"";
  for (std::size_t i = 1; i < fields; ++i) json += ",\"" + std::to_string(i) + "\":\"\"";
  return file_of(json + "}}");
}

const std::string kOne = R"("dtype":"U8","shape":[1],"data_offsets":[0,1])";

std::vector<Broken> frame_cases() {
  return {
      {"Nothing", "", "8 bytes"},
      {"SevenBytes", std::string(7, '\0'), "8 bytes"},
      {"LengthZero", with_length(0, "", ""), "object"},
      {"LengthPastEnd", with_length(3, "{}", ""), "inside the file"},
      {"LengthFarPastEnd", with_length(100'000'000, "{}", ""), "inside the file"},
      {"LengthOverLimit", with_length(100'000'001, "{}", ""), "at most 100000000"},
      {"LengthMax", with_length(UINT64_MAX, "{}", ""), "at most 100000000"},
      {"LengthMinusSeven", with_length(UINT64_MAX - 7, "{}", ""), "at most 100000000"},
      {"LengthCutsJson", with_length(1, "{}", ""), "JSON"},
      {"NulPadding", file_of(std::string("{}\0\0", 4)), "NUL"},
      {"NulInside", file_of(std::string("{\0}", 3)), "NUL"},
      {"ByteOrderMark", file_of("\xEF\xBB\xBF{}"), "byte order mark"},
      {"OnlySpaces", file_of("        "), "JSON"},
      {"Array", file_of("[]"), "object"},
      {"Text", file_of("\"a\""), "object"},
      {"Number", file_of("1"), "object"},
      {"Null", file_of("null"), "object"},
      {"Unclosed", file_of("{\"a\":"), "JSON"},
      {"SecondDocument", file_of("{}{}"), "JSON"},
      {"TrailingText", file_of("{}x"), "JSON"},
      {"Comment", file_of("{}/* */"), "JSON"},
      {"TrailingComma", entry(kOne + ",", "x"), "JSON"},
      {"SingleQuotes", file_of("{'a':1}"), "JSON"},
      {"BadUtf8", file_of("{\"\xff\":{" + kOne + "}}", "x"), "JSON"},
      {"OverlongUtf8", file_of("{\"\xc0\x80\":{" + kOne + "}}", "x"), "JSON"},
      {"LoneSurrogate", file_of("{\"\\ud800\":{" + kOne + "}}", "x"), "JSON"},
      {"RawControl", file_of("{\"\x01\":{" + kOne + "}}", "x"), "JSON"},
      {"BytesWithoutTensor", file_of("{}", "x"), "no bytes may follow"},
      {"TooDeep", nested(64), "64 deep"},
      {"FarTooDeep", nested(100000), "64 deep"},
  };
}

std::vector<Broken> entry_cases() {
  return {
      {"EntryNotObject", file_of(R"({"a":[]})"), "object"},
      {"EntryNull", file_of(R"({"a":null})"), "object"},
      {"EntryTrue", file_of(R"({"a":true})"), "object"},
      {"EntryEmpty", entry(""), "dtype, shape and data_offsets"},
      {"NoDtype", entry(R"("shape":[1],"data_offsets":[0,1])", "x"), "dtype, shape and data_offsets"},
      {"NoShape", entry(R"("dtype":"U8","data_offsets":[0,1])", "x"), "dtype, shape and data_offsets"},
      {"NoOffsets", entry(R"("dtype":"U8","shape":[1])", "x"), "dtype, shape and data_offsets"},
      {"DtypeUnknown", entry(R"("dtype":"F128","shape":[1],"data_offsets":[0,16])", std::string(16, 'x')), "F128"},
      {"DtypeLowerCase", entry(R"("dtype":"u8","shape":[1],"data_offsets":[0,1])", "x"), "'u8'"},
      {"DtypeNumber", entry(R"("dtype":1,"shape":[1],"data_offsets":[0,1])", "x"), "dtype"},
      {"DtypeArray", entry(R"("dtype":["U8"],"shape":[1],"data_offsets":[0,1])", "x"), "dtype"},
      {"DtypeTwice", entry(R"("dtype":"U8",)" + kOne, "x"), "duplicate"},
      {"ShapeTwice", entry(R"("shape":[1],)" + kOne, "x"), "duplicate"},
      {"OffsetsTwice", entry(R"("data_offsets":[0,1],)" + kOne, "x"), "duplicate"},
      {"ShapeNumber", entry(R"("dtype":"U8","shape":1,"data_offsets":[0,1])", "x"), "arrays"},
      {"ShapeNested", entry(R"("dtype":"U8","shape":[[1]],"data_offsets":[0,1])", "x"), "dimensions"},
      {"ShapeText", entry(R"("dtype":"U8","shape":["1"],"data_offsets":[0,1])", "x"), "dimensions"},
      {"ShapeNegative", entry(R"("dtype":"U8","shape":[-1],"data_offsets":[0,1])", "x"), "dimensions"},
      {"ShapeMinusZero", entry(R"("dtype":"U8","shape":[-0],"data_offsets":[0,0])"), "dimensions"},
      {"ShapeFloat", entry(R"("dtype":"U8","shape":[1.0],"data_offsets":[0,1])", "x"), "dimensions"},
      {"ShapeExponent", entry(R"("dtype":"U8","shape":[1e0],"data_offsets":[0,1])", "x"), "dimensions"},
      {"ShapeOver64Bits", entry(R"("dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,1])", "x"),
       "dimensions"},
      {"ShapeOver63Bits", entry(R"("dtype":"U8","shape":[9223372036854775808,0],"data_offsets":[0,0])"), "dimensions"},
      {"ShapeProductOverflow", entry(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0])"),
       "overflow"},
      {"ShapeBitsOverflow", entry(R"("dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0])"), "overflow"},
      {"ShapeOverflowThenZero", entry(R"("dtype":"U8","shape":[4294967296,4294967296,0],"data_offsets":[0,0])"),
       "overflow"},
      {"TooManyAxes", many_axes(17), "16 axes"},
      {"HalfByte", entry(R"("dtype":"F4","shape":[1],"data_offsets":[0,1])", "x"), "whole bytes"},
      {"SixBits", entry(R"("dtype":"F6_E2M3","shape":[3],"data_offsets":[0,3])", "xxx"), "whole bytes"},
      {"SizeTooSmall", entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])", "xxxx"), "8 bytes"},
      {"SizeTooLarge", entry(R"("dtype":"F32","shape":[1],"data_offsets":[0,8])", "xxxxxxxx"), "4 bytes"},
      {"OffsetsOne", entry(R"("dtype":"U8","shape":[1],"data_offsets":[0])", "x"), "data_offsets"},
      {"OffsetsThree", entry(R"("dtype":"U8","shape":[1],"data_offsets":[0,1,2])", "x"), "data_offsets"},
      {"OffsetsNone", entry(R"("dtype":"U8","shape":[0],"data_offsets":[])"), "data_offsets"},
      {"OffsetsObject", entry(R"("dtype":"U8","shape":[1],"data_offsets":{"0":1})", "x"), "arrays"},
      {"OffsetsNegative", entry(R"("dtype":"U8","shape":[1],"data_offsets":[-1,0])", "x"), "data_offsets"},
      {"OffsetsFloat", entry(R"("dtype":"U8","shape":[1],"data_offsets":[0.0,1])", "x"), "data_offsets"},
      {"OffsetsBackwards", entry(R"("dtype":"U8","shape":[1],"data_offsets":[1,0])", "x"), "backwards"},
  };
}

std::vector<Broken> layout_cases() {
  const std::string a = R"("a":{"dtype":"U8","shape":[2],"data_offsets":)";
  const std::string b = R"("b":{"dtype":"U8","shape":[2],"data_offsets":)";
  return {
      {"DataMissing", entry(kOne), "the data must hold"},
      {"DataShort", file_of("{" + a + "[0,2]}," + b + "[2,4]}}", "xyz"), "the data must hold"},
      {"TrailingBytes", entry(kOne, "xy"), "no bytes may follow"},
      {"HoleAtStart", file_of("{" + a + "[1,3]}}", "xyz"), "a hole"},
      {"HoleBetween", file_of("{" + a + "[0,2]}," + b + "[3,5]}}", "vwxyz"), "a hole"},
      {"Overlap", file_of("{" + a + "[0,2]}," + b + "[1,3]}}", "xyz"), "overlap"},
      {"Alias", file_of("{" + a + "[0,2]}," + b + "[0,2]}}", "xy"), "overlap"},
      {"EndsFar", entry(R"("dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807])", "x"),
       "fit 64 bits"},
      {"EmptyPastEnd", entry(R"("dtype":"U8","shape":[0],"data_offsets":[9,9])"), "a hole"},
      {"SameNameSameBytes", file_of("{" + a + "[0,2]}," + a + "[0,2]}}", "xy"), "duplicate"},
      {"SameNameOtherBytes", file_of("{" + a + "[0,2]}," + a + "[2,4]}}", "wxyz"), "duplicate"},
      {"SameNameByEscape",
       file_of("{" + a + R"([0,2]},"\u0061":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})", "xy"), "duplicate"},
  };
}

std::vector<Broken> metadata_cases() {
  return {
      {"MetadataNumber", file_of(R"({"__metadata__":{"a":1}})"), "texts"},
      {"MetadataNull", file_of(R"({"__metadata__":{"a":null}})"), "texts"},
      {"MetadataNested", file_of(R"({"__metadata__":{"a":{}}})"), "texts"},
      {"MetadataArray", file_of(R"({"__metadata__":[]})"), "object"},
      {"MetadataText", file_of(R"({"__metadata__":"a"})"), "object"},
      {"MetadataFieldTwice", file_of(R"({"__metadata__":{"a":"1","a":"1"}})"), "duplicate"},
      {"MetadataTwice", file_of(R"({"__metadata__":{},"__metadata__":{}})"), "duplicate"},
      {"MetadataTooMany", much_metadata(10001), "10000"},
      {"TextTooLong", file_of(R"({"__metadata__":{"a":")" + std::string((4U << 20U) + 1, 'x') + "\"}}"), "4 MiB"},
      {"NameTooLong", file_of("{\"" + std::string((4U << 20U) + 1, 'x') + "\":{" + kOne + "}}", "x"), "4 MiB"},
  };
}

class BrokenSafetensors : public testing::TestWithParam<Broken> {};

TEST_P(BrokenSafetensors, IsRefusedFromMemoryAndFromDisk) {
  const Broken& broken = GetParam();
  const auto bytes = std::as_bytes(std::span(broken.file));
  const std::string text =
      test::message_of<CheckpointError>([&] { (void)SafetensorsFile::from_bytes(bytes, "the file"); });
  EXPECT_THAT(text, testing::HasSubstr(broken.says));
  EXPECT_THAT(text, testing::HasSubstr("the file"));
  EXPECT_LT(text.size(), 600U);
  const test::TempDir dir;
  test::spill(dir / "f", broken.file);
  EXPECT_THROW((void)SafetensorsFile::open(dir / "f"), CheckpointError);
}

const auto kNameOf = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Frame, BrokenSafetensors, testing::ValuesIn(frame_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Entry, BrokenSafetensors, testing::ValuesIn(entry_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Layout, BrokenSafetensors, testing::ValuesIn(layout_cases()), kNameOf);
INSTANTIATE_TEST_SUITE_P(Metadata, BrokenSafetensors, testing::ValuesIn(metadata_cases()), kNameOf);

struct Fine {
  std::string name;
  std::string file;
};

class FineSafetensors : public testing::TestWithParam<Fine> {};

TEST_P(FineSafetensors, IsAccepted) {
  EXPECT_NO_THROW((void)SafetensorsFile::from_bytes(std::as_bytes(std::span(GetParam().file))));
}

// What looks odd but is allowed, as the reference allows it.
INSTANTIATE_TEST_SUITE_P(
    Odd, FineSafetensors,
    testing::Values(Fine{"Empty", file_of("{}")}, Fine{"SpacesAround", file_of(" \t\r\n{} \n")},
                    Fine{"OddLength", entry(kOne, "x")},
                    Fine{"ExtraField", entry(kOne + R"(,"x":[{"y":[1.5,null]}])", "x")},
                    Fine{"ExtraFieldTwice", entry(kOne + R"(,"x":1,"x":"2")", "x")},
                    Fine{"Scalar", entry(R"("dtype":"F32","shape":[],"data_offsets":[0,4])", "nan!")},
                    Fine{"ZeroSize", entry(R"("dtype":"F32","shape":[7,0],"data_offsets":[0,0])")},
                    Fine{"TwoEmpty",
                         file_of(R"({"b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]},"a":{)" + kOne + "}}", "x")},
                    Fine{"NoName", file_of("{\"\":{" + kOne + "}}", "x")}, Fine{"SixteenAxes", many_axes(16)},
                    Fine{"MetadataIsNull", file_of(R"({"__metadata__":null})")},
                    Fine{"MuchMetadata", much_metadata(10000)}, Fine{"AsDeepAsAllowed", nested(62)}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace minnow
