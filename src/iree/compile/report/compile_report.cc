#include "iree/compile/report/compile_report.h"

namespace hone::iree {

model::Outcome toOutcome(CompileReport::Status status) {
  using Status = CompileReport::Status;
  using model::Outcome;
  switch (status) {
    case Status::ok:
      return Outcome::ok;
    case Status::timedOut:
      return Outcome::compileTimeout;
    case Status::noMatch:
    case Status::badFlag:
      return Outcome::invalid;
    default:
      return Outcome::compileFailed;
  }
}

}  // namespace hone::iree
