#include "kernel/judge/facts/kernel_facts.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "store/store.h"
#include "tests/source_folder.h"

namespace hone::kernel {
namespace {

using nlohmann::json;

TEST(KernelFacts, AreReadAsWritten) {
  const KernelFacts facts{
      .stoppedBy = Defence::scan,
      .remarks = std::vector<std::string>{"line 3: loop vectorized"},
      .sandbox = "seccomp",
      .missingDefences = {"landlock"},
      .lock = "none: GPU drivers need files and processes",
      .inputs = 16,
      .worstError = 1e-7,
      .errorBound = 1e-5,
      .overheadNs = 6000,
      .belowNoise = true,
      .counters = EventCounts{.instructions = 5e6, .cycles = 1e7, .cacheMisses = 2},
      .timed = false,
      .onCuda = true,
      .cudaError = "compiling for CUDA failed",
      .gpu = {.registers = 96, .stages = 2},
      .kernels = std::vector<GpuKernel>{
          {.arch = "sm_80", .failed = true, .numbers = {.globalBytes = 1.5, .flops = 7}}}};
  const json stored = toJson(facts);
  EXPECT_EQ(factsFrom(stored), facts);
  EXPECT_EQ(stored["registers"].dump(), "96");
  EXPECT_EQ(stored["kernels"][0]["global_bytes"].dump(), "1.5");
  EXPECT_EQ(toJson(KernelFacts()), json::object());
}

TEST(KernelFacts, IgnoreMembersOfAnotherForm) {
  const json odd = {{"remarks", 7},      {"timed", "no"}, {"counters", "no counters here"},
                    {"registers", "96"}, {"kernels", 1},  {"stopped_by", "magic"}};
  EXPECT_EQ(factsFrom(odd), KernelFacts());
  const json mixed = {{"remarks", {"a", 7}}, {"kernels", {{{"arch", 1}, {"flops", 2}}}}};
  EXPECT_EQ(toJson(factsFrom(mixed)),
            (json{{"remarks", {"a"}}, {"kernels", {{{"arch", ""}, {"flops", 2}}}}}));
}

/// See tests/data/README.md.
TEST(KernelFacts, ReadsOlderStore) {
  const ScratchFolder folder = ScratchFolder::create("hone-older-facts").value();
  std::filesystem::copy_file(sourceFolder() / "tests/data/store_2.db", folder.path() / "s.db");
  const store::Store store =
      store::Store::open(folder.path() / "s.db", store::Store::Mode::read).value();
  int count = 0;
  for (const std::int64_t run : {7, 8, 11}) {
    const std::vector<store::Trial> trials = store.trials(run).value();
    for (const store::Trial& trial : trials) {
      if (!trial.details.facts.empty()) {
        EXPECT_EQ(toJson(factsFrom(json::parse(trial.details.facts))),
                  json::parse(trial.details.facts));
        ++count;
      }
    }
  }
  EXPECT_GT(count, 3);
}

}  // namespace
}  // namespace hone::kernel
