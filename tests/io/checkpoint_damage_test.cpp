// Whatever happens to the bits of a checkpoint is seen, and file and section are named.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/io_support.hpp"
#include "minnow/base/error.hpp"
#include "minnow/base/sha256.hpp"
#include "minnow/io/checkpoint.hpp"

namespace minnow {
namespace {

using test::save;
using test::TempDir;
using test::ToyState;
using testing::HasSubstr;

const std::vector<std::string> kFiles{"model.safetensors", "optimizer.safetensors", "state.json", "manifest.json"};

// A saved checkpoint whose files are changed and put right again, one after the other.
class CheckpointDamage : public testing::Test {
 protected:
  void SetUp() override { directory_ = save(run_.path(), 12).directory; }

  // The damage must be seen and its file named.
  void expect_seen(const std::string& name, const std::string& content, const std::string& what) {
    test::spill(directory_ / name, content);
    const VerifyReport report = verify_checkpoint(directory_);
    ASSERT_FALSE(report.ok()) << name << ": " << what;
    ASSERT_THAT(report.text(), HasSubstr(name)) << what;
  }

  TempDir run_;
  std::filesystem::path directory_;
};

TEST_F(CheckpointDamage, EveryBit) {
  std::size_t bits = 0;
  for (const std::string& name : kFiles) {
    const std::string good = test::slurp(directory_ / name);
    std::string bad = good;
    for (std::size_t bit = 0; bit < good.size() * 8; ++bit, ++bits) {
      bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
      expect_seen(name, bad, "bit " + std::to_string(bit));
      if (HasFatalFailure()) return;
      bad[bit / 8] = good[bit / 8];
    }
    test::spill(directory_ / name, good);
    ASSERT_TRUE(verify_checkpoint(directory_).ok());
  }
  EXPECT_GT(bits, 10000U);
}

TEST_F(CheckpointDamage, EveryLength) {
  for (const std::string& name : kFiles) {
    const std::string good = test::slurp(directory_ / name);
    for (std::size_t length = 0; length < good.size(); ++length) {
      expect_seen(name, good.substr(0, length), "length " + std::to_string(length));
      if (HasFatalFailure()) return;
    }
    expect_seen(name, good + '\0', "one byte more");
    test::spill(directory_ / name, good);
  }
}

TEST_F(CheckpointDamage, AByteMoreOrLessAnywhere) {
  for (const std::string& name : kFiles) {
    const std::string good = test::slurp(directory_ / name);
    for (std::size_t at = 0; at < good.size(); at += 3) {
      std::string less = good;
      less.erase(at, 1);
      expect_seen(name, less, "less at " + std::to_string(at));
      std::string more = good;
      more.insert(at, 1, good[at]);
      expect_seen(name, more, "more at " + std::to_string(at));
      if (HasFatalFailure()) return;
    }
    test::spill(directory_ / name, good);
  }
}

TEST_F(CheckpointDamage, FilesOfAnotherCheckpoint) {
  const std::filesystem::path other = save(run_.path(), 13).directory;
  for (const std::string& name : kFiles) {
    const std::string good = test::slurp(directory_ / name);
    expect_seen(name, test::slurp(other / name), "swapped");
    test::spill(directory_ / name, good);
  }
  // All files swapped at once: each is whole, but not at home.
  std::filesystem::rename(other, run_ / "aside");
  std::filesystem::rename(directory_, other);
  const VerifyReport report = verify_checkpoint(other);
  EXPECT_THAT(report.text(), HasSubstr("step 13"));
  EXPECT_THAT(report.text(), HasSubstr("step 12"));
  // A copy under a free name is fine: a user may carry it away.
  EXPECT_TRUE(verify_checkpoint(run_ / "aside").ok());
}

TEST_F(CheckpointDamage, MissingFilesAndDirectoriesInTheirPlace) {
  for (const std::string& name : kFiles) {
    const std::string good = test::slurp(directory_ / name);
    std::filesystem::remove(directory_ / name);
    EXPECT_THAT(verify_checkpoint(directory_).text(), HasSubstr(name));
    std::filesystem::create_directory(directory_ / name);
    EXPECT_THAT(verify_checkpoint(directory_).text(), HasSubstr(name));
    std::filesystem::remove(directory_ / name);
    test::spill(directory_ / name, good);
  }
  EXPECT_TRUE(verify_checkpoint(directory_).ok());
  EXPECT_FALSE(verify_checkpoint(run_ / "nowhere").ok());
}

TEST_F(CheckpointDamage, NamesTheTensor) {
  std::string bytes = test::slurp(directory_ / "model.safetensors");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  test::spill(directory_ / "model.safetensors", bytes);
  const VerifyReport report = verify_checkpoint(directory_);
  ASSERT_EQ(report.problems.size(), 1U);
  EXPECT_THAT(report.problems[0], HasSubstr("'b.weight'"));

  // The reader sees it too, at the moment of reading; what is whole stays readable.
  const Checkpoint checkpoint = Checkpoint::open(directory_);
  const SafetensorsHeader header = checkpoint.header("model.safetensors");
  std::vector<std::byte> target(40);
  checkpoint.read_tensor("model.safetensors", *header.find("a.weight"), target);
  const std::string text = test::message_of<CheckpointError>(
      [&] { checkpoint.read_tensor("model.safetensors", *header.find("b.weight"), target); });
  EXPECT_THAT(text, HasSubstr("b.weight"));
}

TEST_F(CheckpointDamage, CutAfterOpeningIsAnErrorNotASignal) {
  const Checkpoint checkpoint = Checkpoint::open(directory_);
  const SafetensorsHeader header = checkpoint.header("model.safetensors");
  std::filesystem::resize_file(directory_ / "model.safetensors", 20);
  std::vector<std::byte> target(40);
  EXPECT_THROW(checkpoint.read_tensor("model.safetensors", *header.find("a.weight"), target), CheckpointError);
  EXPECT_THROW((void)checkpoint.header("model.safetensors"), CheckpointError);
  EXPECT_THROW((void)checkpoint.read("model.safetensors"), CheckpointError);
}

// Manifests whose own hash is right but that break a rule: nobody writes such, so they are forged or from elsewhere.
TEST_F(CheckpointDamage, ForgedManifests) {
  const std::string good = test::slurp(directory_ / "manifest.json");
  const auto forged = [&](const std::string& from, const std::string& to) {
    std::string text = good.substr(0, good.find("\"manifest_sha256\": \"") + 20);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    text += sha256_hex(text) + "\"\n}\n";
    return test::message_of<CheckpointError>([&] { (void)parse_manifest(text, "forged"); });
  };
  EXPECT_THAT(forged("\"version\": 1", "\"version\": 2"), HasSubstr("another version"));
  EXPECT_THAT(forged("\"state.json\"", "\"../state.json\""), HasSubstr("plain"));
  EXPECT_THAT(forged("\"state.json\"", "\"model.safetensors\""), HasSubstr("duplicate"));
  EXPECT_THAT(forged("\"state.json\"", "\"manifest.json\""), HasSubstr("plain"));
  EXPECT_THAT(forged("\"step\": 12", "\"step\": -12"), HasSubstr("negative"));
  EXPECT_THAT(forged("\"step\": 12", "\"step\": 012"), HasSubstr("as minnow writes it"));
  EXPECT_THAT(forged("\"begin\": 0", "\"begin\": 1"), HasSubstr("follow each other"));
  EXPECT_THAT(forged("\"step\": 12", "\"step\": 99999999999999999999"), HasSubstr("whole number"));
  EXPECT_THAT(forged("\"a.weight\"", "\"\\u0061.weight\""), HasSubstr("as minnow writes it"));
  EXPECT_THAT(forged("\"files\": [\n", "\"files\": ["), HasSubstr("byte"));
  EXPECT_THAT(forged("\"a.weight\"", "\"a.weight"), HasSubstr("byte"));
}

}  // namespace
}  // namespace minnow
