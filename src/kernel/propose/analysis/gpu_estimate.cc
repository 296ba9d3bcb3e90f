#include "kernel/propose/analysis/gpu_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

/// Static evidence about one kernel of a GPU program, compiled for one architecture. Work is that
/// of one launch.
struct GpuProgram {
  std::string arch;
  bool failed = false;  ///< does not compile for the architecture
  double threads = 0;   ///< per block
  double blocks = 0;
  double sharedMemory = 0;            ///< bytes per block
  std::optional<double> registers;    ///< per thread; nothing without nvcc
  double spills = 0;                  ///< bytes per thread
  std::optional<double> globalBytes;  ///< in sectors of 32 bytes; nothing if it cannot be counted
  double globalRequests = 0;          ///< of warps
  double sharedBytes = 0;
  double tensorFlops = 0;
  double flops = 0;
  double barriers = 0;  ///< of threads
  double stages = 1;    ///< of the pipeline
};

/// Limits and rates of a device, per multiprocessor and cycle unless noted.
struct GpuDevice {
  std::string_view arch;
  double multiprocessors = 0;
  double sharedMemory = 0;    ///< bytes per multiprocessor
  double sharedPerBlock = 0;  ///< largest block
  double tensorFlops = 0;     ///< of 16 bit types
  double flops = 0;           ///< of f32
  double globalBytes = 0;     ///< from the L2 cache
  double memoryBytes = 0;     ///< from main memory, of the whole device
};

constexpr std::array kDevices = {GpuDevice{.arch = "sm_80",
                                           .multiprocessors = 108,
                                           .sharedMemory = 164 * 1024,
                                           .sharedPerBlock = 163 * 1024,
                                           .tensorFlops = 2048,
                                           .flops = 128,
                                           .globalBytes = 64,
                                           .memoryBytes = 1103},
                                 GpuDevice{.arch = "sm_90",
                                           .multiprocessors = 132,
                                           .sharedMemory = 228 * 1024,
                                           .sharedPerBlock = 227 * 1024,
                                           .tensorFlops = 4096,
                                           .flops = 256,
                                           .globalBytes = 64,
                                           .memoryBytes = 1830}};

constexpr double kGpuRegisters = 65536;
constexpr double kMaxThreads = 2048;
constexpr double kMaxBlocks = 32;
constexpr double kWarp = 32;
constexpr double kSharedBytes = 128;  ///< per cycle
constexpr double kReservedShared = 1024;
constexpr double kLatency = 500;      ///< of a load from global memory
constexpr double kLoadsInFlight = 4;  ///< of a warp, per stage
constexpr double kBarrierCycles = 30;
constexpr double kLaunchCycles = 3000;

const GpuDevice* findDevice(std::string_view arch) {
  const auto* const found = std::ranges::find(kDevices, arch, &GpuDevice::arch);
  return found == kDevices.end() ? nullptr : found;
}

/// Returns the blocks that fit a multiprocessor at the same time.
double residentBlocks(const GpuProgram& program, const GpuDevice& device) {
  double blocks = std::min(kMaxBlocks, std::floor(kMaxThreads / program.threads));
  if (program.registers) {
    // Registers are allocated in units of eight per thread.
    const double used = std::ceil(std::max(*program.registers, 1.0) / 8) * 8 *
                        std::ceil(program.threads / kWarp) * kWarp;
    blocks = std::min(blocks, std::floor(kGpuRegisters / used));
  }
  return std::min(blocks,
                  std::floor(device.sharedMemory / (program.sharedMemory + kReservedShared)));
}

std::string describeProblem(const GpuProgram& program, const GpuDevice& device) {
  if (program.failed) {
    return "does not compile";
  }
  if (program.sharedMemory > device.sharedPerBlock) {
    return fmt::format("needs {:.0f} bytes of shared memory per block, {} has {:.0f}",
                       program.sharedMemory, device.arch, device.sharedPerBlock);
  }
  if (program.threads < 1 || residentBlocks(program, device) < 1) {
    return "a block needs more registers or threads than a multiprocessor has";
  }
  return "";
}

/// Returns the cycles of the busiest multiprocessor.
double estimateCycles(const GpuProgram& program, const GpuDevice& device) {
  const double busiest = std::ceil(program.blocks / device.multiprocessors);
  const double together = std::min(residentBlocks(program, device), busiest);
  const double share = busiest / program.blocks;  // of all work
  const double spilled = program.spills * 2 * program.threads * program.blocks;
  const double memory = std::max(*program.globalBytes * share / device.globalBytes,
                                 // The L2 cache serves the rest.
                                 *program.globalBytes / device.memoryBytes / 4) +
                        spilled * share / device.globalBytes;
  const double compute = std::max(
      program.tensorFlops * share / device.tensorFlops + program.flops * share / device.flops,
      program.sharedBytes * share / kSharedBytes);
  const double stages = std::max(program.stages, 1.0);
  const double warps = std::max(std::ceil(program.threads / kWarp), 1.0) * program.blocks;
  const double waiting =
      program.globalRequests / warps * (busiest / together) * kLatency / (kLoadsInFlight * stages);
  const double barriers = program.barriers / program.threads * share * kBarrierCycles / together;
  // Copies overlap with computation in a pipeline, and with that of other blocks.
  return std::max({memory, compute, waiting}) + std::min(memory, compute) / (stages * together) +
         barriers + kLaunchCycles;
}

