#include "kernel/worker/sandbox/landlock.h"

#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/text/text.h"

#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define HONE_HAS_LANDLOCK 1
#endif

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLoaderCache = "/etc/ld.so.cache";

/// Adds the folder of a library, and the folder that it links to.
void addParentFolder(const fs::path& library, std::set<fs::path>& places) {
  places.insert(library.parent_path());
  std::error_code code;
  if (const fs::path real = fs::canonical(library, code); !code) {
    places.insert(real.parent_path());
  }
}

int addLoaded(dl_phdr_info* info, std::size_t /*size*/, void* places) {
  if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/') {
    addParentFolder(info->dlpi_name, *static_cast<std::set<fs::path>*>(places));
  }
  return 0;
}

/// Returns true for libraries that the compiler links by default.
bool isCompilerLibrary(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames = {"libgomp.",   "libstdc++.", "libgcc_s.",
                                                      "libatomic.", "libm.",      "libmvec.",
                                                      "libasan.",   "libubsan."};
  return std::ranges::any_of(kNames, [&](std::string_view each) { return name.starts_with(each); });
}

/// Adds the folders in the loader's cache, whose strings are names and paths of libraries.
void addCached(std::set<fs::path>& places) {
  const std::string cache = readFile(kLoaderCache).value_or("");
  for (const std::string& text : splitAt(cache, '\0')) {
    if (!text.starts_with('/') || !text.contains(".so")) {
      continue;  // binary data between the strings
    }
    const fs::path library(text);
    places.insert(library.parent_path());
    if (isCompilerLibrary(library.filename().string())) {
      addParentFolder(library, places);
    }
  }
}

}  // namespace

std::set<fs::path> loaderPlaces() {
  std::set<fs::path> places = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib",
                               "/usr/local/lib64", kLoaderCache,
                               // OpenMP reads the number of processors here.
                               "/sys/devices/system/cpu"};
  if (const char* given = std::getenv("LD_LIBRARY_PATH"); given != nullptr) {
    for (const std::string& folder : splitAt(given, ':')) {
      if (folder.starts_with('/')) {
        places.insert(folder);
      }
    }
  }
  ::dl_iterate_phdr(addLoaded, &places);
  addCached(places);
  places.erase("/");  // contains everything
  return places;
}

#ifdef HONE_HAS_LANDLOCK

bool readOnlyBelow(const std::set<fs::path>& places) {
  constexpr std::uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = kReading;
  // The size of the first ABI version, which older systems accept, too.
  const auto rules = static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0));
  if (rules < 0) {
    return false;
  }
  for (const fs::path& place : places) {
    std::error_code code;
    const bool folder = fs::is_directory(place, code);
    const int end = ::open(place.c_str(), O_PATH | O_CLOEXEC);
    if (end < 0) {
      continue;
    }
    landlock_path_beneath_attr below{};
    below.allowed_access = folder ? kReading : std::uint64_t{LANDLOCK_ACCESS_FS_READ_FILE};
    below.parent_fd = end;
    ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0);
    ::close(end);
  }
  const bool limited = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                       ::syscall(SYS_landlock_restrict_self, rules, 0) == 0;
  ::close(rules);
  return limited;
}

#else

bool readOnlyBelow(const std::set<fs::path>& /*places*/) { return false; }

#endif

}  // namespace hone::kernel
