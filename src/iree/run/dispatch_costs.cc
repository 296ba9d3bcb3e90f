#include "iree/run/dispatch_costs.h"

#include <algorithm>

namespace hone::iree {

std::vector<DispatchCost> dispatchCosts(std::span<const DispatchProgram> programs,
                                        std::span<const DispatchTime> times) {
  double allNs = 0;
  for (const DispatchTime& time : times) {
    allNs += time.totalNs;
  }
  std::vector<DispatchCost> costs;
  for (const DispatchProgram& program : programs) {
    DispatchCost cost;
    for (const DispatchTime& time : times) {
      if (std::find(program.entries.begin(), program.entries.end(), time.name) !=
          program.entries.end()) {
        cost.calls += time.calls;
        cost.totalNs += time.totalNs;
      }
    }
    cost.share = allNs > 0 ? cost.totalNs / allNs : 0;
    costs.push_back(cost);
  }
  return costs;
}

}  // namespace hone::iree
