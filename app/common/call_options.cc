#include "app/common/call_options.h"

#include <CLI/CLI.hpp>

#include "base/text/text.h"
#include "iree/compile/cache/flag_files.h"
#include "model/workload/workload.h"

namespace hone::app {
namespace {

/// The sizes of a dimension: the same twice, or a range.
struct SizeRange {
  std::string name;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Parses "batch=1,sequence=128" or "batch=1:8".
Result<std::vector<SizeRange>> parseSizes(const std::string& text) {
  std::vector<SizeRange> sizes;
  for (const std::string& part : splitAt(text, ',')) {
    const auto equals = part.rfind('=');
    const std::string range = equals == std::string::npos ? "" : part.substr(equals + 1);
    const auto colon = range.find(':');
    const auto low = parseInt(range.substr(0, colon));
    const auto high = colon == std::string::npos ? low : parseInt(range.substr(colon + 1));
    if (!low || !high || *low < 1 || *high < *low || equals == 0) {
      return userError(
          "--dim {}: expected NAME=SIZE, or NAME=SMALLEST:LARGEST for hone tune, as in "
          "batch=1,sequence=128",
          text);
    }
    sizes.push_back({part.substr(0, equals), *low, *high});
  }
  return sizes;
}

/// Adds "ids=0:30522" to the ranges.
Result<void> addRange(const std::string& text,
                      std::map<std::string, verify::IntegerBounds>& ranges) {
  const auto equals = text.rfind('=');
  const auto colon = text.find(':', equals == std::string::npos ? 0 : equals);
  if (equals != std::string::npos && equals > 0 && colon != std::string::npos) {
    const auto low = parseInt(text.substr(equals + 1, colon - equals - 1));
    const auto high = parseInt(text.substr(colon + 1));
    if (low && high && *low < *high) {
      ranges[text.substr(0, equals)] = {*low, *high};
      return {};
    }
  }
  return userError("--input-range {}: expected NAME=LOW:HIGH with LOW < HIGH, as in ids=0:30522",
                   text);
}

/// Returns the description after its scope: "Program: function to run".
std::string scoped(const std::string& scope, std::string text) {
  if (!scope.empty()) {
    text.front() = toLower(text.substr(0, 1)).front();
  }
  return scope + text;
}

/// Fails if a file holds the lines of a workload.
Result<void> rejectWorkload(const std::filesystem::path& file) {
  if (isProgramFile(file)) {
    return {};
  }
  const auto workload = model::readWorkload(file);
  if (!workload || workload->entries.empty()) {
    return {};
  }
  return userError(
      "{} is a workload; expected a program (.mlir, .mlirbc) or a model (.onnx); `hone tune`, "
      "`hone profile` and `hone split` take workloads",
      file.string());
}

}  // namespace

void CallOptions::addDimsTo(CLI::App& command, const std::string& scope) {
  const std::string ranges = takesRanges ? "; with a range, batch=1:8, tunes for the first size "
                                           "and also proves the result at the last one"
                                         : "";
  command
      .add_option("--dim", dims,
                  scoped(scope, "Sizes of dynamic dimensions: batch=1,sequence=128" + ranges))
      ->type_name("NAME=SIZE")
      ->allow_extra_args(false);
}

void CallOptions::addTo(CLI::App& command, const std::string& scope) {
  command
      .add_option("--function", function,
                  scoped(scope, "Function to run, if the program has several"))
      ->type_name("NAME");
  command
      .add_option("--input", inputs,
                  scoped(scope,
                         "One input: 4x8xf32 (random), 4x8xf32=1 (constant), @x.npy (file); all "
                         "inputs: @x.npz or a folder"))
      ->allow_extra_args(false);
  command
      .add_option("--input-range", ranges,
                  scoped(scope, "Range of an integer input, by name or number: ids=0:30522"))
      ->type_name("NAME=LOW:HIGH")
      ->allow_extra_args(false);
  addDimsTo(command, scope);
  command
      .add_option("--parameters", parameters,
                  scoped(scope, "File with weights: .irpa, .safetensors or .gguf"))
      ->type_name("[SCOPE=]FILE")
      ->allow_extra_args(false);
}

Result<engine::ProgramSource> CallOptions::sourceFor(const std::filesystem::path& file,
                                                     const std::vector<std::string>& flags) const {
  HONE_CHECK(rejectWorkload(file));
  engine::ProgramSource source{.file = file,
                               .function = function,
                               .flags = flags,
                               .inputs = inputs,
                               .parameters = parameters};
  for (const std::string& text : dims) {
    for (const SizeRange& size : HONE_TRY(parseSizes(text))) {
      if (size.high > size.low && !takesRanges) {
        return userError("--dim {}: only hone tune takes a range; use {}={}", text, size.name,
                         size.low);
      }
      source.dims[size.name] = size.low;
    }
  }
  for (const std::string& text : ranges) {
    HONE_CHECK(addRange(text, source.ranges));
  }
  return source;
}

Result<std::vector<iree::DimensionSizes>> CallOptions::otherSizes() const {
  std::vector<iree::DimensionSizes> others;
  for (const std::string& text : dims) {
    for (const SizeRange& size : HONE_TRY(parseSizes(text))) {
      if (size.high > size.low) {
        others.push_back({{size.name, size.high}});
      }
    }
  }
  return others;
}

void CallOptions::addTo(Hasher& hasher) const {
  for (const std::string& input : inputs) {
    iree::addFlag(hasher.field("input"), input);
  }
  for (const auto* texts : {&dims, &ranges, &parameters}) {
    for (const std::string& text : *texts) {
      hasher.field(text);
    }
  }
}

bool isProgramFile(const std::string& file) {
  return file.ends_with(".mlir") || file.ends_with(".mlirbc") || file.ends_with(".onnx");
}

void reportChosenSizes(const engine::Program& program, Progress& progress) {
  for (const auto& [name, size] : program.chosenDims) {
    progress.say(
        fmt::format("dimension {} is {}; use --dim {}=N for another size", name, size, name));
  }
}

}  // namespace hone::app
