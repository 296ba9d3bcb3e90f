#include "fuzz_targets.h"

#include <array>
#include <nlohmann/json.hpp>

#include "base/text/csv.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "cluster/settings/options.h"
#include "cpp_source/lexer.h"
#include "engine/budget.h"
#include "iree/compile/report/diagnostics.h"
#include "iree/compile/toolchain/foreign_flags.h"
#include "iree/mlir/affine_map.h"
#include "iree/spec/spec_file.h"
#include "iree/spec/upgrade/config_upgrade.h"
#include "iree/spec/upgrade/loop_order.h"
#include "iree/spec/upgrade/spec_upgrade.h"
#include "kernel/nest/nest_parser.h"
#include "kernel/propose/llm/llm_answer.h"
#include "kernel/source/canonical_cpp.h"
#include "kernel/source/cheats/cheats.h"
#include "kernel/source/entry_point.h"
#include "model/problem/profiler_name.h"
#include "model/problem/tensor_type.h"
#include "model/result/config.h"
#include "model/result/run_details.h"
#include "model/result/run_failure.h"
#include "model/result/summary/bench_result.h"
#include "model/result/summary/kernel_result.h"
#include "model/result/summary/profile_result.h"
#include "model/result/summary/split_result.h"
#include "model/result/summary/tune_result.h"
#include "model/result/trial_details.h"
#include "model/workload/sweep.h"
#include "model/workload/workload.h"
#include "search/constraints/smt.h"
#include "search/space/recording.h"

namespace hone::test {
namespace {

/// Accepts a result that is not looked at.
template <typename T>
void use(const T& /*result*/) {}

void parseWorkloadText(std::string_view text) {
  const model::Workload workload = model::parseWorkload(text, "workload.txt");
  use(model::uniqueProblems(workload.entries));
  for (const model::WorkloadEntry& entry : workload.entries) {
    use(nameOf(entry.problem));
  }
}

void parseName(std::string_view text) {
  const auto problem = model::problemFromProfilerName(text);
  if (problem) {
    use(model::profilerName(*problem));
  }
  use(model::sizesFrom("--problem-m", text));
  use(model::matmulTypesFrom("--types", text));
  use(engine::budgetFrom(text));
}

void parseCsvText(std::string_view text) { use(parseCsv(text)); }

void parseToml(std::string_view text) { use(cluster::withSettings({}, text, "hone.toml")); }

void parseConfigs(std::string_view text) {
  const auto json = jsonFrom(text, "configs.json");
  if (!json) {
    return;
  }
  use(model::configFrom(*json));
  for (const nlohmann::json& one : json->is_array() ? *json : nlohmann::json::array()) {
    if (const auto config = model::configFrom(one)) {
      use(config->key());
      use(toJson(*config).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
      use(iree::checkForeignFlags(config->flags, "configs.json"));
    }
  }
}

void parseSpec(std::string_view text) {
  use(iree::commentsIn(text));
  iree::ReadEntry entry;
  entry.config = entry.loweringConfig = entry.translationInfo = text;
  use(iree::shownConfig(entry));
  use(iree::affineIndices(text));
  use(iree::firstError(text));
  use(iree::findOldSyntax(text));
  const iree::LoopInfo matmul{.count = 3, .reductions = {2}, .m = {0}, .n = {1}, .k1 = {}};
  use(iree::upgradeConfig(text, matmul));
  use(iree::reorderLoops(text, {1, 0, 2}));
}

void parseSmt(std::string_view text) {
  const auto constraints = search::Constraints::parse(text);
  use(constraints);
}

void parseKernel(std::string_view text) {
  use(kernel::findCheats(kernel::Language::cpp, text));
  use(kernel::findCheats(kernel::Language::tilelang, text));
  use(kernel::canonicalCpp(text));
  use(kernel::findEntryPoint(text));
  use(kernel::nest::parse(text));
  use(cpp_source::lex(text));
}

void parseAnswer(std::string_view text) {
  const kernel::Source best{
      .language = kernel::Language::cpp,
      .name = "scale",
      .text = "extern \"C\" void scale(const float* x, float* y, long n) { y[0] = x[0]; }",
      .flags = {}};
  use(kernel::readAnswer(text, best, 4));
}

void parseRecording(std::string_view text) {
  if (const auto recording = search::recordingFrom(text)) {
    use(toText(*recording));
    use(recording->best());
  }
}

void parseStoreRow(std::string_view text) {
  const auto json = jsonFrom(text, "row");
  if (!json) {
    return;
  }
  use(toJson(model::runDetailsFrom(*json)).size());
  use(toJson(model::trialDetailsFrom(*json)).size());
  use(model::benchResultFrom(*json));
  use(model::kernelResultFrom(*json));
  use(model::kernelOutcomeFrom(*json));
  use(model::profileResultFrom(*json));
  use(model::splitResultFrom(*json));
  use(model::splitAnnotationFrom(*json));
  use(model::tuneResultFrom(*json));
}

constexpr std::array kTargets = {FuzzTarget{"answer", parseAnswer},
                                 FuzzTarget{"configs", parseConfigs},
                                 FuzzTarget{"csv", parseCsvText},
                                 FuzzTarget{"kernel", parseKernel},
                                 FuzzTarget{"name", parseName},
                                 FuzzTarget{"recording", parseRecording},
                                 FuzzTarget{"smt", parseSmt},
                                 FuzzTarget{"spec", parseSpec},
                                 FuzzTarget{"store_row", parseStoreRow},
                                 FuzzTarget{"toml", parseToml},
                                 FuzzTarget{"workload", parseWorkloadText}};

}  // namespace

std::span<const FuzzTarget> fuzzTargets() { return kTargets; }

}  // namespace hone::test
