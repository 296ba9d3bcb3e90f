#include "app/common/operation_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "app/common/call_options.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text/text.h"
#include "model/problem/profiler_name.h"
#include "model/workload/sweep.h"
#include "model/workload/sweep_conv.h"
#include "model/workload/workload.h"

namespace hone::app {
namespace {

using model::Problem;
using profile::Operation;

constexpr std::array<std::string_view, 7> kKinds = {
    "matmul", "batch_matmul", "split_k_matmul", "conv1d", "conv2d", "conv3d", "attention"};

constexpr const char* kGroup =
    "Operations (a size is a value, a list 1,2 or a range start:end:step)";

template <typename Value, typename Read>
Result<std::vector<Value>> parseList(std::string_view text, const Read& read) {
  std::vector<Value> values;
  for (const std::string& part : splitAt(text, ',')) {
    values.push_back(HONE_TRY(read(std::string(trim(part)))));
  }
  return values;
}

Result<std::vector<char>> transposesFrom(std::string_view option, std::string_view text) {
  return parseList<char>(text, [&](const std::string& part) -> Result<char> {
    if (part != "t" && part != "n") {
      return userError("{}: expected t (row-major) or n (column-major), got '{}'", option, part);
    }
    return part == "n" ? 1 : 0;
  });
}

Result<std::vector<model::Epilogue>> epiloguesFrom(std::string_view text) {
  return parseList<model::Epilogue>(text, [](const std::string& part) {
    return model::epilogueFrom(part == "none" ? "" : part);
  });
}

Result<std::vector<Problem>> matmuls(const OperationOptions& options, bool batched) {
  model::Sweep sweep;
  sweep.types = HONE_TRY(model::matmulTypesFrom("--type", options.type));
  sweep.m = HONE_TRY(model::sizesFrom("--problem-m", options.m));
  sweep.n = HONE_TRY(model::sizesFrom("--problem-n", options.n));
  sweep.k = HONE_TRY(model::sizesFrom("--problem-k", options.k));
  if (batched) {
    sweep.batch =
        HONE_TRY(model::sizesFrom("--batch", options.batch.empty() ? "1" : options.batch));
  }
  sweep.transposeLhs = HONE_TRY(transposesFrom("--lhs", options.lhs));
  sweep.transposeRhs = HONE_TRY(transposesFrom("--rhs", options.rhs));
  sweep.epilogues = HONE_TRY(epiloguesFrom(options.epilogue));
  return model::expandMatmuls(sweep);
}

Result<std::vector<Problem>> convs(const OperationOptions& options, std::int64_t spatial) {
  model::ConvSweep sweep;
  sweep.spatial = spatial;
  sweep.types = HONE_TRY(model::matmulTypesFrom("--type", options.type));
  sweep.batch = HONE_TRY(model::sizesFrom("--batch", options.batch.empty() ? "1" : options.batch));
  sweep.channels = HONE_TRY(model::sizesFrom("--channels", options.channels));
  sweep.filters = HONE_TRY(model::sizesFrom("--filters", options.filters));
  sweep.groups = HONE_TRY(model::sizesFrom("--groups", options.groups));
  sweep.image = HONE_TRY(model::extentsFrom("--image", options.image, spatial));
  sweep.filter = HONE_TRY(model::extentsFrom("--filter", options.filter, spatial));
  sweep.stride = HONE_TRY(model::extentsFrom("--stride", options.stride, spatial));
  sweep.pad = HONE_TRY(model::extentsFrom("--pad", options.pad, spatial, 0));
  sweep.dilation = HONE_TRY(model::extentsFrom("--dilation", options.dilation, spatial));
  sweep.epilogues = HONE_TRY(epiloguesFrom(options.epilogue));
  sweep.directions = HONE_TRY(parseList<model::ConvDirection>(
      options.direction, [](const std::string& part) -> Result<model::ConvDirection> {
        using enum model::ConvDirection;
        for (const auto direction : {forward, backwardData, weightBackward}) {
          if (nameOf(direction) == part) {
            return direction;
          }
        }
        return userError("--direction: expected fwd, bwd or wrw, got '{}'", part);
      }));
  sweep.layouts = HONE_TRY(parseList<model::ConvLayout>(
      options.layout, [](const std::string& part) -> Result<model::ConvLayout> {
        if (part != "nhwc" && part != "nchw") {
          return userError(
              "--layout: expected nhwc (channels last) or nchw (channels first), got '{}'", part);
        }
        return part == "nhwc" ? model::ConvLayout::nhwc : model::ConvLayout::nchw;
      }));
  return model::expandConvs(sweep);
}

Result<std::vector<Problem>> attentions(const OperationOptions& options) {
  model::AttentionSweep sweep;
  sweep.types.clear();
  for (const model::MatmulTypes& types : HONE_TRY(model::matmulTypesFrom("--type", options.type))) {
    sweep.types.push_back(types.lhs);
  }
  sweep.batch = HONE_TRY(model::sizesFrom("--batch", options.batch.empty() ? "1" : options.batch));
  sweep.queries = HONE_TRY(model::sizesFrom("--queries", options.queries));
  sweep.keys = HONE_TRY(model::sizesFrom("--keys", options.keys));
  sweep.depth = HONE_TRY(model::sizesFrom("--head-dim", options.headDim));
  return model::expandAttentions(sweep);
}

Result<std::vector<Operation>> expandKind(const OperationOptions& options,
                                          const std::string& kind) {
  std::vector<Problem> problems;
  std::vector<std::int64_t> slices;
  if (kind == "matmul" || kind == "batch_matmul") {
    problems = HONE_TRY(matmuls(options, kind == "batch_matmul"));
  } else if (kind == "split_k_matmul") {
    problems = HONE_TRY(matmuls(options, false));
    slices = HONE_TRY(model::sizesFrom("--split-k-slices", options.splitKSlices));
  } else if (kind == "attention") {
    problems = HONE_TRY(attentions(options));
  } else if (std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end()) {
    problems = HONE_TRY(convs(options, kind[4] - '0'));
  } else {
    return userError("--kind: unknown kind '{}', expected one of {}", kind,
                     fmt::join(kKinds, ", "));
  }
  std::vector<Operation> operations;
  for (const Problem& problem : problems) {
    operations.push_back({problem, slices});
  }
  return operations;
}

Result<std::vector<Problem>> readProblems(const OperationOptions& options, iree::Compiler& compiler,
                                          const std::vector<std::string>& flags,
                                          std::vector<std::string>& warnings) {
  std::vector<Problem> problems;
  if (options.isProgram()) {
    const std::string hash = hashBytes(HONE_TRY(readFile(options.file)));
    return compiler.problems({std::filesystem::absolute(options.file), hash, flags, {}});
  }
  const model::Workload workload = HONE_TRY(model::readWorkload(options.file));
  for (const model::BadLine& bad : workload.badLines) {
    warnings.push_back(bad.error.message);
  }
  for (const model::WorkloadEntry& entry : workload.entries) {
    problems.push_back(entry.problem);
  }
  if (problems.empty() && !workload.badLines.empty()) {
    return std::unexpected(workload.badLines.front().error);
  }
  if (problems.empty()) {
    return userError("{}: no problem found; expected one MIOpen or BOO command, or name, per line",
                     options.file);
  }
  return problems;
}

Result<std::vector<Problem>> namedProblems(const OperationOptions& options,
                                           iree::Compiler& compiler,
                                           const std::vector<std::string>& flags,
                                           std::vector<std::string>& warnings) {
  std::vector<Problem> problems;
  for (const std::string& line : options.problems) {
    for (const Problem& problem : HONE_TRY(model::problemsFromLine(line))) {
      problems.push_back(problem);
    }
  }
  if (!options.file.empty()) {
    for (const Problem& problem : HONE_TRY(readProblems(options, compiler, flags, warnings))) {
      problems.push_back(problem);
    }
  }
  if (options.type.empty()) {
    return problems;
  }
  std::vector<Problem> typed;
  for (const model::MatmulTypes& types : HONE_TRY(model::matmulTypesFrom("--type", options.type))) {
    for (const Problem& problem : problems) {
      typed.push_back(retyped(problem, types));
      HONE_CHECK(model::check(typed.back()));
    }
  }
  return typed;
}

/// Returns the types of operations given by their shape: those of IREE's dispatch profiler on GPUs
/// with tensor cores.
std::vector<std::string> defaultTypes(std::string_view target) {
  if (target.starts_with("cuda")) {
    return {"f16", "f32"};
  }
  if (target.starts_with("rocm")) {
    return {"f16_f16_f32", "f32"};  // MFMA does not support an f16 accumulator
  }
  return {"f32"};
}

void addUnique(std::vector<Operation>& operations, Operation operation) {
  if (std::find(operations.begin(), operations.end(), operation) == operations.end()) {
    operations.push_back(std::move(operation));
  }
}

}  // namespace

void OperationOptions::addTo(CLI::App& command) {
  command_ = &command;
  const auto add = [&](const char* name, auto& into, const char* text) {
    auto* option = command.add_option(name, into, text)->group(kGroup);
    if constexpr (std::is_same_v<std::decay_t<decltype(into)>, std::string>) {
      if (!into.empty()) {
        option->capture_default_str();
      }
    }
    return option;
  };
  add("FILE", file,
      "Workload (MIOpen or BOO commands, or names), model (.onnx) or MLIR program (.mlir)");
  add("--problem", problems,
      "One operation, by name or workload line: matmul_64x64x128_f32t_f32t_f32t")
      ->allow_extra_args(false);
  add("--kind", kind,
      "Kinds, comma-separated: matmul, batch_matmul, split_k_matmul, conv1d, conv2d, conv3d, "
      "attention (default: matmul; with --batch, batch_matmul)");
  add("--problem-m", m, "Matmul: rows of the result (M)");
  add("--problem-n", n, "Matmul: columns of the result (N)");
  add("--problem-k", k, "Matmul: reduction size (K)");
  add("--batch", batch, "Batch size; for attention: heads (default: 1)");
  add("--type", type,
      "Element types: f32, f16, bf16, i8 (i32 result), or lhs, rhs and result: f16_f16_f32 "
      "(default: those of the file, or f32; for CUDA and ROCm also f16)");
  add("--lhs", lhs, "Matmul: layout of the left operand, t (row-major) or n (column-major)");
  add("--rhs", rhs, "Matmul: layout of the right operand, t (row-major) or n (column-major)");
  add("--epilogue", epilogue,
      "Fused operations after the matmul or convolution: none, bias, relu, gelu, softmax, "
      "bias_relu, bias_gelu");
  add("--split-k-slices", splitKSlices, "Split-K matmul: numbers of slices");
  add("--direction", direction, "Convolution: directions, fwd, bwd (data) or wrw (weights)");
  add("--layout", layout, "Convolution: layout, nhwc or nchw");
  add("--channels", channels, "Convolution: input channels");
  add("--filters", filters, "Convolution: output channels");
  add("--groups", groups, "Convolution: number of groups");
  add("--image", image, "Convolution: input size, 56 or 56x48");
  add("--filter", filter, "Convolution: filter size, 3 or 3x1");
  add("--stride", stride, "Convolution: stride");
  add("--pad", pad, "Convolution: padding");
  add("--dilation", dilation, "Convolution: dilation");
  add("--queries", queries, "Attention: queries per head");
  add("--keys", keys, "Attention: keys per head");
  add("--head-dim", headDim, "Attention: head dimension");
  add("--limit", limit, "Maximum number of operations (default: all)")->check(CLI::PositiveNumber);
}

bool OperationOptions::given() const {
  const auto options = command_->get_options();
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->get_group() == kGroup && option->count() > 0 && option->get_name() != "--limit";
  });
}

