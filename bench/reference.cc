// The time of the 2560^3 f32 reference and of comparing its result, on one core: medians of the
// CPU time of 3.

#include "verify/reference.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/clock.h"
#include "verify/compare.h"
#include "verify/inputs.h"

namespace {

template <typename Work>
double medianSeconds(Work work) {
  std::array<double, 3> seconds{};
  for (double& sample : seconds) {
    const std::int64_t start = hone::ownCpuNs();  // one thread: the core's time whatever the load
    work();
    sample = static_cast<double>(hone::ownCpuNs() - start) / 1e9;
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[1];
}

}  // namespace

int main() {
  using namespace hone;
  const model::Problem problem = model::Matmul{.m = 2560, .n = 2560, .k = 2560};
  const auto types = model::operandsOf(problem);
  std::vector<verify::Tensor> inputs;
  const double make = medianSeconds([&] {
    inputs = {verify::makeInput(types[0], verify::Values::reals, 1, 0),
              verify::makeInput(types[1], verify::Values::reals, 1, 1)};
  });
  Result<verify::Tensor> reference;
  const double compute =
      medianSeconds([&] { reference = verify::computeReference(problem, inputs); });
  if (!reference) {
    fmt::print(stderr, "{}\n", reference.error().message);
    return 1;
  }
  // One other bit in every element, so that nothing is skipped as equal.
  verify::Tensor other = *reference;
  for (std::size_t i = 0; i < other.data.size(); i += 4) {
    other.data[i] ^= std::byte{1};
  }
  bool same = false;
  const double compare = medianSeconds([&] {
    const auto mismatch = verify::compare(other, *reference, verify::toleranceFor(problem, false));
    same = mismatch && !*mismatch;
  });
  fmt::print("{}: inputs {:.0f} ms, reference {:.3f} s ({:.1f} GF/s), compare {:.1f} ms{}\n",
             model::nameOf(problem), make * 1e3, compute, model::flopsOf(problem) / compute / 1e9,
             compare * 1e3, same ? "" : " (differs)");
  return same ? 0 : 1;
}
