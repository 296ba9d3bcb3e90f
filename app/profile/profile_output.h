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

/// Writes the rows of a profile to the terminal, a CSV file and a JUnit XML file.
struct ProfileOutput {
  std::string csv;
  bool append = false;
  std::string tags;
  report::Tags columns;  ///< parsed `tags`; set by check()
  std::string junit;
  std::string sort = "operation";

  void addTo(CLI::App& command);
  /// Validates the options before anything is measured, and parses the tags.
  [[nodiscard]] Result<void> check();
  /// Prints the block of one row.
  void printRow(const Context& context, const model::ProfileRow& row) const;
  /// Writes the files, prints the table and returns the exit code. `program` is the profile of the
  /// whole program, if there is one.
  [[nodiscard]] Result<int> finish(const Context& context, std::int64_t run,
                                   std::vector<model::ProfileRow> rows,
                                   const std::optional<model::ProfiledProgram>& program) const;
  /// Reports that the program has no operation that can be profiled alone.
  [[nodiscard]] static int printNone(const Context& context,
                                     const std::optional<model::ProfiledProgram>& program);
};

}  // namespace hone::app
