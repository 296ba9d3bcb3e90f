#include <filesystem>
#include <system_error>

#include "app/runs.h"

namespace hone::app {

Result<int> resumeRun(const store::Run& run, Context& context) {
  std::error_code code;
  std::filesystem::current_path(run.workingFolder, code);
  if (code) {
    return userError("run {} was started in {}, which cannot be entered: {}", run.id,
                     run.workingFolder, code.message());
  }
  // The recorded command finds its unfinished run by its key; it must look in the same store.
  std::vector<std::string> arguments = {"--store", context.store.string()};
  arguments.insert(arguments.end(), run.arguments.begin(), run.arguments.end());
  return runCommandLine(arguments);
}

}  // namespace hone::app
