#include "kernel/source/cheats_cpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <string_view>

#include "base/text/text.h"
#include "kernel/source/cpp_tokens.h"

namespace hone::kernel {
namespace {

using cpp_source::Token;
using cpp_source::TokenKind;
using Names = std::set<std::string, std::less<>>;

struct Group {
  std::string_view what;
  std::vector<std::string_view> names;
};

/// Rejected anywhere: no kernel has a variable of such a name.
const std::vector<Group>& words() {
  static const std::vector<Group> kWords = {
      {"starts a process",
       {"fork", "vfork", "popen", "execv", "execve", "execvp", "execl", "execlp", "execle",
        "posix_spawn", "posix_spawnp", "clone3"}},
      {"loads other code", {"dlopen", "dlmopen", "dlsym", "dlvsym", "dl_iterate_phdr"}},
      {"makes system calls directly", {"syscall"}},
      {"inspects other processes", {"ptrace", "process_vm_readv", "process_vm_writev"}},
      {"reads a clock",
       {"clock_gettime", "gettimeofday", "timespec_get", "chrono", "__rdtsc", "_rdtsc", "__rdtscp",
        "__builtin_ia32_rdtsc", "__builtin_ia32_rdtscp", "omp_get_wtime", "omp_get_wtick",
        "getrusage", "clock_settime", "settimeofday"}},
      {"sets a timer", {"setitimer", "timer_create", "timerfd_create"}},
      {"handles signals", {"sigaction", "sigprocmask", "siglongjmp", "sigsetjmp", "signalfd"}},
      {"creates a thread; use OpenMP instead",
       {"pthread_create", "pthread_detach", "thrd_create", "thrd_detach"}},
      {"reads or writes files",
       {"fopen", "freopen", "fdopen", "ifstream", "ofstream", "fstream", "openat", "pread",
        "pwrite", "memfd_create", "shm_open"}},
      {"uses the network", {"socket", "getaddrinfo", "gethostbyname"}},
      {"reads or changes the environment", {"getenv", "setenv", "putenv", "unsetenv", "environ"}},
      {"changes the protection of memory", {"mprotect", "pkey_mprotect", "mremap"}},
      {"keeps a table of earlier inputs", {"unordered_map", "unordered_set"}},
      {"compares its inputs with earlier ones", {"memcmp", "bcmp"}},
  };
  return kWords;
}

/// Rejected if called, unless the file defines a function of that name.
const std::vector<Group>& calls() {
  static const std::vector<Group> kCalls = {
      {"starts a process", {"system", "clone"}},
      {"ends the process", {"exit", "_exit", "_Exit", "quick_exit", "atexit", "at_quick_exit"}},
      {"reads a clock", {"clock", "time", "times", "ftime"}},
      {"waits", {"sleep", "usleep", "nanosleep", "pause", "sleep_for", "sleep_until"}},
      {"handles signals", {"signal", "raise", "kill"}},
      {"reads or writes files", {"open", "read", "write", "close", "unlink", "ioctl"}},
      {"uses the network", {"connect", "send", "recv"}},
      {"changes its process", {"prctl", "setpriority", "nice", "sched_setscheduler", "setrlimit"}},
  };
  return kCalls;
}

const Names& headers() {
  static const Names kHeaders = {"algorithm",
                                 "array",
                                 "atomic",
                                 "barrier",
                                 "bit",
                                 "bitset",
                                 "cassert",
                                 "cfloat",
                                 "climits",
                                 "cmath",
                                 "complex",
                                 "concepts",
                                 "condition_variable",
                                 "cstddef",
                                 "cstdint",
                                 "cstdio",
                                 "cstdlib",
                                 "cstring",
                                 "functional",
                                 "initializer_list",
                                 "iterator",
                                 "latch",
                                 "limits",
                                 "memory",
                                 "mutex",
                                 "new",
                                 "numbers",
                                 "numeric",
                                 "optional",
                                 "ranges",
                                 "semaphore",
                                 "span",
                                 "stdexcept",
                                 "string",
                                 "thread",
                                 "tuple",
                                 "type_traits",
                                 "utility",
                                 "valarray",
                                 "variant",
                                 "vector",
                                 "version",
                                 "assert.h",
                                 "float.h",
                                 "limits.h",
                                 "math.h",
                                 "stdalign.h",
                                 "stdbool.h",
                                 "stddef.h",
                                 "stdint.h",
                                 "stdio.h",
                                 "stdlib.h",
                                 "string.h",
                                 "complex.h",
                                 "tgmath.h",
                                 "inttypes.h",
                                 "cinttypes",
                                 "omp.h",
                                 "immintrin.h",
                                 "x86intrin.h",
                                 "emmintrin.h",
                                 "xmmintrin.h",
                                 "smmintrin.h",
                                 "tmmintrin.h",
                                 "pmmintrin.h",
                                 "nmmintrin.h",
                                 "avxintrin.h",
                                 "arm_neon.h",
                                 "arm_sve.h"};
  return kHeaders;
}

class CppReader {
 public:
  explicit CppReader(std::span<const Token> tokens) : tokens_(tokens) { findDefinitions(); }

