// Compares candidates compiled per second by hone and by iree-compile: different tiles of one
// matmul, on all cores, without a warm cache.
//
// hone starts its compile pool with an empty cache in every block. The others start one process per
// candidate, one at a time per core, with the tiles written into the source. Blocks are
// interleaved, so that noise affects all methods equally.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "base/clock.h"
#include "base/hash.h"
#include "base/machine.h"
#include "iree/mlir/problem_mlir.h"
#include "report/render/table.h"
#include "support.h"

namespace hone::bench {
namespace {

constexpr std::size_t kBlock = 20;
constexpr double kAim = 2.5;

// Indices of the methods.
constexpr std::size_t kHone = 0;
constexpr std::size_t kCommand = 1;
constexpr std::size_t kMethods = 3;
constexpr std::array<std::string_view, kMethods> kNames = {"hone", "iree-compile (Python wrapper)",
                                                           "iree-compile (native binary)"};

struct Spent {
  double wallSeconds = 0;
  double cpuSeconds = 0;
};

/// Inputs and outputs of a block of candidates.
struct BlockContext {
  iree::Installation installation;
  std::filesystem::path folder;
  std::string source;  ///< the program without a config
  std::string function;
  std::vector<std::string> flags;      ///< hone's flags for this target
  std::vector<std::string> toolFlags;  ///< flags given by users
  std::set<std::string> honeContents;  ///< hashes of the modules compiled by hone
  std::set<std::string> toolContents;
};

/// Runs the work and returns its wall time and its CPU time, including children.
template <typename Work>
Result<Spent> measureWork(const Work& work) {
  const std::int64_t wall = nowNs();
  const std::int64_t cpu = ownCpuNs() + childrenCpuNs();
  HONE_CHECK(work());
  return Spent{static_cast<double>(nowNs() - wall) / 1e9,
               static_cast<double>(ownCpuNs() + childrenCpuNs() - cpu) / 1e9};
}

Result<void> compileByHone(BlockContext& setting, std::span<const model::Config> configs,
                           int block) {
  const auto source = setting.folder / "program.mlir";
  std::vector<iree::CompileRequest> requests;
  for (const model::Config& config : configs) {
    requests.push_back({source, HONE_TRY(hashFile(source)), setting.flags, config.attributes,
                        iree::CompileRequest::Route::batched, setting.function});
  }
  auto compiler =
      HONE_TRY(startCompiler(setting.installation, setting.folder / fmt::format("cache{}", block)));
  for (const iree::Compiled& compiled : HONE_TRY(compiler.compileAll(requests, {}))) {
    if (compiled.report.status != iree::CompileReport::Status::ok) {
      return machineError("candidate failed to compile: {}", compiled.report.message);
    }
    setting.honeContents.insert(compiled.content);
  }
  return {};
}

/// Returns the program with the config's attributes on its matmul, as a user would write it.
std::string withConfig(std::string source, const model::Config& config) {
  const model::OpAttribute& attribute = config.attributes.front();
  const auto at = source.find(attribute.op) + attribute.op.size();
  return source.insert(at, fmt::format(" {{{} = {}}}", attribute.name, attribute.value));
}

/// Runs one process per candidate; each thread starts the next when its last has ended.
Result<void> compileByTool(BlockContext& setting, const std::filesystem::path& tool,
                           std::span<const model::Config> configs) {
  std::vector<Command> commands;
  std::vector<std::filesystem::path> outputs;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    const auto source = setting.folder / fmt::format("candidate{}.mlir", i);
    HONE_CHECK(writeFile(source, withConfig(setting.source, configs[i])));
    outputs.push_back(setting.folder / fmt::format("candidate{}.vmfb", i));
    Command command;
    command.argv = {tool.string(), source.string(), "-o", outputs.back().string()};
    command.argv.insert(command.argv.end(), setting.toolFlags.begin(), setting.toolFlags.end());
    commands.push_back(std::move(command));
  }
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < cpuCount(); ++i) {
      threads.emplace_back([&] {
        for (std::size_t at = next++; at < commands.size(); at = next++) {
          const auto finished = runCommand(commands[at]);
          failed = failed || !finished || !finished->ending.ok();
        }
      });
    }
  }
  if (failed) {
    return machineError("{} failed", tool.string());
  }
  for (const auto& output : outputs) {
    setting.toolContents.insert(HONE_TRY(hashFile(output)));
  }
  return {};
}

