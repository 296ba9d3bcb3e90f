#include "app/kernel/kernel_bench.h"

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "app/common/seed_option.h"
#include "base/machine.h"
#include "base/process/subprocess.h"
#include "kernel/worker/python/python_place.h"
#include "profile/library_provider.h"
#include "profile/roofline/cache_bandwidth.h"
#include "profile/roofline/roofline.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

/// Returns the output of `nvidia-smi -L`; "" without a GPU.
std::string gpuNames() {
  const std::string program = findProgram("nvidia-smi");
  if (program.empty()) {
    return "";
  }
  const auto ran = runCommand({{program, "-L"}, {}, {std::chrono::seconds(20), 0}});
  return ran && ran->ending.ok() ? ran->out : "";
}

Result<void> checkDevice(const KernelBenchOptions& options) {
  const std::string gpus = options.gpu.empty() && options.device != "cuda" ? "" : gpuNames();
  if (!options.gpu.empty() && !gpus.contains(options.gpu)) {
    return userError(
        "no {} found on this machine; hone times kernels locally, omit --gpu to use the CPU",
        options.gpu);
  }
  if (options.device == "cuda" && gpus.empty()) {
    return userError("no CUDA device found; omit --device to use the CPU");
  }
  return {};
}

/// Returns a folder that hone ships: in the repository the program was built in, or where it is
/// installed.
fs::path shippedFolder(const fs::path& inRepository, const fs::path& installed) {
  const auto program = ownProgram();
  if (!program) {
    return inRepository;
  }
  std::error_code code;
  const fs::path beside = program->parent_path().parent_path();
  return fs::exists(beside / inRepository, code) ? beside / inRepository
                                                 : beside / "share/hone" / installed;
}

}  // namespace

void KernelBenchOptions::addTo(CLI::App& command) {
  command.add_option("--kernels", kernels, "Base folder of relative kernel paths")
      ->type_name("DIR")
      ->capture_default_str();
  command.add_option("--device", device, "Device to time kernels on")
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  command.add_option("--gpu", gpu, "Fail unless this machine has this GPU")
      ->check(CLI::IsMember({"H100", "A100", "L40S", "A10G", "L4", "T4"}));
  command
      .add_option("--threads", threads,
                  "Threads per kernel; ranks by CPU time with 1, else by wall time")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  addSeedOption(command, seed);
  command.add_option("--run-timeout", runSeconds, "Timeout of one kernel process")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.1, 1e5))
      ->capture_default_str();
}

Result<void> setPython(kernel::JudgeOptions& judge, NeedsTileLang needs) {
  const auto place = kernel::findPython();
  if (!place) {
    return place.error().fault == Fault::user ? Result<void>(std::unexpected(place.error()))
                                              : Result<void>();
  }
  const auto packages = kernel::queryPackages(place->interpreter);
  if (packages && !packages->torch.empty() &&
      (needs == NeedsTileLang::no || !packages->tilelang.empty())) {
    judge.python = place->interpreter;
    judge.worker = place->script;
  }
  return {};
}

fs::path exploitsFolder() { return shippedFolder("tests/exploits", "exploits"); }

Result<KernelBench> KernelBench::make(const KernelBenchOptions& options) {
  HONE_CHECK(checkDevice(options));
  ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-kernel"));
  kernel::JudgeOptions judge;
  judge.folder = scratch.path();
  HONE_CHECK(setPython(judge, NeedsTileLang::no));
  judge.device = options.gpu.empty() ? options.device : "cuda";
  judge.threads = options.threads;
  judge.seed = options.seed;
  judge.limits.wall = std::chrono::milliseconds(std::llround(options.runSeconds * 1000));
  kernel::Measured machine;
  machine.threads = options.threads;
  const profile::LibraryProvider library(HONE_TRY(ownProgram()), judge.limits);
  const auto roofline = profile::loadRoofline(
      HONE_TRY(cacheFolder()), library, model::ElementType::f32, options.threads, HONE_VERSION);
  if (!roofline && roofline.error().fault == Fault::interrupted) {
    return std::unexpected(roofline.error());
  }
  if (roofline) {
    machine.peakGflops = roofline->gflops;
    machine.peakGbps = roofline->gbps;
    const auto caches = profile::loadCacheBandwidths(HONE_TRY(cacheFolder()), library,
                                                     options.threads, HONE_VERSION);
    if (!caches && caches.error().fault == Fault::interrupted) {
      return std::unexpected(caches.error());
    }
    for (std::size_t i = 0; caches && i < caches->size(); ++i) {
      machine.caches.push_back({.bytes = (*caches)[i].bytes, .gbps = (*caches)[i].gbps});
    }
  }
  const bool byCpuTime = options.threads == 1 && judge.device == "cpu";
  return KernelBench{std::move(scratch), std::move(judge), machine,
                     byCpuTime ? iree::RankBy::cpu : iree::RankBy::wall};
}

kernel::Embeddings makeEmbeddings(const kernel::JudgeOptions& judge) {
  const auto place = kernel::findPython();
  const fs::path python = place ? place->interpreter : fs::path("python3");
  return {judge.python.empty() ? python : judge.python, pythonScript("hone_embeddings.py")};
}

fs::path pythonScript(const std::string& name) { return shippedFolder("python", "python") / name; }

std::string KernelBench::machineName() const {
  return fmt::format("{}, {} thread{}", cpuName(), machine.threads,
                     machine.threads == 1 ? "" : "s");
}

Result<kernel::Examples> openExamples() {
  const char* given = std::getenv("HONE_EXAMPLES");
  const fs::path shipped =
      given != nullptr ? fs::path(given) : shippedFolder("examples/techniques", "techniques");
  return kernel::Examples::open(HONE_TRY(dataFolder()) / "examples.db", shipped);
}

}  // namespace hone::app
