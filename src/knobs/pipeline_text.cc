#include "knobs/pipeline_text.h"

#include <array>

#include "base/text/text.h"
#include "knobs/config_text.h"

namespace hone::knobs {
namespace {

/// The last minor version of IREE 3 that names pipelines by keywords.
constexpr std::int64_t kLastWithKeywords = 11;
/// The only CPU pipeline whose keyword has no prefix.
constexpr std::string_view kMmt4d = "Mmt4dTilingExpert";

struct PipelineForm {
  std::string_view attribute, keywordPrefix;
};

constexpr std::array kPipelineForms = {PipelineForm{"#iree_cpu.pipeline<", "CPU"},
                                       PipelineForm{"#iree_gpu.pipeline<", "LLVMGPU"},
                                       PipelineForm{"#iree_gpu.spirv_pipeline<", "SPIRV"}};

/// Returns true for "3.11.0 @ …" and older. A build without a version is new.
bool usesKeywords(std::string_view revision) {
  const auto parts = splitAt(revision, '.');
  if (parts.size() < 3) {
    return false;
  }
  const auto major = parseInt(parts[0]);
  const auto minor = parseInt(parts[1]);
  return major && minor && (*major < 3 || (*major == 3 && *minor <= kLastWithKeywords));
}

}  // namespace

std::string_view readPipeline(std::string_view info) {
  std::string_view value = findEntry(info, "pipeline");
  for (const PipelineForm& form : kPipelineForms) {
    if (value.starts_with(form.attribute)) {
      value.remove_prefix(form.attribute.size());
      return value.substr(0, value.find('>'));
    }
  }
  value = value.substr(0, value.find_first_of(" ,>"));
  for (const PipelineForm& form : kPipelineForms) {
    if (value.starts_with(form.keywordPrefix)) {
      return value.substr(form.keywordPrefix.size());
    }
  }
  return value;
}

std::string fitPipeline(std::string info, std::string_view revision) {
  const std::string_view value = findEntry(info, "pipeline");
  if (value.empty() || !usesKeywords(revision)) {
    return info;
  }
  for (const PipelineForm& form : kPipelineForms) {
    const auto end = value.find('>');
    if (value.starts_with(form.attribute) && end != std::string_view::npos) {
      const std::string_view name = readPipeline(info);
      const std::string keyword =
          (name == kMmt4d ? "" : std::string(form.keywordPrefix)) + std::string(name);
      return info.replace(static_cast<std::size_t>(value.data() - info.data()), end + 1, keyword);
    }
  }
  return info;
}

KnobModel fitPipelines(KnobModel model, const std::string& revision) {
  model.compilationInfos =
      [infos = std::move(model.compilationInfos),
       revision](std::span<const std::size_t> points) -> Result<std::vector<std::string>> {
    auto texts = HONE_TRY(infos(points));
    for (std::string& text : texts) {
      text = fitPipeline(std::move(text), revision);
    }
    return texts;
  };
  return model;
}

}  // namespace hone::knobs
