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
      "__cxa_finalize", "__libc_single_threaded", "__dso_handle", "__tls_get_addr",
      "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "__gxx_personality_v0", "__gcc_personality_v0",
      "_Unwind_Resume", "__cpu_model", "__cpu_indicator_init",
      // memory
      "malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign", "memalign",
      "valloc", "memcpy", "memmove", "memset", "memchr", "memcmp", "bcmp", "mempcpy",
      "__memcpy_chk", "__memmove_chk", "__memset_chk", "bzero", "memrchr", "memccpy", "wmemchr",
      "wmemcmp", "wmemcpy", "wmemmove", "wmemset",
      // strings and numbers
      "strlen", "strnlen", "strcmp", "strncmp", "strcpy", "strncpy", "strcat", "strchr", "strrchr",
      "strstr", "strspn", "strcspn", "strpbrk", "strtok", "strtok_r", "strcasecmp", "strncasecmp",
      "strdup", "strndup", "stpcpy", "wcslen", "__strcpy_chk", "__strncpy_chk", "__strcat_chk",
      "strtol", "strtoul", "strtoll", "strtoull", "strtod", "strtof", "strtold", "__isoc23_strtol",
      "__isoc23_strtoul", "__isoc23_strtoll", "__isoc23_strtoull", "atoi", "atol", "atoll", "atof",
      "sscanf", "__isoc99_sscanf", "__isoc23_sscanf", "qsort", "qsort_r", "bsearch", "rand",
      "srand", "rand_r", "random", "srandom", "drand48", "erand48", "srand48", "lrand48", "abs",
      "labs", "llabs", "div", "ldiv", "lldiv", "lgamma_r", "lgammaf_r", "lgammal_r",
      // characters
      "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "tolower", "toupper",
      "isalnum", "isalpha", "isdigit", "islower", "ispunct", "isspace", "isupper", "isxdigit",
      // rounding
      "fegetround", "fesetround", "feclearexcept", "fetestexcept", "feraiseexcept", "fegetenv",
      "fesetenv", "feholdexcept", "feupdateenv", "fegetexceptflag", "fesetexceptflag",
      // errors and output
      "abort", "__assert_fail", "__errno_location", "printf", "fprintf", "sprintf", "snprintf",
      "vprintf", "vfprintf", "vsprintf", "vsnprintf", "strerror", "puts", "putchar", "putc",
      "fputc", "fputs", "fwrite", "fflush", "perror", "stdout", "stderr", "__printf_chk",
      "__fprintf_chk", "__sprintf_chk", "__snprintf_chk", "__vprintf_chk", "__vfprintf_chk",
      "__vsprintf_chk", "__vsnprintf_chk",
      // threads
      "pthread_create", "pthread_join", "pthread_self", "pthread_equal", "pthread_once",
      "__pthread_key_create", "pthread_key_create", "pthread_getspecific", "pthread_setspecific",
      "__once_proxy", "sched_yield", "sched_getcpu", "get_nprocs"};
  return kNames;
}

/// Returns math functions, without the suffix f or l.
const Names& mathNames() {
  static const Names kNames = {
      "acos",         "acosh",      "asin",    "asinh",     "atan",        "atan2",
      "atanh",        "cbrt",       "ceil",    "copysign",  "cos",         "cosh",
      "erf",          "erfc",       "exp",     "exp10",     "exp2",        "expm1",
      "fabs",         "fdim",       "floor",   "fma",       "fmax",        "fmin",
      "fmod",         "frexp",      "hypot",   "ilogb",     "ldexp",       "lgamma",
      "llrint",       "llround",    "log",     "log10",     "log1p",       "log2",
      "logb",         "lrint",      "lround",  "modf",      "nan",         "nearbyint",
      "nextafter",    "nexttoward", "pow",     "remainder", "remquo",      "rint",
      "round",        "roundeven",  "scalbln", "scalbn",    "significand", "sin",
      "sincos",       "sinh",       "sqrt",    "tan",       "tanh",        "tgamma",
      "trunc",        "j0",         "j1",      "jn",        "y0",          "y1",
      "yn",           "cabs",       "carg",    "cexp",      "clog",        "cpow",
      "csqrt",        "csin",       "ccos",    "ctan",      "csinh",       "ccosh",
      "ctanh",        "conj",       "cimag",   "creal",     "cproj",       "casin",
      "cacos",        "catan",      "casinh",  "cacosh",    "catanh",      "fpclassify",
      "isnan",        "isinf",      "finite",  "__isnan",   "__isinf",     "__finite",
      "__fpclassify", "__signbit"};
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

/// Removes `prefix` from `text`; returns true if it was there.
bool removePrefix(std::string_view& text, std::string_view prefix) {
  const bool found = text.starts_with(prefix);
  text.remove_prefix(found ? prefix.size() : 0);
  return found;
}

/// Returns true for a mangled name in a namespace of the C++ library.
bool isStandardCpp(std::string_view symbol) {
  if (!removePrefix(symbol, "_Z")) {
    return false;
  }
  for (const std::string_view table : {"TV", "TT", "TI", "TS", "GV", "GR"}) {
    if (removePrefix(symbol, table)) {
      break;
    }
  }
  if (removePrefix(symbol, "N")) {
    symbol.remove_prefix(std::min(symbol.find_first_not_of("rVKRO"), symbol.size()));
  }
  // St: std; Sa, Ss, Si, So, Sd: std::allocator, string, istream, ostream, iostream.
  constexpr auto kNamespaces = std::to_array<std::string_view>(
      {"St", "Sa", "Ss", "Si", "So", "Sd", "9__gnu_cxx", "10__cxxabiv1"});
  return std::ranges::any_of(kNamespaces,
                             [&](std::string_view one) { return symbol.starts_with(one); });
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
                                                              "_ZTI",
                                                              "_Zna",
                                                              "_Znw",
                                                              "_Zda",
                                                              "_Zdl"});
  if (usesSystem(symbol) || symbol.starts_with("omp_get_w")) {
    return false;
  }
  return plainNames().contains(symbol) || isMath(symbol) || isStandardCpp(symbol) ||
         std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return symbol.starts_with(prefix); });
}

}  // namespace hone::kernel
