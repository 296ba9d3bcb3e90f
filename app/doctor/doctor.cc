#include "app/doctor/doctor.h"

#include <dlfcn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/common/toolchain.h"
#include "base/file.h"
#include "base/machine.h"
#include "base/process/subprocess.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "engine/program/inputs.h"
#include "engine/program/program.h"
#include "engine/verifier.h"
#include "iree/mlir/problem_mlir.h"
#include "kernel/worker/python/python_place.h"
#include "kernel/worker/sandbox/defences.h"
#include "report/render/table.h"
#include "verify/reference.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

/// The state of one dependency.
struct Check {
  std::string name;
  bool found = false;
  bool needed = false;  ///< for the local CPU path
  std::string what;     ///< version and path, or the problem
  std::string fix;      ///< how to fix it
};

/// Returns the advice for a missing requirement.
std::string setupAdvice() { return fmt::format("run {}", installCommand("")); }

/// Returns the version of a package in IREE's site-packages; "" if it is not installed.
std::string wheelVersion(const fs::path& site, const std::string& name) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(site, ignored)) {
    const std::string file = entry.path().filename().string();
    if (file.starts_with(name + "-") && file.ends_with(".dist-info")) {
      return file.substr(name.size() + 1, file.size() - name.size() - 1 - 10);
    }
  }
  return "";
}

Check checkCompiler(const Result<iree::Installation>& installation) {
  Check check{"IREE compiler", false, true, "", setupAdvice()};
  if (!installation) {
    check.what = installation.error().message;
    return check;
  }
  auto pool = iree::CompilePool::start({installation->compilerLibrary(), 1, {}});
  if (!pool) {
    check.what = pool.error().message;
    return check;
  }
  check.found = true;
  check.what = fmt::format("{}, {} (by {})", pool->revision().substr(0, pool->revision().find(' ')),
                           installation->compilerLibrary().string(), installation->foundBy);
  if (!pool->hasConstraints()) {
    check.what += "; hone tune for AMD and NVIDIA GPUs needs IREE 3.12";
  }
  return check;
}

Check checkRuntime(const Result<iree::Installation>& installation) {
  Check check{"IREE runtime tools", false, true, "not checked: no IREE compiler found",
              setupAdvice()};
  if (!installation) {
    return check;
  }
  for (const char* tool : {"iree-run-module", "iree-benchmark-module"}) {
    const fs::path path = installation->runtimeTool(tool);
    if (::access(path.c_str(), X_OK) != 0) {
      check.what = fmt::format("{} not found", path.string());
      check.fix = "install the PyPI package iree-base-runtime in the version of the compiler";
      return check;
    }
  }
  check.found = true;
  check.what = fmt::format("{}, {}", wheelVersion(installation->site, "iree_base_runtime"),
                           installation->runtimeTool("").string());
  return check;
}

/// Compiles a small matmul, runs it on the device, and checks the result.
Result<void> tryDevice(const Context& context, const std::string& target,
                       const std::string& device) {
  ToolchainOptions options;
  options.target = target;
  options.device = device;
  Toolchain toolchain = HONE_TRY(Toolchain::start(context, options));
  if (!toolchain.device) {
    return machineError("no such device on this machine");
  }
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-doctor"));
  const fs::path file = scratch.path() / "matmul.mlir";
  model::Matmul matmul;
  matmul.m = 16;
  matmul.n = 16;
  matmul.k = 16;
  HONE_CHECK(writeFile(file, iree::emitMlir(matmul)));
  const engine::Program program = HONE_TRY(
      engine::loadProgram(toolchain.compiler, {.file = file, .flags = toolchain.target.flags}));
  const engine::Inputs inputs = HONE_TRY(engine::makeInputs(program, {}, 1, scratch.path()));
  const std::vector<iree::CompileRequest> requests = {
      {program.source, program.hash, toolchain.target.flags, {}}};
  const auto compiled = HONE_TRY(toolchain.compiler.compileAll(requests, {}));
  if (compiled.front().module.empty()) {
    return machineError("{}", compiled.front().report.message);
  }
  const iree::ModuleRunner runner = toolchain.runner();
  engine::Verifier verifier(runner, program, inputs, scratch.path());
  const auto verification =
      HONE_TRY(verifier.check({compiled.front().module, program.function, inputs.arguments}));
  if (verification.outcome != model::Outcome::ok) {
    return machineError("{}: {}", nameOf(verification.outcome), verification.message);
  }
  return {};
}

