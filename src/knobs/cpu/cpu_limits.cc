#include "knobs/cpu/cpu_limits.h"

#include "base/machine.h"

namespace hone::knobs {

CpuLimits detectCpuLimits() {
  CpuLimits limits;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) {
    limits.vectorBytes = 64;
    limits.registers = 32;
  } else if (__builtin_cpu_supports("avx2")) {
    limits.vectorBytes = 32;
  }
#elifdef __aarch64__
  limits.registers = 32;
#endif
  if (const auto bytes = dataCacheBytes(1)) {
    limits.l1Bytes = static_cast<std::int64_t>(*bytes);
  }
  if (const auto bytes = dataCacheBytes(2)) {
    limits.l2Bytes = static_cast<std::int64_t>(*bytes);
  }
  limits.cores = static_cast<std::int64_t>(cpuCount());
  return limits;
}

}  // namespace hone::knobs