std::vector<GpuProgram> gpuPrograms(const KernelFacts& facts) {
  std::vector<GpuProgram> programs;
  for (const GpuKernel& kernel : facts.kernels.value_or(std::vector<GpuKernel>())) {
    const GpuNumbers& numbers = kernel.numbers;
    programs.push_back(
        {.arch = kernel.arch,
         .failed = kernel.failed,
         .threads = numbers.threads.value_or(0),
         .blocks = numbers.blocks.value_or(0),
         .sharedMemory = numbers.sharedMemory.value_or(0) + numbers.staticSharedMemory.value_or(0),
         .registers = numbers.registers,
         .spills = numbers.spills.value_or(0),
         .globalBytes = numbers.globalBytes,
         .globalRequests = numbers.globalRequests.value_or(0),
         .sharedBytes = numbers.sharedBytes.value_or(0),
         .tensorFlops = numbers.tensorFlops.value_or(0),
         .flops = numbers.flops.value_or(0),
         .barriers = numbers.barriers.value_or(0),
         .stages = std::max(numbers.stages.value_or(0), 1.0)});
  }
  return programs;
}

}  // namespace

std::vector<GpuEstimate> estimateGpu(const KernelFacts& facts) {
  std::vector<GpuEstimate> estimates;
  for (const GpuProgram& program : gpuPrograms(facts)) {
    const GpuDevice* device = findDevice(program.arch);
    if (device == nullptr) {
      continue;
    }
    auto one = std::ranges::find(estimates, program.arch, &GpuEstimate::arch);
    if (one == estimates.end()) {
      one = estimates.insert(estimates.end(), {.arch = program.arch, .problem = ""});
    }
    std::string problem = describeProblem(program, *device);
    if (!problem.empty()) {
      one->problem = std::move(problem);
      continue;
    }
    if (!program.globalBytes || program.blocks < 1) {
      return {};
    }
    one->cycles += estimateCycles(program, *device);
    one->occupancy =
        std::min(one->occupancy, residentBlocks(program, *device) * program.threads / kMaxThreads);
  }
  return estimates;
}

std::optional<double> relativeGpuCost(const KernelFacts& candidate, const KernelFacts& original) {
  const std::vector<GpuEstimate> before = estimateGpu(original);
  const std::vector<GpuEstimate> after = estimateGpu(candidate);
  double logs = 0;
  double count = 0;
  for (const GpuEstimate& one : before) {
    if (!one.problem.empty()) {
      continue;
    }
    const auto same = std::ranges::find(after, one.arch, &GpuEstimate::arch);
    if (same == after.end() || !same->problem.empty() || same->cycles <= 0) {
      return std::nullopt;
    }
    logs += std::log(same->cycles / one.cycles);
    count += 1;
  }
  return count > 0 ? std::optional(std::exp(logs / count)) : std::nullopt;
}

std::vector<std::string> describeGpu(const KernelFacts& facts) {
  const std::vector<GpuEstimate> estimates = estimateGpu(facts);
  std::vector<std::string> lines;
  std::map<std::string, GpuProgram> worst;  // of the kernels of a source
  for (const GpuProgram& program : gpuPrograms(facts)) {
    GpuProgram& one = worst.try_emplace(program.arch, program).first->second;
    if (program.registers && program.registers > one.registers) {
      one.registers = program.registers;
    }
    one.spills = std::max(one.spills, program.spills);
    one.sharedMemory = std::max(one.sharedMemory, program.sharedMemory);
    one.failed = one.failed || program.failed;
  }
  for (const auto& [arch, program] : worst) {
    if (program.failed) {
      lines.push_back(fmt::format("{}: does not compile", arch));
      continue;
    }
    std::string line = program.registers ? fmt::format("{}: {:.0f} registers, {:.0f} bytes spilled",
                                                       arch, *program.registers, program.spills)
                                         : fmt::format("{}: registers unknown (no nvcc)", arch);
    line += fmt::format(", {:.0f} bytes of shared memory", program.sharedMemory);
    const auto found = std::ranges::find(estimates, arch, &GpuEstimate::arch);
    if (found != estimates.end()) {
      line += found->problem.empty() ? fmt::format(", {:.0f} % occupancy", 100 * found->occupancy)
                                     : ", " + found->problem;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace hone::kernel