Check checkDevice(const Context& context, const std::string& target, const std::string& device,
                  bool needed, const std::string& fix) {
  Check check{fmt::format("device {}", device), false, needed, "", fix};
  const auto tried = tryDevice(context, target, device);
  check.found = tried.has_value();
  check.what = tried ? "compiled, ran and verified a matmul" : tried.error().message;
  return check;
}

/// Checks for a GPU device. Without one, its target is compile-only.
Check checkGpuDevice(const Result<iree::Installation>& installation, const std::string& driver) {
  Check check{fmt::format("device {}", driver), false, false, "not found: compile-only",
              "install the driver of the GPU"};
  const auto devices = installation ? iree::listDevices(*installation)
                                    : Result<std::vector<std::string>>(std::vector<std::string>());
  for (const std::string& name : devices.value_or(std::vector<std::string>())) {
    if (name.starts_with(driver + "://")) {
      check.found = true;
      check.what = name;
    }
  }
  return check;
}

Check checkWheel(const Result<iree::Installation>& installation, const std::string& name,
                 const std::string& package, const std::string& fix) {
  Check check{name, false, false, "not installed", fix};
  const std::string version = installation ? wheelVersion(installation->site, package) : "";
  if (!version.empty()) {
    check.found = true;
    check.what = fmt::format("{}, {}", version, installation->site.string());
  }
  return check;
}

/// Adds the checks for hone kernel, all optional.
void addKernelChecks(std::vector<Check>& checks) {
  const std::string fix = fmt::format("run {} (only for hone kernel)", installCommand("kernels"));
  const auto place = kernel::findPython();
  const auto packages = place ? kernel::queryPackages(place->interpreter)
                              : Result<kernel::PythonPackages>(std::unexpected(place.error()));
  const auto add = [&](const std::string& name, const std::string& version) {
    Check check{name, !version.empty(), false, "not installed", fix};
    if (!packages) {
      check.what = packages.error().message;
    } else if (check.found) {
      check.what =
          fmt::format("{}, {} (by {})", version, place->interpreter.string(), place->foundBy);
    }
    checks.push_back(std::move(check));
  };
  add("PyTorch", packages ? packages->torch : "");
  add("TileLang", packages ? packages->tilelang : "");
  const std::vector<std::string> missing = kernel::missingDefences();
  checks.push_back(
      {"kernel sandbox", missing.empty(), false,
       missing.empty() ? "seccomp and Landlock enabled" : kernel::formatWarning(missing),
       "use Linux 5.13 or later with Landlock and seccomp (only for hone kernel)"});
  const std::string nvcc = findProgram("nvcc");
  checks.push_back({"nvcc", !nvcc.empty(), false, nvcc.empty() ? "not installed" : nvcc,
                    "install CUDA (only for register counts of GPU kernels)"});
}

Check checkSlurm() {
  const std::string sbatch = findProgram("sbatch");
  return {"Slurm", !sbatch.empty(), false, sbatch.empty() ? "not installed" : sbatch,
          "run apt-get install slurm-wlm (only to run on a cluster)"};
}

/// Returns true if the environment variable is set and not empty.
bool isSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

/// Checks whether there is a key for a language model. Never shows the key.
Check checkModel() {
  const bool key = isSet("HONE_API_KEY") || isSet("OPENAI_API_KEY");
  Check check{"model endpoint", key, false, key ? "key set" : "key not set", ""};
  if (isSet("OPENAI_API_BASE")) {
    check.what += fmt::format("; OPENAI_API_BASE={} is ignored, use --api-base",
                              std::getenv("OPENAI_API_BASE"));
  }
  check.fix = "run export OPENAI_API_KEY=… (only for hone kernel with a model)";
  return check;
}

Check checkPriority() {
  const bool may = mayRunFirst();
  return {"measuring priority", may, false,
          may ? "real-time: other programs do not disturb measurements"
              : "normal: other programs disturb measurements",
          "run as root, or allow it: echo \"$USER - rtprio 1\" | sudo tee -a "
          "/etc/security/limits.conf, and log in again"};
}

