#include "cluster/slurm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "base/process/interrupt.h"

namespace hone::cluster {
namespace {

using testing::HasSubstr;

TEST(SlurmTest, ParsesSqueueOutput) {
  const auto jobs = parseJobs("12_1|RUNNING\n12_2|PENDING\n\n11_1|NODE_FAIL\n");
  ASSERT_TRUE(jobs) << jobs.error().message;
  ASSERT_EQ(jobs->size(), 3u);
  EXPECT_EQ(jobs->at(0).id, "12_1");
  EXPECT_EQ(jobs->at(0).state, "RUNNING");
  EXPECT_TRUE(jobs->at(1).alive());
  EXPECT_FALSE(jobs->at(2).alive());
}

TEST(SlurmTest, DistinguishesCancelledFromFailedJobs) {
  EXPECT_TRUE((Job{"1", "CANCELLED"}.wasCancelled()));
  EXPECT_TRUE((Job{"1", "CANCELLED by 1000"}.ended()));
  EXPECT_TRUE((Job{"1", "PREEMPTED"}.wasCancelled()));
  for (const char* state : {"FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT", "COMPLETED"}) {
    EXPECT_FALSE((Job{"1", state}.wasCancelled())) << state;
    EXPECT_FALSE((Job{"1", state}.alive())) << state;
    EXPECT_TRUE((Job{"1", state}.ended())) << state;
  }
}

TEST(SlurmTest, CompletingJobHasNotEnded) {
  EXPECT_FALSE((Job{"1", "COMPLETING"}.alive()));
  EXPECT_FALSE((Job{"1", "COMPLETING"}.ended()));
  for (const char* state : {"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "RESIZING"}) {
    EXPECT_TRUE((Job{"1", state}.alive())) << state;
    EXPECT_FALSE((Job{"1", state}.ended())) << state;
  }
}

TEST(SlurmTest, RecognizesTimeout) {
  EXPECT_TRUE((Job{"1", "TIMEOUT"}.timedOut()));
  EXPECT_FALSE((Job{"1", "FAILED"}.timedOut()));
}

TEST(SlurmTest, RejectsUnexpectedLines) {
  EXPECT_THAT(parseJobs("slurm_load_jobs error\n").error().message, HasSubstr("slurm_load_jobs"));
  EXPECT_FALSE(parseJobs("1|RUNNING|n1\n"));
  EXPECT_FALSE(parseJobs("|RUNNING\n"));
}

TEST(SlurmTest, RejectsReservedSbatchOptions) {
  for (const char* argument :
       {"--job-name=mine", "-J", "-Jmine", "--array=1-9", "-a1-9", "--clusters=other", "-Mother",
        "--nodes=2", "-N2", "--wait", "--wrap=true", "--requeue", "--arr=1-9", "--job=mine"}) {
    const auto checked = checkSbatchArgs(std::vector<std::string>{"--time=2:00:00", argument});
    ASSERT_FALSE(checked) << argument;
    EXPECT_EQ(checked.error().fault, Fault::user);
    EXPECT_THAT(checked.error().message, HasSubstr(argument));
  }
  EXPECT_TRUE(checkSbatchArgs(std::vector<std::string>{"--time=2:00:00", "-t", "30", "--qos=low",
                                                       "--wait-all-nodes=1", "--nodelist=n1", "-w",
                                                       "n1", "-n", "1", "--exclude=n2"}));
}

TEST(SlurmDeathTest, InterruptDoesNotAbortSubmission) {
  const ScratchFolder folder = ScratchFolder::create("hone-slurm-test").value();
  const auto program = folder.path() / "sbatch";
  ASSERT_TRUE(writeFile(program, "#!/bin/sh\nkill -INT $PPID\nsleep 0.2\necho 12\n"));
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EXIT(
      {
        ::setenv("PATH", fmt::format("{}:{}", folder.path().string(), std::getenv("PATH")).c_str(),
                 1);
        catchInterrupts();
        Slurm slurm("hone-test");
        const auto submitted = slurm.submit({});
        const bool right = submitted && *submitted == "12" && interrupted() && !slurm.submit({});
        std::_Exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(SlurmTest, ParsesJobId) {
  EXPECT_EQ(parseJobId("12\n").value(), "12");
  EXPECT_EQ(parseJobId("12;cluster\n").value(), "12");
  EXPECT_THAT(parseJobId("Submitted batch job\n").error().message, HasSubstr("no job id"));
}

}  // namespace
}  // namespace hone::cluster
