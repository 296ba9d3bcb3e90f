#include "kernel/worker/cpp/cpp_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text/text.h"

namespace hone::kernel {
namespace {

/// Names of -f flags, without "no-" and "=value".
constexpr auto kFeatures = std::to_array<std::string_view>({
    // arithmetic
    "fast-math",
    "associative-math",
    "reciprocal-math",
    "finite-math-only",
    "math-errno",
    "trapping-math",
    "rounding-math",
    "signaling-nans",
    "signed-zeros",
    "unsafe-math-optimizations",
    "single-precision-constant",
    "float-store",
    "fp-contract",
    "fp-int-builtin-inexact",
    "excess-precision",
    "cx-limited-range",
    "cx-fortran-rules",
    "wrapv",
    "wrapv-pointer",
    "trapv",
    "strict-overflow",
    "ext-numeric-literals",
    // parallelism
    "openmp",
    "openmp-simd",
    "openacc",
    "allow-store-data-races",
    // code generation
    "aggressive-loop-optimizations",
    "allocation-dce",
    "auto-inc-dec",
    "bit-tests",
    "branch-count-reg",
    "caller-saves",
    "code-hoisting",
    "combine-stack-adjustments",
    "compare-elim",
    "conserve-stack",
    "cprop-registers",
    "crossjumping",
    "cse-follow-jumps",
    "dce",
    "defer-pop",
    "delayed-branch",
    "delete-dead-exceptions",
    "delete-null-pointer-checks",
    "devirtualize",
    "devirtualize-at-ltrans",
    "devirtualize-speculatively",
    "dse",
    "early-inlining",
    "expensive-optimizations",
    "finite-loops",
    "fold-mem-offsets",
    "fold-simple-inlines",
    "forward-propagate",
    "function-cse",
    "guess-branch-probability",
    "hoist-adjacent-loads",
    "if-conversion",
    "if-conversion2",
    "indirect-inlining",
    "ivopts",
    "jump-tables",
    "lifetime-dse",
    "limit-function-alignment",
    "live-range-shrinkage",
    "lra-remat",
    "modulo-sched",
    "modulo-sched-allow-regmoves",
    "move-loop-invariants",
    "move-loop-stores",
    "nothrow-opt",
    "omit-frame-pointer",
    "optimize-sibling-calls",
    "optimize-strlen",
    "partial-inlining",
    "peel-loops",
    "peephole",
    "peephole2",
    "plt",
    "predictive-commoning",
    "prefetch-loop-arrays",
    "printf-return-value",
    "ree",
    "rename-registers",
    "reorder-blocks",
    "reorder-blocks-algorithm",
    "reorder-blocks-and-partition",
    "reorder-functions",
    "rerun-cse-after-loop",
    "reschedule-modulo-scheduled-loops",
    "schedule-fusion",
    "schedule-insns",
    "schedule-insns2",
    "section-anchors",
    "selective-scheduling",
    "selective-scheduling2",
    "semantic-interposition",
    "shrink-wrap",
    "shrink-wrap-separate",
    "simd-cost-model",
    "ssa-backprop",
    "ssa-phiopt",
    "stack-reuse",
    "stdarg-opt",
    "store-merging",
    "strict-aliasing",
    "strict-enums",
    "strict-volatile-bitfields",
    "thread-jumps",
    "threadsafe-statics",
    "toplevel-reorder",
    "tracer",
    "trivial-auto-var-init",
    "unconstrained-commons",
    "unswitch-loops",
    "variable-expansion-in-unroller",
    "vect-cost-model",
    "version-loops-for-strides",
    "vpt",
    "web",
    "function-sections",
    "data-sections",
    "visibility",
    "visibility-inlines-hidden",
    "common",
    "tls-model",
    "PIC",
    // language
    "exceptions",
    "non-call-exceptions",
    "asynchronous-unwind-tables",
    "unwind-tables",
    "rtti",
    "permissive",
    "char8_t",
    "concepts",
    "coroutines",
    "signed-char",
    "unsigned-char",
    "short-enums",
    "ms-extensions",
    "gnu-keywords",
    "lax-vector-conversions",
    "hosted",
    "freestanding",
    "elide-constructors",
    "aligned-new",
    "sized-deallocation",
    "implicit-constexpr",
    "enforce-eh-specs",
    "use-cxa-atexit",
    "abi-version",
    "max-errors",
    "constexpr-depth",
    "constexpr-cache-depth",
    "constexpr-loop-limit",
    "constexpr-ops-limit",
    "constexpr-fp-except",
    "template-depth",
    "stack-protector",
    "stack-protector-strong",
    "stack-clash-protection",
    "cf-protection",
});

constexpr auto kLevels =
    std::to_array<std::string_view>({"", "0", "1", "2", "3", "s", "z", "g", "fast"});

/// Families of -f flags in which every member is an optimization.
constexpr auto kFamilies = std::to_array<std::string_view>(
    {"align-", "gcse", "graphite", "inline", "ipa-", "ira-", "isolate-erroneous-paths", "loop-",
     "sched-", "sel-sched-", "split-", "tree-", "unroll-", "builtin"});

/// Flags of the instruction set that change the ABI or write files.
constexpr auto kForbiddenMachine = std::to_array<std::string_view>(
    {"-m32", "-mx32", "-m16", "-mabi", "-mdump", "-mfentry", "-minstrument", "-miamcu", "-mnop",
     "-mrecord", "-mregparm", "-mrtd", "-msseregparm", "-mtune-ctrl", "-msoft-float"});

bool isPlain(std::string_view flag) {
  return std::ranges::all_of(flag, [](char c) {
    return c > ' ' && c < 0x7f && !std::string_view("\"'`$&;|<>\\").contains(c);
  });
}

bool isWord(std::string_view text, std::string_view more) {
  return !text.empty() &&
         std::ranges::all_of(text, [&](char c) { return isWordCharacter(c) || more.contains(c); });
}

bool isAllowedFeature(std::string_view name) {
  name = name.substr(0, name.find('='));
  name.remove_prefix(name.starts_with("no-") ? 3 : 0);
  return std::ranges::find(kFeatures, name) != kFeatures.end() ||
         std::ranges::any_of(kFamilies, [&](auto family) { return name.starts_with(family); });
}

bool isAllowedFlag(std::string_view flag) {
  const auto after = [&](std::string_view prefix) {
    return flag.starts_with(prefix) ? flag.substr(prefix.size()) : std::string_view();
  };
  if (flag.starts_with("-O")) {
    return std::ranges::find(kLevels, flag.substr(2)) != kLevels.end();
  }
  if (flag.starts_with("-f")) {
    return isAllowedFeature(flag.substr(2)) && isWord(flag.substr(2), "-=,.:+");
  }
  if (flag.starts_with("-m")) {
    return isWord(flag.substr(2), "-=,.+") &&
           std::ranges::none_of(kForbiddenMachine, [&](auto one) { return flag.starts_with(one); });
  }
  if (flag.starts_with("-D") || flag.starts_with("-U")) {
    return isWord(flag.substr(2, flag.find_first_of("=(", 2) - 2), "");
  }
  return isWord(after("-std="), "+") || isWord(after("--param="), "-=");
}

}  // namespace

std::string explainRejectedFlag(std::string_view flag) {
  if (flag == kAsC || (isPlain(flag) && isAllowedFlag(flag))) {
    return "";
  }
  return fmt::format(
      "flag '{}' is not allowed; allowed are optimizations (-O…, -f…), -m…, -D…, -U…, -std=… and "
      "--param=…",
      printable(flag));
}

}  // namespace hone::kernel