bool OperationOptions::isProgram() const { return isProgramFile(file); }

Result<std::vector<Operation>> operationsFrom(const OperationOptions& options,
                                              iree::Compiler& compiler, const iree::Target& target,
                                              std::vector<std::string>& warnings) {
  std::vector<Operation> operations;
  for (const Problem& problem :
       HONE_TRY(namedProblems(options, compiler, target.flags, warnings))) {
    addUnique(operations, {problem, {}});
  }
  const bool named = !options.file.empty() || !options.problems.empty();
  if (!named || !options.kind.empty()) {
    OperationOptions typed = options;
    typed.type = options.type.empty() ? join(defaultTypes(target.name), ",") : options.type;
    const std::string kinds = !options.kind.empty()    ? options.kind
                              : !options.batch.empty() ? "batch_matmul"
                                                       : "matmul";
    for (const std::string& kind : splitAt(kinds, ',')) {
      for (Operation& operation : HONE_TRY(expandKind(typed, std::string(trim(kind))))) {
        addUnique(operations, std::move(operation));
      }
    }
  }
  if (options.limit > 0 && std::cmp_greater(operations.size(), options.limit)) {
    operations.resize(static_cast<std::size_t>(options.limit));
  }
  return operations;
}

std::vector<Operation> usualOperations(std::string_view target) {
  std::vector<Operation> operations;
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& slices = {}) {
    for (const std::string& type : defaultTypes(target)) {
      const auto types = splitAt(type, '_');
      if (auto problem = model::problemFromProfilerName(
              fmt::format("{}_{}t_{}t_{}t", name, types.front(), types.front(), types.back()))) {
        operations.push_back({*problem, slices});
      }
    }
  };
  for (const char* shape : {"128x128x256", "256x512x128", "1024x512x2048", "2560x2560x2560"}) {
    add(fmt::format("matmul_{}", shape));
  }
  add("batch_matmul_16x512x64x512");
  add("matmul_512x64x4096", {2, 4, 8});
  add("matmul_bias_relu_512x512x512");
  for (const char* conv :
       {"conv2d_fwd_1x56x56x64_64x3x3_s1x1_p1x1_d1x1_g1_f32nhwc_f32nhwc_f32nhwc",
        "conv2d_wrw_1x56x56x64_64x3x3_s1x1_p1x1_d1x1_g1_f32nhwc_f32nhwc_f32nhwc"}) {
    operations.push_back({model::problemFromProfilerName(conv).value(), {}});
  }
  operations.push_back(
      {model::problemFromProfilerName("attention_4x256x256x64_f32t_f32t_f32t").value(), {}});
  return operations;
}

}  // namespace hone::app
