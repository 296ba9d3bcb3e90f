#include "app/runs/resume.h"

#include <filesystem>
#include <system_error>

namespace hone::app {

Result<int> resumeRun(const store::Run& run, Context& context) {
  std::error_code code;
  Context asked = context;
  asked.store = std::filesystem::absolute(context.store);  // before the folder changes
  asked.ireeFolder =
      context.ireeFolder.empty() ? "" : std::filesystem::absolute(context.ireeFolder).string();
  if (run.status == store::RunStatus::running) {
    asked.resumed = run.id;  // one that failed begins anew
  }
  std::filesystem::current_path(run.workingFolder, code);
  if (code) {
    return userError("run {} was started in {}, which cannot be entered: {}", run.id,
                     run.workingFolder, code.message());
  }
  // The recorded command finds its unfinished run by its key.
  return runCommandLine(run.arguments, &asked);
}

}  // namespace hone::app
