#include "kernel/worker/sandbox/loader_places.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "base/text/text.h"

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

std::set<fs::path> findLoaderPlaces() {
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

}  // namespace

const std::set<fs::path>& loaderPlaces() {
  static const std::set<fs::path> kPlaces = findLoaderPlaces();
  return kPlaces;
}

}  // namespace hone::kernel
