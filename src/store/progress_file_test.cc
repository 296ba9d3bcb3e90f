#include "store/progress_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace hone::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class ProgressFileTest : public testing::Test {
 protected:
  [[nodiscard]] fs::path store() const { return folder_.path() / "hone.db"; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

  ScratchFolder folder_ = ScratchFolder::create("hone-progress-test").value();
  const ProgressState state_{
      .stage = "race", .done = 3, .total = 20, .best = "1 ms", .note = "n", .secondsLeft = 5};
};

TEST_F(ProgressFileTest, ExistsDuringRun) {
  EXPECT_THAT(readProgress(store()), IsEmpty());
  {
    ProgressFile file(store(), 7);
    EXPECT_THAT(readProgress(store()), IsEmpty());
    file.see(state_, true);
    EXPECT_THAT(readProgress(store()), ElementsAre(RunProgress{7, state_}));
  }
  EXPECT_THAT(readProgress(store()), IsEmpty());
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(ProgressFileTest, KeepsRunsApart) {
  ProgressFile second(store(), 12);
  second.see(state_, true);
  {
    ProgressFile first(store(), 7);
    first.see(state_, true);
    EXPECT_THAT(readProgress(store()),
                ElementsAre(RunProgress{7, state_}, RunProgress{12, state_}));
  }
  EXPECT_THAT(readProgress(store()), ElementsAre(RunProgress{12, state_}));
}

TEST_F(ProgressFileTest, ThrottlesStepsButNotStages) {
  ProgressFile file(store(), 7);
  file.see(state_, true);
  ProgressState later = state_;
  for (later.done = 4; later.done < 1000; ++later.done) {
    file.see(later, false);
  }
  EXPECT_LT(readProgress(store()).at(0).state.done, 999);
  later.stage = "final";
  file.see(later, true);
  EXPECT_EQ(readProgress(store()).at(0).state, later);
}

TEST_F(ProgressFileTest, IgnoresAndRemovesFileOfKilledRun) {
  const pid_t child = ::fork();
  if (child == 0) {
    ProgressFile file(store(), 7);
    file.see(state_, true);
    ::_exit(fs::exists(progressFilePath(store(), 7)) ? 0 : 1);  // skips the destructor
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(writeFile(progressFilePath(store(), 7).string() + ".1-1.part", "{"));
  EXPECT_TRUE(fs::exists(progressFilePath(store(), 7)));
  EXPECT_THAT(readProgress(store()), IsEmpty());
  const ProgressFile next(store(), 8);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(ProgressFileTest, ForkedChildDoesNotRemoveFile) {
  std::optional<ProgressFile> file(std::in_place, store(), 7);
  file->see(state_, true);
  const pid_t child = ::fork();
  if (child == 0) {
    file.reset();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(readProgress(store()).at(0).run, 7);
}

TEST_F(ProgressFileTest, IgnoresMalformedFile) {
  for (const char* text : {"", "{", "[]", "3", R"({"run": "seven"})", R"({"done": {}})"}) {
    ASSERT_TRUE(writeFile(progressFilePath(store(), 7), text));
    EXPECT_THAT(readProgress(store()), IsEmpty()) << text;
  }
}

}  // namespace
}  // namespace hone::store
