#include "kernel/source/cheats/cheats.h"

#include <algorithm>

#include "kernel/source/cheats/cheats_cpp.h"
#include "kernel/source/cheats/cheats_python.h"

namespace hone::kernel {

std::vector<Cheat> findCheats(Language language, std::string_view code) {
  std::vector<Cheat> cheats =
      language == Language::cpp ? findCppCheats(code) : findPythonCheats(code);
  std::ranges::stable_sort(cheats, {}, &Cheat::line);
  return cheats;
}

}  // namespace hone::kernel
