#include "iree/compile/compile_request.h"

namespace hone::iree {

JobSource jobSource(const CompileRequest& request) {
  return {.file = request.source,
          .hash = request.sourceHash,
          .flags = request.flags,
          .from = request.from,
          .deadlineNs = request.deadlineNs};
}

}  // namespace hone::iree
