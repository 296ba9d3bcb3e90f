#include "iree/module/compiler_api.h"

#include <dlfcn.h>

namespace hone::iree {
namespace {

/// Major versions are incompatible; newer minor versions only add functions.
constexpr int kApiMajor = 1;
constexpr int kApiMinor = 4;

void appendTo(MlirStringRef piece, void* text) {
  static_cast<std::string*>(text)->append(piece.view());
}

}  // namespace

Result<CompilerApi> CompilerApi::load(const std::filesystem::path& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return machineError("cannot load the compiler library: {}", ::dlerror());
  }
  CompilerApi api;
#define HONE_BIND(member, symbol, result, arguments)                                 \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(handle, symbol));      \
  if (api.member == nullptr) {                                                       \
    return machineError(                                                             \
        "no function {1} found in {0}; hone needs iree-base-compiler 3.10 or newer", \
        library.string(), symbol);                                                   \
  }
  HONE_COMPILER_FUNCTIONS(HONE_BIND)
#undef HONE_BIND
  bool hasConstraints = true;
#define HONE_BIND(member, symbol, result, arguments)                            \
  api.member = reinterpret_cast<decltype(api.member)>(::dlsym(handle, symbol)); \
  hasConstraints = hasConstraints && api.member != nullptr;
  HONE_CONSTRAINT_FUNCTIONS(HONE_BIND)
#undef HONE_BIND
  if (!hasConstraints) {
    api.constraintsToSmtLib = nullptr;  // some of the functions are not enough
  }
  const int version = api.getApiVersion();
  const int major = version >> 16;
  const int minor = version & 0xffff;
  if (major != kApiMajor || minor < kApiMinor) {
    return machineError(
        "{} has compiler API version {}.{}; hone needs {}.{} or a newer minor version",
        library.string(), major, minor, kApiMajor, kApiMinor);
  }
  return api;
}

std::string CompilerApi::opName(MlirOperation operation) const {
  return std::string(identifierText(operationName(operation)).view());
}

std::string CompilerApi::attributeText(MlirOperation operation, std::string_view name) const {
  const MlirAttribute attribute = operationAttribute(operation, MlirStringRef::of(name));
  return attribute.ptr == nullptr ? "" : text(attribute);
}

std::string CompilerApi::stringAttribute(MlirOperation operation, std::string_view name) const {
  const MlirAttribute attribute = operationAttribute(operation, MlirStringRef::of(name));
  return attribute.ptr == nullptr ? "" : std::string(stringValue(attribute).view());
}

std::string CompilerApi::text(MlirAttribute attribute) const {
  std::string text;
  attributePrint(attribute, appendTo, &text);
  return text;
}

std::string CompilerApi::text(MlirOperation operation) const {
  std::string text;
  operationPrint(operation, appendTo, &text);
  return text;
}

std::string CompilerApi::localText(MlirOperation operation) const {
  const MlirPrintingFlags flags = printingFlags();
  printLocalScope(flags);
  std::string text;
  operationPrintWith(operation, flags, appendTo, &text);
  printingFlagsDestroy(flags);
  return text;
}

std::string CompilerApi::fullText(MlirOperation operation) const {
  const MlirPrintingFlags flags = printingFlags();
  printGenericForm(flags);
  printLocalScope(flags);
  std::string text;
  operationPrintWith(operation, flags, appendTo, &text);
  printingFlagsDestroy(flags);
  return text;
}

std::string CompilerApi::typeText(MlirType type) const {
  std::string text;
  typePrint(type, appendTo, &text);
  return text;
}

}  // namespace hone::iree