Check checkStore(const Context& context) {
  Check check{"store", true, true, context.store.string(), "use --store FILE"};
  if (context.store.empty()) {
    check.found = false;
    check.what = "HOME is not set";
    return check;
  }
  std::error_code code;
  fs::path folder = fs::absolute(context.store, code).parent_path();
  while (!folder.empty() && !fs::exists(folder, code) && folder != folder.root_path()) {
    folder = folder.parent_path();
  }
  if (::access(folder.c_str(), W_OK) != 0) {
    check.found = false;
    check.what = fmt::format("{} is not writable", folder.string());
  }
  return check;
}

std::vector<Check> runChecks(const Context& context) {
  const auto installation = iree::findInstallation(context.ireeFolder);
  std::vector<Check> checks;
  checks.push_back(checkCompiler(installation));
  checks.push_back(checkRuntime(installation));
  checks.push_back({"oneDNN (reference)", true, true, verify::referenceLibrary(), ""});
  if (checks[0].found && checks[1].found) {
    checks.push_back(checkDevice(context, "local", "local-sync", true, setupAdvice()));
    checks.push_back(checkDevice(context, "local", "local-task", true, setupAdvice()));
    checks.push_back(checkDevice(context, "vulkan", "vulkan", false,
                                 "run apt-get install mesa-vulkan-drivers libvulkan1"));
    checks.push_back(checkGpuDevice(installation, "hip"));
    checks.push_back(checkGpuDevice(installation, "cuda"));
  }
  checks.push_back(checkPriority());
  checks.push_back(checkStore(context));
  checks.push_back(checkWheel(installation, "z3", "z3_solver",
                              "run pip install z3-solver (only for the tests of hone)"));
  const std::string models = fmt::format("run {} (only for .onnx files)", installCommand("models"));
  checks.push_back(checkWheel(installation, "onnx", "onnx", models));
  checks.push_back(checkWheel(installation, "ONNX Runtime", "onnxruntime", models));
  addKernelChecks(checks);
  checks.push_back(checkSlurm());
  checks.push_back(checkModel());
  return checks;
}

void printChecks(const std::vector<Check>& checks, bool works) {
  report::Table table({{""}, {"", report::Align::left, 20}, {"", report::Align::left, 30}});
  for (const Check& check : checks) {
    const char* mark = check.found ? "ok" : check.needed ? "MISSING" : "-";
    table.add({mark, check.name, check.what});
    if (!check.found && !check.fix.empty()) {
      table.add({"", "", fmt::format("fix: {}", check.fix)});
    }
  }
  fmt::print("{} CPUs, {:.0f} GiB, {}\n{}\n{}\n", cpuCount(),
             static_cast<double>(memoryBytes()) / (1ULL << 30U), cpuName(), table.text(),
             works ? "ready to run on the CPU" : "not ready to run on the CPU");
}

Result<int> doctor(const Context& context) {
  const std::vector<Check> checks = runChecks(context);
  bool works = checks[0].found && checks[1].found;
  nlohmann::json rows = nlohmann::json::array();
  for (const Check& check : checks) {
    works = works && (check.found || !check.needed);
    rows.push_back({{"name", check.name},
                    {"found", check.found},
                    {"needed", check.needed},
                    {"what", check.what},
                    {"mend", check.found ? "" : check.fix}});
  }
  if (context.json) {
    fmt::print("{}\n", jsonText({{"works", works}, {"checks", rows}}, 2));
  } else {
    printChecks(checks, works);
  }
  return works ? 0 : 3;
}

}  // namespace

void addDoctorCommand(CLI::App& app, Context& context) {
  CLI::App* command =
      app.add_subcommand("doctor", "Check dependencies and devices, and suggest fixes");
  command->footer(
      "Examples:\n"
      "  hone doctor\n"
      "  hone doctor --json\n"
      "  hone --iree ~/venv doctor\n"
      "Exit code 3: hone cannot run on the CPU.");
  command->callback([&context] { context.action = [&context] { return doctor(context); }; });
}

}  // namespace hone::app
