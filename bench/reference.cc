// Measures the CPU time of the 2560^3 f32 reference and of the comparison with its result, on one
// core (median of 3). Also measures numpy in int64, as used by the Python dispatch profiler, once.

#include "verify/reference.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/clock.h"
#include "base/text/text.h"
#include "support.h"
#include "verify/compare.h"
#include "verify/inputs.h"

namespace hone::bench {
namespace {

template <typename Work>
double medianSeconds(Work work) {
  std::array<double, 3> seconds{};
  for (double& sample : seconds) {
    const std::int64_t start = ownCpuNs();  // one thread: CPU time is independent of the load
    work();
    sample = static_cast<double>(ownCpuNs() - start) / 1e9;
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

constexpr std::int64_t kSize = 2560;
constexpr std::int64_t kQuickSize = 512;
constexpr double kAim = 50;

/// Measures numpy's product of int64 matrices in CPU seconds, with the Python that has IREE.
Result<double> numpySeconds(std::int64_t size) {
  const iree::Installation installation = HONE_TRY(iree::findInstallation(""));
  const auto python = installation.site.parent_path().parent_path().parent_path() / "bin/python";
  const std::string script = fmt::format(
      "import numpy, time\n"
      "a = numpy.random.randint(-2, 3, ({0}, {0})).astype(numpy.int64)\n"
      "b = numpy.random.randint(-2, 3, ({0}, {0})).astype(numpy.int64)\n"
      "start = time.process_time()\n"
      "numpy.matmul(a, b)\n"
      "print(time.process_time() - start)\n",
      size);
  Command command;
  command.argv = {python, "-c", script};
  const Finished finished = HONE_TRY(runCommand(command));
  const auto seconds = parseDouble(trim(finished.out));
  if (!seconds) {
    return machineError("numpy: {}", finished.err);
  }
  return *seconds;
}

Result<void> measure(const Options& options) {
  const std::int64_t size = options.quick ? kQuickSize : kSize;
  const model::Problem problem = model::Matmul{.m = size, .n = size, .k = size};
  const auto types = model::operandTypes(problem);
  std::vector<verify::Tensor> inputs;
  const double make = medianSeconds([&] {
    inputs = {verify::makeInput(types[0], verify::Values::reals, 1, 0),
              verify::makeInput(types[1], verify::Values::reals, 1, 1)};
  });
  Result<verify::Tensor> reference;
  const double compute =
      medianSeconds([&] { reference = verify::computeReference(problem, inputs); });
  HONE_CHECK(reference);
  // Change one bit of every element, so that nothing is skipped as equal.
  verify::Tensor other = *reference;
  for (std::size_t i = 0; i < other.data.size(); i += 4) {
    other.data[i] ^= std::byte{1};
  }
  bool same = false;
  const double compare = medianSeconds([&] {
    const auto mismatch =
        verify::compare(other, *reference, verify::toleranceFor(problem, verify::Values::reals));
    same = mismatch && !*mismatch;
  });
  if (!same) {
    return machineError("the reference differs from itself");
  }
  fmt::print("{}: inputs {:.0f} ms, reference {:.3f} s ({:.1f} GF/s), compare {:.1f} ms\n",
             model::nameOf(problem), make * 1e3, compute,
             model::countFlops(problem) / compute / 1e9, compare * 1e3);
  const double numpy = HONE_TRY(numpySeconds(size));
  fmt::print("numpy in int64: {:.1f} s; hone's reference is {:.0f}x as fast; aim {:.0f}x: {}\n",
             numpy, numpy / compute, kAim, numpy / compute >= kAim ? "met" : "missed");
  return {};
}

}  // namespace
}  // namespace hone::bench

int main(int argc, char** argv) {
  return hone::bench::runMain("reference", argc, argv, hone::bench::measure);
}
