#include "engine/program/model_import.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "base/hash.h"
#include "base/text/text.h"
#include "engine/program/input_spec.h"
#include "iree/import/onnx_expansion.h"

namespace hone::engine {
namespace {

/// Version of ONNX's operators that a model is converted to if IREE does not know its own.
constexpr int kNewerOpset = 17;

/// Returns the compiler's first error about an operator of ONNX; "" if there is none.
std::string operatorError(const iree::CompileReport& report) {
  for (const std::string& line : splitAt(report.diagnostics, '\n')) {
    if (line.contains("error:") && line.contains("onnx.")) {
      return line;
    }
  }
  return "";
}

/// Returns the node of the compiler's first error, without a name if it is not known; nothing if
/// the error is about something else.
Result<std::optional<iree::ModelNode>> findFailedNode(const iree::ImportedModel& model,
                                                      const iree::CompileReport& report) {
  static const RE2 kOperator(R"re("onnx\.([^"]+)")re");
  static const RE2 kLine(R"(\.mlir:(\d+):\d+: error:)");
  const std::string error = operatorError(report);
  iree::ModelNode failed;
  std::int64_t line = 0;
  if (error.empty() || !RE2::PartialMatch(error, kOperator, &failed.op)) {
    return std::nullopt;
  }
  if (RE2::PartialMatch(error, kLine, &line)) {
    const auto node = HONE_TRY(iree::findNode(model, line));
    failed.name = node && node->op == failed.op ? node->name : "";
  }
  return failed;
}

std::string describeFailure(const std::optional<iree::ModelNode>& node,
                            const iree::ExpandedModel& imported,
                            const iree::CompileReport& report) {
  if (!node) {
    return fmt::format("IREE cannot compile it: {}",
                       iree::nameNode(imported.model, report.message));
  }
  const std::string name = node->name.empty() ? "" : fmt::format(" (node '{}')", node->name);
  if (const auto domain = imported.domains.find(node->op); domain != imported.domains.end()) {
    return fmt::format("IREE has no operator {} of domain {}{}; export the model without it",
                       node->op, domain->second, name);
  }
  return fmt::format(
      "IREE cannot compile operator {} of opset {}{}; replace the node, or export the model with "
      "another opset",
      node->op, imported.model.opset, name);
}

/// Fails if the model has values of type f64 at its boundary and the flags do not keep them: the
/// compiler would compute in f32 and read the bytes of the inputs as f32.
Result<void> checkWidth(const iree::ImportedModel& model, const ProgramSource& source) {
  constexpr std::string_view kKeep = "--iree-input-demote-f64-to-f32=false";
  if (std::ranges::find(source.flags, kKeep) != source.flags.end()) {
    return {};
  }
  const auto check = [&](const char* kind, const std::vector<iree::ModelValue>& values) {
    for (const iree::ModelValue& value : values) {
      if (value.element == "f64") {
        return Result<void>(
            userError("{}: {} '{}' has type f64, which IREE reads as f32; use -- {}",
                      source.file.filename().string(), kind, value.name, kKeep));
      }
    }
    return Result<void>();
  };
  HONE_CHECK(check("input", model.inputs));
  return check("output", model.outputs);
}

/// One model on its way through several attempts, each of which changes it more.
class ModelLowering {
 public:
  ModelLowering(iree::Compiler& compiler, const ProgramSource& source)
      : compiler_(compiler), source_(source), model_{.file = source.file, .dims = source.dims} {}

  Result<LoweredModel> run() {
    for (const InputSpec& spec : HONE_TRY(parseInputSpecs(source_.inputs))) {
      const auto type = HONE_TRY(spec.givenType());
      model_.shapes.push_back({spec.name, type ? std::optional(type->shape) : std::nullopt});
    }
    struct Attempt {
      int opset;
      bool simplify;
    };
    constexpr std::array<Attempt, 3> kAttempts = {
        Attempt{0, false}, {kNewerOpset, false}, {kNewerOpset, true}};
    for (const Attempt& attempt : kAttempts) {
      model_.opset = attempt.opset;
      model_.simplify = attempt.simplify;
      if (auto lowered = HONE_TRY(expandAndLower())) {
        return *std::move(lowered);
      }
    }
    return userError("{}: {}", source_.file.filename().string(), failure_);
  }

 private:
  /// Lowers the model, expanding every operator that the compiler does not know and that has a
  /// definition. Returns nothing if that fails.
  Result<std::optional<LoweredModel>> expandAndLower() {
    for (;;) {
      auto imported = iree::importExpanded(compiler_, model_, expanded_);
      if (!imported && !failure_.empty() && imported.error().fault == Fault::user) {
        return std::nullopt;
      }
      HONE_CHECK(imported);
      HONE_CHECK(checkWidth(imported->model, source_));
      auto lowered = HONE_TRY(
          compiler_.jobs().run({.file = imported->model.module,
                                .hash = HONE_TRY(hashFile(imported->model.module)),
                                .flags = source_.flags},
                               iree::LowerModuleJob{.to = iree::kPhaseInput, .bareNames = true}));
      if (lowered.report.ok()) {
        return LoweredModel{std::move(imported->model), std::move(lowered.file)};
      }
      if (lowered.report.status == iree::CompileReport::Status::badFlag) {
        return userError("invalid compiler flags: {}", lowered.report.message);
      }
      const auto node = HONE_TRY(findFailedNode(imported->model, lowered.report));
      // The last attempt fails at what none of them can change.
      failure_ = describeFailure(node, *imported, lowered.report);
      const auto has = [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, node->op) != names.end();
      };
      if (!node || has(expanded_) || !has(imported->definable)) {
        return std::nullopt;
      }
      expanded_.push_back(node->op);
    }
  }

  iree::Compiler& compiler_;
  const ProgramSource& source_;
  iree::ModelSource model_;
  std::vector<std::string> expanded_;  ///< operators
  std::string failure_;
};

}  // namespace

Result<LoweredModel> importAndLower(iree::Compiler& compiler, const ProgramSource& source) {
  return ModelLowering(compiler, source).run();
}

}  // namespace hone::engine
