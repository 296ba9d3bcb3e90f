#include "app/runs/resume.h"

#include <filesystem>
#include <system_error>

namespace hone::app {

Result<int> resumeRun(const store::Run& run, Context& context) {
  std::error_code code;
  Context overrides = context;
  overrides.store = std::filesystem::absolute(context.store);  // before the folder changes
  overrides.ireeFolder =
      context.ireeFolder.empty() ? "" : std::filesystem::absolute(context.ireeFolder).string();
  if (run.status == store::RunStatus::running) {
    overrides.resumed = run.id;  // a failed run starts over
  }
  std::filesystem::current_path(run.workingFolder, code);
  if (code) {
    return userError("run {}: cannot change to its working folder {}: {}", run.id,
                     run.workingFolder, code.message());
  }
  // The recorded command finds its unfinished run by its key.
  return runCommandLine(run.arguments, &overrides);
}

}  // namespace hone::app
