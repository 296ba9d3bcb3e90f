// Entry point of the test programs. Gives each process its own machine lock, as a node of a cluster
// has one, so that tests that run in parallel do not wait for each other's measurements. Tests that
// assert on measured times run alone.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

class OwnMachineLock : public testing::Environment {
 public:
  void SetUp() override { ::setenv("SLURMD_NODENAME", node_.c_str(), 1); }
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove("/tmp/hone-" + std::to_string(::getuid()) + "-" + node_ + ".lane",
                            ignored);
  }

 private:
  std::string node_ = "test-" + std::to_string(::getpid());
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::AddGlobalTestEnvironment(new OwnMachineLock);  // owned by GoogleTest
  return RUN_ALL_TESTS();
}