  std::vector<Cheat> read() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      switch (tokens_[i].kind) {
        case TokenKind::directive:
          readDirective(tokens_[i]);
          break;
        case TokenKind::punctuator:
          readTrigraph(i);
          break;
        case TokenKind::string:
          readString(tokens_[i]);
          break;
        case TokenKind::identifier:
          readName(i);
          break;
        default:
          break;
      }
    }
    return std::move(cheats_);
  }

 private:
  /// Returns a token's text; "" beyond the end.
  [[nodiscard]] std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? std::string_view(tokens_[i].text) : std::string_view();
  }
  [[nodiscard]] std::string_view before(std::size_t i, std::size_t steps = 1) const {
    return i >= steps ? at(i - steps) : std::string_view();
  }
  [[nodiscard]] bool isName(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::identifier;
  }

  void add(const Token& token, std::string_view what) {
    cheats_.push_back({token.line, fmt::format("{} ({})", what, token.text)});
  }

  /// Returns the index after the bracket that closes the one at `open`.
  [[nodiscard]] std::size_t skipBrackets(std::size_t open) const {
    const std::string_view opens = at(open);
    const std::string_view closes = opens == "[" ? "]" : ")";
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      depth += at(i) == opens ? 1 : at(i) == closes ? -1 : 0;
      if (depth == 0) {
        return i + 1;
      }
    }
    return tokens_.size();
  }
  /// Collects functions with a body: "name(…) {", possibly with noexcept etc. before the brace.
  void findDefinitions() {
    for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
      const std::string_view last = at(i - 1);  // end of the type, or of an attribute after it
      const bool typed = isName(i - 1) || last == "*" || last == "&" || last == "&&" ||
                         last == ">" || last == ")" || last == "]";
      if (!isName(i) || !typed || at(i + 1) != "(" || last == "return") {
        continue;
      }
      std::size_t next = skipBrackets(i + 1);
      while (isName(next)) {
        ++next;
      }
      if (at(next) == "{") {
        defined_.insert(tokens_[i].text);
      }
    }
  }

  void readDirective(const Token& token) {
    const std::string_view line = trim(std::string_view(token.text).substr(1));
    if (!line.empty() && line.front() >= '0' && line.front() <= '9') {
      cheats_.push_back({token.line, "has a line marker for another file"});
    }
    constexpr std::string_view kInclude = "include";
    constexpr std::string_view kImport = "import";
    if (!line.starts_with(kInclude) && !line.starts_with(kImport)) {
      return;
    }
    const auto length = line.starts_with(kInclude) ? kInclude.size() : kImport.size();
    const std::string_view what = trim(line.substr(length));
    const std::size_t end = what.find('>');
    if (what.starts_with('<') && end != std::string_view::npos &&
        headers().contains(what.substr(1, end - 1))) {
      return;
    }
    cheats_.push_back(
        {token.line,
         fmt::format("includes {}; only standard headers for computing and intrinsics are "
                     "allowed",
                     what)});
  }

  /// With old language standards, ??= is # and ??/ is a backslash.
  void readTrigraph(std::size_t i) {
    if (at(i) == "?" && at(i + 1) == "?" &&
        (at(i + 2).starts_with('=') || at(i + 2).starts_with('/'))) {
      cheats_.push_back({tokens_[i].line, "has trigraphs"});
    }
  }

  void readString(const Token& token) {
    for (const std::string_view place : {"/proc", "/sys/", "/dev/", "/etc/", "LD_PRELOAD"}) {
      if (token.text.contains(place)) {
        cheats_.push_back({token.line, fmt::format("names a system resource ({})", place)});
      }
    }
  }

  void readName(std::size_t i) {
    const Token& token = tokens_[i];
    for (const Group& group : words()) {
      if (std::ranges::find(group.names, token.text) != group.names.end()) {
        add(token, group.what);
      }
    }
    for (const Group& group : calls()) {
      if (isCall(i) && std::ranges::find(group.names, token.text) != group.names.end()) {
        add(token, group.what);
      }
    }
    readAssembly(i);
    readAttribute(i);
    readStatic(i);
    readExtern(i);
    if (token.text == "detach" && (before(i) == "." || before(i) == "->")) {
      add(token, "leaves a thread running");
    }
  }

  /// Returns true if "name(" calls a function that is neither defined in this file nor a member.
  [[nodiscard]] bool isCall(std::size_t i) const {
    if (at(i + 1) != "(" || defined_.contains(tokens_[i].text)) {
      return false;
    }
    const bool member = before(i) == "." || before(i) == "->";
    const bool declares =
        i > 0 && isName(i - 1) && before(i) != "return" && before(i) != "else" && before(i) != "do";
    return !member && !declares;
  }

  void readAssembly(std::size_t i) {
    if (at(i) != "asm" && at(i) != "__asm__" && at(i) != "__asm") {
      return;
    }
    for (std::size_t next = i; next < tokens_.size() && at(next) != ";"; ++next) {
      const std::size_t first = next;
      // Adjacent string literals are concatenated.
      std::string text;
      while (next < tokens_.size() && tokens_[next].kind == TokenKind::string) {
        text += cpp_source::literalBody(tokens_[next++]);
      }
      next -= next > first ? 1 : 0;
      for (const std::string_view word :
           {"syscall", "sysenter", "int $", "int 0x80", "rdtsc", "rdpmc", ".incbin", ".include",
            ".section", ".init_array"}) {
        if (text.contains(word)) {
          cheats_.push_back({tokens_[first].line, fmt::format("has assembly with '{}'", word)});
        }
      }
    }
  }

  void readAttribute(std::size_t i) {
    for (const std::string_view name : {"constructor", "destructor", "ifunc"}) {
      const bool marks = before(i) == "(" || before(i) == "::" || before(i) == ",";
      if ((tokens_[i].text == name || tokens_[i].text == fmt::format("__{}__", name)) && marks) {
        add(tokens_[i], "runs code before it is called");
      }
    }
  }

  /// Detects static pointers to constants and static addresses, the keys of result caches. A table
  /// of constants is an array instead.
  void readStatic(std::size_t i) {
    if (at(i) != "static" && at(i) != "thread_local") {
      return;
    }
    bool constant = false;
    bool pointer = false;
    bool address = false;
    for (std::size_t next = i + 1; next < tokens_.size(); ++next) {
      const std::string_view word = at(next);
      constant = constant || (word == "const" && !pointer);
      address = address || word == "uintptr_t" || word == "intptr_t";
      pointer = pointer || word == "*";
      const bool ends = word == "=" || word == ";" || word == "{" || word == ",";
      if (ends) {
        if ((constant && pointer) || address) {
          add(tokens_[next - 1], "keeps a pointer between calls");
        }
        return;
      }
      if (word == "(" || word == "[" || word == "<") {
        return;
      }
    }
  }

  /// Returns the index after the attributes at i; i if there are none.
  [[nodiscard]] std::size_t skipAttributes(std::size_t i) const {
    for (;;) {
      const bool named = at(i) == "__attribute__" || at(i) == "__attribute" || at(i) == "alignas";
      if (named && at(i + 1) == "(") {
        i = skipBrackets(i + 1);
      } else if (at(i) == "[" && at(i + 1) == "[") {
        i = skipBrackets(i);
      } else {
        return i;
      }
    }
  }

  /// Detects declarations of functions that the file does not define.
  void readExtern(std::size_t i) {
    if (at(i) != "extern") {
      return;
    }
    for (std::size_t next = skipAttributes(i + 1); next < tokens_.size();
         next = skipAttributes(next + 1)) {
      const std::string_view word = at(next);
      if (word == ";" || word == "{" || word == "=") {
        return;
      }
      if (word == "(" && isName(next - 1)) {
        if (!defined_.contains(tokens_[next - 1].text)) {
          add(tokens_[next - 1], "declares an external function");
        }
        return;
      }
    }
  }

  std::span<const Token> tokens_;
  Names defined_;
  std::vector<Cheat> cheats_;
};

}  // namespace

std::vector<Cheat> findCppCheats(std::string_view text) {
  const std::vector<Token> tokens = kernelTokens(text);
  return CppReader(tokens).read();
}

}  // namespace hone::kernel
