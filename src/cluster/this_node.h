#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "iree/compile/toolchain/installation.h"
#include "iree/run/device.h"
#include "store/records.h"

namespace hone::cluster {

/// Returns this machine as recorded with samples. GPU and driver are as reported by the system.
[[nodiscard]] store::Node nodeFor(const iree::Device& device,
                                  const iree::Installation& installation);
/// Returns this machine without a device, for units that need only the CPU.
[[nodiscard]] store::Node cpuNode();

/// Returns the name of the first device in the output of `iree-run-module --dump_devices`. All
/// drivers print it on the line after `--device=`; the rest of their output differs.
[[nodiscard]] std::string parseDeviceName(std::string_view dump);

/// Returns the scheduler's name of this machine, or its host name.
[[nodiscard]] std::string nodeName();

/// Returns the worker name of this process: its Slurm job, or host name and process id.
[[nodiscard]] std::string workerName();

}  // namespace hone::cluster
