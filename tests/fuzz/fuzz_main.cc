// Entry point of a libFuzzer program; HONE_FUZZ_TARGET is the name of its target.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fuzz_targets.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const hone::test::FuzzTarget& target : hone::test::fuzzTargets()) {
    if (target.name == HONE_FUZZ_TARGET) {
      target.parse({reinterpret_cast<const char*>(data), size});
    }
  }
  return 0;
}
