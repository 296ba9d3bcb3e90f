#include "cluster/spool/worker_setup.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace hone::cluster {
namespace {

TEST(WorkerSetup, IsReadAsWritten) {
  const WorkerSetup setup{.version = "1.2",
                          .shared = "/shared",
                          .cpu = "a CPU",
                          .idleSeconds = 3,
                          .headSeconds = 4,
                          .toolchain = WorkerToolchain{.iree = "/iree",
                                                       .target = "local",
                                                       .device = "local-task",
                                                       .compileSeconds = 5,
                                                       .runSeconds = 6}};
  const WorkerSetup read = workerSetupFrom(toJson(setup)).value();
  EXPECT_EQ(toJson(read), toJson(setup));
  EXPECT_EQ(read.toolchain->device, "local-task");
  EXPECT_EQ(read.cpu, "a CPU");
}

TEST(WorkerSetup, HasDefaults) {
  const WorkerSetup read = workerSetupFrom(nlohmann::json::object()).value();
  EXPECT_EQ(read.version, "");
  EXPECT_EQ(read.idleSeconds, 120);
  EXPECT_FALSE(read.toolchain);
}

TEST(WorkerSetup, RejectsIncompatibleToolchain) {
  EXPECT_FALSE(workerSetupFrom({{"engine", {{"iree", "/iree"}}}}));
}

}  // namespace
}  // namespace hone::cluster
