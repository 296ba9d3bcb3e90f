#include "kernel/worker/runner/runner_setup.h"

#include <gtest/gtest.h>

namespace hone::kernel {
namespace {

TEST(RunnerSetup, RoundTrips) {
  RunnerSetup setup;
  setup.library = "/tmp/a b.so";
  setup.function = "kernel";
  setup.tensors = {{"/dev/shm/x", 8, 40, true}, {"/dev/shm/y", 0, 4096, false}};
  setup.calls = {{{true, 0}, {true, 1}, {false, 1000}}, {}};
  setup.readable = {"/lib", ""};
  const auto read = RunnerSetup::decode(setup.encode());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->library, setup.library);
  EXPECT_EQ(read->function, setup.function);
  ASSERT_EQ(read->tensors.size(), 2u);
  EXPECT_EQ(read->tensors[0].file, "/dev/shm/x");
  EXPECT_EQ(read->tensors[0].offset, 8u);
  EXPECT_EQ(read->tensors[1].bytes, 4096u);
  EXPECT_TRUE(read->tensors[0].isInput);
  EXPECT_FALSE(read->tensors[1].isInput);
  ASSERT_EQ(read->calls.size(), 2u);
  EXPECT_TRUE(read->calls[0][1].isTensor);
  EXPECT_EQ(read->calls[0][2].value, 1000u);
  EXPECT_EQ(read->readable, setup.readable);
}

TEST(RunnerSetup, RejectsDamagedBytes) {
  RunnerSetup setup;
  setup.library = "a";
  setup.function = "f";
  const std::string whole = setup.encode();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(RunnerSetup::decode(whole.substr(0, size))) << size;
  }
  EXPECT_FALSE(RunnerSetup::decode(whole + "x"));
  EXPECT_FALSE(RunnerSetup::decode(std::string(64, '\xff')));
}

}  // namespace
}  // namespace hone::kernel
