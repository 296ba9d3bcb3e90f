#include "engine/program/input_spec.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/text/text.h"
#include "verify/tensor/npy.h"

namespace hone::engine {
namespace {

namespace fs = std::filesystem;

/// Returns true if the text before an "=" is a type rather than the name of an input.
bool looksLikeType(const std::string& text) {
  return !text.empty() && (std::isdigit(static_cast<unsigned char>(text.front())) != 0 ||
                           model::tensorTypeFrom(text).has_value());
}

InputSpec namedSpec(const std::string& text, std::string name, verify::Tensor tensor) {
  InputSpec spec;
  spec.text = text;
  spec.name = std::move(name);
  spec.type = tensor.type.text();
  spec.tensor = std::move(tensor);
  return spec;
}

Result<std::vector<InputSpec>> specsFromArchive(const std::string& text, const fs::path& file) {
  std::vector<InputSpec> specs;
  for (verify::NamedTensor& one : HONE_TRY(verify::readNpz(file))) {
    specs.push_back(namedSpec(text, std::move(one.name), std::move(one.tensor)));
  }
  return specs;
}

Result<std::vector<InputSpec>> specsFromFolder(const std::string& text, const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".npy") {
      files.push_back(entry.path());
    }
  }
  if (files.empty()) {
    return userError("--input {}: no .npy file found in {}", text, folder.string());
  }
  std::ranges::sort(files);
  std::vector<InputSpec> specs;
  for (const fs::path& file : files) {
    specs.push_back(namedSpec(text, file.stem().string(), HONE_TRY(verify::readNpy(file))));
  }
  return specs;
}

/// Sets type and value from the text after the name.
Result<void> parseTypeAndValue(const std::string& text, InputSpec& spec) {
  std::string value = text;
  if (const auto equals = text.find('='); equals != std::string::npos) {
    spec.type = text.substr(0, equals);
    value = text.substr(equals + 1);
  } else if (!text.starts_with('@') && looksLikeType(text) && !parseDouble(text)) {
    spec.type = text;
    return {};
  }
  if (value.ends_with(".npy") && value.starts_with('@')) {
    spec.tensor = HONE_TRY(verify::readNpy(value.substr(1)));
    if (!spec.type.empty() && spec.type != spec.tensor->type.text()) {
      return userError("--input {}: the file contains {}", spec.text, spec.tensor->type.text());
    }
    spec.type = spec.tensor->type.text();
    return {};
  }
  std::error_code ignored;
  if (value.starts_with('@') && !fs::is_regular_file(value.substr(1), ignored)) {
    return userError("--input {}: no file {} found", spec.text, value.substr(1));
  }
  spec.value = std::move(value);
  return {};
}

}  // namespace

Result<std::optional<model::TensorType>> InputSpec::givenType() const {
  if (tensor) {
    return tensor->type;
  }
  if (type.empty()) {
    return std::nullopt;
  }
  return HONE_TRY(model::tensorTypeFrom(type));
}

Result<std::vector<InputSpec>> parseInputSpecs(const std::vector<std::string>& texts) {
  std::vector<InputSpec> specs;
  for (const std::string& text : texts) {
    std::error_code ignored;
    const fs::path file = text.starts_with('@') ? text.substr(1) : text;
    const bool isFolder = fs::is_directory(file, ignored);
    if (isFolder || (text.starts_with('@') && file.extension() == ".npz")) {
      auto some = HONE_TRY(isFolder ? specsFromFolder(text, file) : specsFromArchive(text, file));
      std::ranges::move(some, std::back_inserter(specs));
      continue;
    }
    InputSpec spec;
    spec.text = text;
    std::string rest = text;
    const auto equals = text.find('=');
    if (equals != std::string::npos && !text.starts_with('@') &&
        !looksLikeType(text.substr(0, equals))) {
      spec.name = text.substr(0, equals);
      rest = text.substr(equals + 1);
    }
    HONE_CHECK(parseTypeAndValue(rest, spec));
    specs.push_back(std::move(spec));
  }
  return specs;
}

Result<std::vector<InputSpec>> assignSpecs(std::vector<InputSpec> specs,
                                           const std::vector<std::string>& names,
                                           const std::vector<std::string>& types,
                                           const std::string& function) {
  std::vector<InputSpec> assigned(types.size());
  const bool allNamed =
      std::ranges::none_of(specs, [](const InputSpec& one) { return one.name.empty(); });
  const bool fromFiles = std::ranges::all_of(
      specs, [](const InputSpec& one) { return one.tensor && !one.name.empty(); });
  const auto isKnown = [&](const InputSpec& one) {
    return std::ranges::find(names, one.name) != names.end();
  };
  // Files whose names are not those of the inputs are in their order.
  const bool byPosition = !allNamed || (fromFiles && std::ranges::none_of(specs, isKnown));
  if (specs.empty() || (byPosition && specs.size() == types.size())) {
    std::ranges::move(specs, assigned.begin());
    return assigned;
  }
  if (byPosition) {
    return userError("@{} expects {} inputs ({}), got {} --input", function, types.size(),
                     join(types, ", "), specs.size());
  }
  for (InputSpec& spec : specs) {
    const auto at = std::ranges::find(names, spec.name);
    if (at == names.end()) {
      return userError("--input {}: no input named {}; found {}", spec.text, spec.name,
                       names.empty() ? "no names" : join(names, ", "));
    }
    assigned[static_cast<std::size_t>(at - names.begin())] = std::move(spec);
  }
  return assigned;
}

}  // namespace hone::engine
