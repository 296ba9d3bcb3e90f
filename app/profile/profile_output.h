#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/common/context.h"
#include "base/error.h"
#include "model/result/summary/profile_result.h"
#include "report/render/profile.h"

namespace CLI {
class App;
}

namespace hone::app {

/// Where the rows of a profile go: the terminal, a CSV file, JUnit's XML.
struct ProfileOutput {
  std::string csv;
  bool append = false;
  std::string tags;
  report::Tags columns;  ///< what `tags` says, once it was checked
  std::string junit;
  std::string sort = "operation";

  void addTo(CLI::App& verb);
  /// What can be wrong with the options, before hours are spent; reads the tags.
  [[nodiscard]] Result<void> check();
  /// The block of one row, as soon as it is there.
  void printRow(const Context& context, const model::ProfileRow& row) const;
  /// Writes the files, prints the rest; the exit code. `program`: what a whole program's profile
  /// found, if there was one.
  [[nodiscard]] Result<int> finish(const Context& context, std::int64_t run,
                                   std::vector<model::ProfileRow> rows,
                                   const std::optional<model::ProfiledProgram>& program) const;
  /// For a program without operations that could be profiled alone.
  [[nodiscard]] static int printNone(const Context& context,
                                     const std::optional<model::ProfiledProgram>& program);
};

}  // namespace hone::app
