#include "kernel/source/cheats.h"

#include <fmt/format.h>

#include <algorithm>

namespace hone::kernel {

std::string Cheat::text() const { return fmt::format("line {}: {}", line, what); }

std::vector<Cheat> findCheats(const Source& source) {
  std::vector<Cheat> cheats =
      source.language == Language::cpp ? findCppCheats(source.text) : findPythonCheats(source.text);
  std::ranges::stable_sort(cheats, {}, &Cheat::line);
  return cheats;
}

}  // namespace hone::kernel