Result<BlockContext> prepare(const ScratchFolder& scratch) {
  BlockContext setting;
  setting.installation = HONE_TRY(iree::findInstallation(""));
  setting.folder = scratch.path();
  setting.flags = HONE_TRY(iree::targetFrom("local")).flags;
  setting.toolFlags = {"--iree-hal-target-device=local",
                       "--iree-hal-local-target-device-backends=llvm-cpu",
                       "--iree-llvmcpu-target-cpu=host"};
  setting.function = "main";
  setting.source = iree::emitMlir(tiledProblem(), setting.function);
  HONE_CHECK(writeFile(setting.folder / "program.mlir", setting.source));
  return setting;
}

std::filesystem::path wrapperPath(const iree::Installation& installation) {
  // <venv>/lib/python3.x/site-packages -> <venv>/bin
  return installation.site.parent_path().parent_path().parent_path() / "bin/iree-compile";
}

using Blocks = std::array<std::vector<Spent>, kMethods>;

Result<void> measureBlock(BlockContext& setting, std::span<const model::Config> configs, int block,
                          Blocks& blocks) {
  for (std::size_t turn = 0; turn < kMethods; ++turn) {
    const std::size_t way = (turn + static_cast<std::size_t>(block)) % kMethods;
    blocks[way].push_back(HONE_TRY(measureWork([&]() -> Result<void> {
      switch (way) {
        case kHone:
          return compileByHone(setting, configs, block);
        case kCommand:
          return compileByTool(setting, wrapperPath(setting.installation), configs);
        default:
          return compileByTool(
              setting, setting.installation.compilerLibrary().parent_path() / "iree-compile",
              configs);
      }
    })));
  }
  return {};
}

/// Returns the ratio of a method's times to hone's, per block.
stats::Interval computeRatio(const Blocks& blocks, std::size_t way, double Spent::* what) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < blocks[way].size(); ++i) {
    ratios.push_back(blocks[way][i].*what / (blocks[kHone][i].*what));
  }
  return ratioInterval(ratios);
}

void print(const Blocks& blocks, std::size_t candidates) {
  using report::Align;
  report::Table table({{"", Align::left},
                       {"candidates/s", Align::right},
                       {"CPU s each", Align::right},
                       {"wall / hone", Align::right},
                       {"CPU / hone", Align::right}});
  for (std::size_t way = 0; way < kMethods; ++way) {
    Spent sum;
    for (const Spent& spent : blocks[way]) {
      sum.wallSeconds += spent.wallSeconds;
      sum.cpuSeconds += spent.cpuSeconds;
    }
    const auto count = static_cast<double>(candidates);
    table.add({std::string(kNames[way]), fmt::format("{:.2f}", count / sum.wallSeconds),
               fmt::format("{:.3f}", sum.cpuSeconds / count),
               way == kHone ? "1" : formatInterval(computeRatio(blocks, way, &Spent::wallSeconds)),
               way == kHone ? "1" : formatInterval(computeRatio(blocks, way, &Spent::cpuSeconds))});
  }
  fmt::print("{}", table.text());
}

Result<void> measure(const Options& options) {
  const std::vector<model::Config> configs = tileConfigs(options.quick ? 2 * kBlock : 60);
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-compile-rate"));
  BlockContext setting = HONE_TRY(prepare(scratch));
  fmt::print("{} tilings of {}, {} at a time, interleaved blocks of {}\n", configs.size(),
             model::nameOf(tiledProblem()), cpuCount(), kBlock);
  Blocks blocks;
  for (std::size_t at = 0; at < configs.size(); at += kBlock) {
    const std::size_t count = std::min(kBlock, configs.size() - at);
    HONE_CHECK(measureBlock(setting, std::span(configs).subspan(at, count),
                            static_cast<int>(at / kBlock), blocks));
  }
  print(blocks, configs.size());
  fmt::print("distinct modules: {} by hone, {} by iree-compile, of {} candidates\n",
             setting.honeContents.size(), setting.toolContents.size(), configs.size());
  const auto ratio = computeRatio(blocks, kCommand, &Spent::wallSeconds);
  fmt::print("hone compiles {} times as many candidates per second as iree-compile; aim {}: {}\n",
             formatInterval(ratio), kAim, ratio.estimate >= kAim ? "met" : "missed");
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("compile_rate", argc, argv, hone::bench::measure);
}
