#include "kernel/source/cheats.h"

#include <algorithm>

#include "kernel/source/cheats_cpp.h"
#include "kernel/source/cheats_python.h"

namespace hone::kernel {

std::vector<Cheat> findCheats(const Source& source) {
  std::vector<Cheat> cheats =
      source.language == Language::cpp ? findCppCheats(source.text) : findPythonCheats(source.text);
  std::ranges::stable_sort(cheats, {}, &Cheat::line);
  return cheats;
}

}  // namespace hone::kernel
