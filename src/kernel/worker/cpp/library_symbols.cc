#include "kernel/worker/cpp/library_symbols.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "base/file.h"

namespace hone::kernel {
namespace {

using Names = std::set<std::string_view>;

const Names& plainNames() {
  static const Names kNames = {
      // every shared object
      "__gmon_start__", "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable",
      "__cxa_finalize", "__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl",
      "__dso_handle", "__tls_get_addr", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail",
      "__gxx_personality_v0", "__gcc_personality_v0", "_Unwind_Resume", "__cpu_model",
      "__cpu_indicator_init",
      // memory
      "malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign", "memalign",
      "valloc", "memcpy", "memmove", "memset", "memchr", "memcmp", "bcmp", "mempcpy",
      "__memcpy_chk", "__memmove_chk", "__memset_chk", "bzero",
      // strings and numbers
      "strlen", "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strchr", "strrchr",
      "strstr", "strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "atoi", "atol",
      "atof", "qsort", "bsearch", "rand", "srand", "rand_r", "div", "ldiv", "lldiv",
      // errors and output
      "abort", "__assert_fail", "__errno_location", "printf", "fprintf", "sprintf", "snprintf",
      "vprintf", "vfprintf", "vsnprintf", "puts", "putchar", "putc", "fputc", "fputs", "fwrite",
      "fflush", "perror", "stdout", "stderr", "__printf_chk", "__fprintf_chk", "__sprintf_chk",
      "__snprintf_chk", "__vsnprintf_chk",
      // threads
      "pthread_create", "pthread_join", "pthread_self", "pthread_equal", "pthread_once",
      "__pthread_key_create", "pthread_key_create", "pthread_getspecific", "pthread_setspecific",
      "__once_proxy", "sched_yield", "sched_getcpu", "get_nprocs"};
  return kNames;
}

/// Returns math functions, without the suffix f or l.
const Names& mathNames() {
  static const Names kNames = {
      "acos",      "acosh",      "asin",     "asinh",       "atan",   "atan2",     "atanh",
      "cbrt",      "ceil",       "copysign", "cos",         "cosh",   "erf",       "erfc",
      "exp",       "exp10",      "exp2",     "expm1",       "fabs",   "fdim",      "floor",
      "fma",       "fmax",       "fmin",     "fmod",        "frexp",  "hypot",     "ilogb",
      "ldexp",     "lgamma",     "llrint",   "llround",     "log",    "log10",     "log1p",
      "log2",      "logb",       "lrint",    "lround",      "modf",   "nan",       "nearbyint",
      "nextafter", "nexttoward", "pow",      "remainder",   "remquo", "rint",      "round",
      "roundeven", "scalbln",    "scalbn",   "significand", "sin",    "sincos",    "sinh",
      "sqrt",      "tan",        "tanh",     "tgamma",      "trunc",  "j0",        "j1",
      "jn",        "y0",         "y1",       "yn",          "cabs",   "carg",      "cexp",
      "clog",      "cpow",       "csqrt",    "csin",        "ccos",   "ctan",      "csinh",
      "ccosh",     "ctanh",      "conj",     "cimag",       "creal",  "cproj",     "casin",
      "cacos",     "catan",      "casinh",   "cacosh",      "catanh", "fpclassify"};
  return kNames;
}

bool isMath(std::string_view symbol) {
  const auto known = [](std::string_view name) { return mathNames().contains(name); };
  // "expf", "__expf_finite", and glibc's vector forms: "_ZGVdN8v_expf".
  if (symbol.starts_with("_ZGV")) {
    symbol.remove_prefix(std::min(symbol.find('_', 1), symbol.size() - 1) + 1);
  }
  if (symbol.starts_with("__") && symbol.ends_with("_finite")) {
    symbol = symbol.substr(2, symbol.size() - 9);
  }
  return known(symbol) || ((symbol.ends_with('f') || symbol.ends_with('l')) &&
                           known(symbol.substr(0, symbol.size() - 1)));
}

/// Returns true for parts of the C++ library that access the system, by words in their symbols.
bool usesSystem(std::string_view symbol) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"chrono", "filesystem", "filebuf", "fstream", "basic_file", "this_thread", "6detach",
       "random_device", "stdio_sync", "tzdb"});
  return std::ranges::any_of(kWords, [&](std::string_view word) { return symbol.contains(word); });
}

template <typename Header>
const Header* headerAt(std::string_view file, std::size_t at) {
  return at <= file.size() && file.size() - at >= sizeof(Header)
             ? reinterpret_cast<const Header*>(file.data() + at)
             : nullptr;
}

std::string_view sectionBytes(std::string_view file, const Elf64_Shdr& section) {
  return section.sh_offset <= file.size() && file.size() - section.sh_offset >= section.sh_size
             ? file.substr(section.sh_offset, section.sh_size)
             : std::string_view();
}

}  // namespace

Result<std::vector<std::string>> neededSymbols(const std::filesystem::path& library) {
  const std::string file = HONE_TRY(readFile(library));
  const auto* header = headerAt<Elf64_Ehdr>(file, 0);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return machineError("{} is not a shared object for this machine", library.string());
  }
  std::vector<std::string> needed;
  bool found = false;
  for (std::size_t i = 0; i < header->e_shnum; ++i) {
    const auto* section = headerAt<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (section == nullptr || section->sh_type != SHT_DYNSYM) {
      continue;
    }
    const auto* names =
        headerAt<Elf64_Shdr>(file, header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    const std::string_view text =
        names != nullptr ? sectionBytes(file, *names) : std::string_view();
    const std::string_view symbols = sectionBytes(file, *section);
    found = true;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
      const auto* symbol = headerAt<Elf64_Sym>(symbols, at);
      if (symbol->st_shndx == SHN_UNDEF && symbol->st_name > 0 && symbol->st_name < text.size()) {
        needed.emplace_back(text.data() + symbol->st_name);
      }
    }
  }
  if (!found) {
    return machineError("{} has no dynamic symbol table", library.string());
  }
  return needed;
}

bool isAllowedSymbol(std::string_view symbol) {
  constexpr auto kPrefixes = std::to_array<std::string_view>({"GOMP_",
                                                              "omp_get_",
                                                              "omp_set_",
                                                              "omp_in_",
                                                              "omp_init_",
                                                              "omp_destroy_",
                                                              "omp_test_",
                                                              "omp_unset_",
                                                              "pthread_mutex",
                                                              "pthread_cond",
                                                              "pthread_rwlock",
                                                              "pthread_spin",
                                                              "pthread_barrier",
                                                              "__cxa_",
                                                              "_Unwind_",
                                                              "__atomic_",
                                                              "_ZNSt",
                                                              "_ZNKSt",
                                                              "_ZNVSt",
                                                              "_ZSt",
                                                              "_ZTISt",
                                                              "_ZTVSt",
                                                              "_ZTTSt",
                                                              "_ZTSSt",
                                                              "_ZTIN10__cxxabiv1",
                                                              "_ZTVN10__cxxabiv1",
                                                              "_ZN10__cxxabiv1",
                                                              "_ZN9__gnu_cxx",
                                                              "_ZNK9__gnu_cxx",
                                                              "_ZTVN9__gnu_cxx",
                                                              "_ZTI",
                                                              "_Zna",
                                                              "_Znw",
                                                              "_Zda",
                                                              "_Zdl",
                                                              "_ZGVNSt"});
  if (usesSystem(symbol) || symbol.starts_with("omp_get_w")) {
    return false;
  }
  return plainNames().contains(symbol) || isMath(symbol) ||
         std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return symbol.starts_with(prefix); });
}

}  // namespace hone::kernel
