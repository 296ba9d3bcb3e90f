#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "base/hash.h"
#include "base/subprocess.h"

namespace hone {
namespace {

/// What every trial pays to start a tool and catch its output.
void startProgram(benchmark::State& state) {
  Command command;
  command.argv = {"/bin/true"};
  for ([[maybe_unused]] auto step : state) {
    auto finished = runCommand(command);
    if (!finished || !finished->ending.ok()) {
      state.SkipWithError("/bin/true failed");
    }
  }
}
BENCHMARK(startProgram)->Unit(benchmark::kMicrosecond)->UseRealTime();

/// Keys of artifacts: a compiled module is some hundred kilobytes.
void hashModule(benchmark::State& state) {
  const std::string module(static_cast<std::size_t>(state.range(0)), 'x');
  for ([[maybe_unused]] auto step : state) {
    benchmark::DoNotOptimize(hashOf(module));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}
BENCHMARK(hashModule)->Arg(1 << 10)->Arg(1 << 18);

}  // namespace
}  // namespace hone
