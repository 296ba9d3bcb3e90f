#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "iree/compile/installation.h"
#include "iree/run/device.h"
#include "store/records.h"

namespace hone::cluster {

/// This machine, as it is recorded with samples; a GPU and its driver by what the system says.
[[nodiscard]] store::Node nodeFor(const iree::Device& device,
                                  const iree::Installation& installation);
/// The same for what needs only the CPU.
[[nodiscard]] store::Node cpuNode();

/// The name of the first device in what `iree-run-module --dump_devices` printed: all drivers have
/// it in the line below `--device=`, what they print of it else differs.
[[nodiscard]] std::string modelIn(std::string_view dump);

/// What the scheduler calls this machine, else its own name.
[[nodiscard]] std::string nodeName();

/// The name of this process among the workers: its job in Slurm, else its machine and number.
[[nodiscard]] std::string workerName();

}  // namespace hone::cluster
