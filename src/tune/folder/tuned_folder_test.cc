#include "tune/folder/tuned_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"

namespace hone::tune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TunedFolderTest : public ::testing::Test {
 protected:
  ScratchFolder scratch_ = ScratchFolder::create("hone-folder-test").value();
};

TEST_F(TunedFolderTest, ReadsBackWhatItWrites) {
  TunedFolder tuned;
  tuned.compiler = "3.13.0";
  tuned.program = "model.mlirbc";
  tuned.sizes = {{"batch", 1}};
  tuned.ranges = {std::nullopt, verify::IntegerBounds{0, 7}};
  tuned.parameters = {"model=model.irpa"};
  tuned.tunedFlags = {"--a", "--spec=spec.mlir"};
  tuned.spec = "spec.mlir";
  tuned.improved = true;
  tuned.defaultNs = 2e6;
  tuned.speedup = stats::Interval{1.5, 1.6, 1.7};
  tuned.effort = Effort{.seconds = 60, .candidateShare = 0.75, .peakBytes = 1 << 20};
  ASSERT_TRUE(writeResultFile(tuned, scratch_.path()));
  const auto read = readTunedFolder(scratch_.path());
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->compiler, tuned.compiler);
  EXPECT_EQ(read->sizes, tuned.sizes);
  ASSERT_EQ(read->ranges.size(), 2U);
  EXPECT_FALSE(read->ranges[0]);
  EXPECT_EQ(read->ranges[1]->high, 7);
  EXPECT_EQ(read->parameters, tuned.parameters);
  EXPECT_EQ(read->tunedFlags, tuned.tunedFlags);
  EXPECT_TRUE(read->improved);
  EXPECT_EQ(read->defaultNs, 2e6);
  EXPECT_FALSE(read->tunedNs);
  EXPECT_EQ(read->speedup->low, 1.5);
  EXPECT_EQ(read->speedup->high, 1.7);
  ASSERT_TRUE(read->effort);
  EXPECT_EQ(read->effort->candidateShare, 0.75);
  EXPECT_EQ(read->effort->peakBytes, 1 << 20);
}

TEST_F(TunedFolderTest, RejectsOtherFolders) {
  const auto missing = readTunedFolder(scratch_.path());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("is not a folder of hone tune"));
  ASSERT_TRUE(writeFile(scratch_.path() / kResultFile, "{\"format\": 1}"));
  EXPECT_THAT(readTunedFolder(scratch_.path()).error().message, HasSubstr("is not valid"));
  ASSERT_TRUE(writeFile(scratch_.path() / kResultFile, "{\"format\": 2}"));
  EXPECT_THAT(readTunedFolder(scratch_.path()).error().message, HasSubstr("another version"));
}

TEST_F(TunedFolderTest, WritesOnlyToNewFoldersAndItsOwn) {
  EXPECT_TRUE(checkTunedFolder(scratch_.path() / "new"));
  EXPECT_TRUE(checkTunedFolder(scratch_.path()));
  ASSERT_TRUE(writeFile(scratch_.path() / "notes.txt", "x"));
  EXPECT_THAT(checkTunedFolder(scratch_.path()).error().message, HasSubstr("with other files"));
  EXPECT_THAT(checkTunedFolder(scratch_.path() / "notes.txt").error().message,
              HasSubstr("is a file"));
  ASSERT_TRUE(writeFile(scratch_.path() / kResultFile, "{}"));
  EXPECT_TRUE(checkTunedFolder(scratch_.path()));
}

TEST_F(TunedFolderTest, NamesFilesRelativeToFolder) {
  const std::string spec = (scratch_.path() / "spec.mlir").string();
  EXPECT_EQ(relativeFlag("--spec=" + spec, scratch_.path()), "--spec=spec.mlir");
  EXPECT_EQ(relativeFlag("--spec=/elsewhere/spec.mlir", scratch_.path()),
            "--spec=/elsewhere/spec.mlir");
  EXPECT_EQ(relativeFlag("--level=O3", scratch_.path()), "--level=O3");
  ASSERT_TRUE(writeFile(spec, ""));
  TunedFolder tuned;
  tuned.tunedFlags = {"--spec=spec.mlir", "--level=O3"};
  EXPECT_THAT(tuned.allTunedFlags(scratch_.path()), ElementsAre("--spec=" + spec, "--level=O3"));
}

TEST_F(TunedFolderTest, NamesInputFilesRelativeToFolder) {
  const auto& folder = scratch_.path();
  EXPECT_EQ(moveInput("@x.npy", folder, folder / "tuned"), "@../x.npy");
  EXPECT_EQ(moveInput("ids=@x.npy", folder, folder / "tuned"), "ids=@../x.npy");
  EXPECT_EQ(moveInput("4xf32=@x.bin", folder / "tuned", folder), "4xf32=@tuned/x.bin");
  EXPECT_EQ(moveInput("4xf32=1", folder, folder / "tuned"), "4xf32=1");
  std::filesystem::create_directory(folder / "inputs");
  EXPECT_EQ(moveInput("inputs", folder, folder / "tuned"), "../inputs");
}

TEST_F(TunedFolderTest, QuotesFlagsInResponseFile) {
  EXPECT_EQ(responseFile({"--a=1", "--b=two words", "--c=\"x\""}),
            "--a=1\n\"--b=two words\"\n\"--c=\\\"x\\\"\"\n");
}

}  // namespace
}  // namespace hone::tune
