#include "iree/compile/evidence/code_evidence.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "iree/compile/evidence/amd_code.h"
#include "iree/compile/evidence/ptx_code.h"

namespace hone::iree {
namespace {

constexpr std::chrono::seconds kPtxasTimeout{60};

/// Assembles a PTX program; returns the assembler's report, or "" if it fails.
Result<std::string> runPtxas(const std::string& ptxas, const std::string& program,
                             const std::string& chip) {
  const ScratchFolder folder = HONE_TRY(ScratchFolder::create("hone-ptxas"));
  const auto file = folder.path() / "kernels.ptx";
  HONE_CHECK(writeScratchFile(file, program));
  Command command;
  command.argv = {ptxas,         "-v", "--gpu-name=" + chip,
                  file.string(), "-o", (folder.path() / "kernels.cubin").string()};
  command.limits.wall = kPtxasTimeout;
  const Finished finished = HONE_TRY(runCommand(command));
  return finished.ending.ok() ? finished.out + finished.err : std::string();
}

/// Adds the launch parameters of the exports to the resources from the code.
void addExports(const std::vector<KernelResources>& exports,
                std::vector<KernelResources>& kernels) {
  for (KernelResources& kernel : kernels) {
    const auto at = std::ranges::find(exports, kernel.name, &KernelResources::name);
    if (at != exports.end()) {
      kernel.threads = at->threads;
      kernel.sharedBytes += at->sharedBytes;
    }
  }
}

Result<CodeEvidence> readNvidia(std::string_view bytes, const std::string& chip) {
  const PtxCode code = findPtx(bytes);
  CodeEvidence evidence;
  if (code.programs.empty()) {
    return evidence;
  }
  const std::string ptxas = findProgram("ptxas");
  evidence.source = ptxas.empty() ? EvidenceSource::ptxText : EvidenceSource::ptxas;
  for (const std::string& program : code.programs) {
    const std::string report =
        ptxas.empty() ? std::string() : HONE_TRY(runPtxas(ptxas, program, chip));
    if (report.empty()) {
      evidence.source = EvidenceSource::ptxText;  // an older ptxas may not know the chip
    }
    const auto kernels = report.empty() ? estimateRegisters(program) : parsePtxasReport(report);
    evidence.kernels.insert(evidence.kernels.end(), kernels.begin(), kernels.end());
  }
  addExports(code.exports, evidence.kernels);
  return evidence;
}

}  // namespace

bool hasEvidence(std::string_view target) {
  return target.starts_with("rocm") || target.starts_with("cuda");
}

Result<CodeEvidence> readEvidence(const std::filesystem::path& module, std::string_view target) {
  const std::string chip(target.substr(std::min(target.find(':'), target.size() - 1) + 1));
  if (target.starts_with("rocm")) {
    CodeEvidence evidence;
    evidence.kernels = amdKernels(HONE_TRY(readFile(module)));
    evidence.source = evidence.kernels.empty() ? EvidenceSource::none : EvidenceSource::amdMetadata;
    return evidence;
  }
  if (target.starts_with("cuda")) {
    return readNvidia(HONE_TRY(readFile(module)), chip);
  }
  return CodeEvidence();
}

}  // namespace hone::iree
