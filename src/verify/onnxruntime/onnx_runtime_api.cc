#include "verify/onnxruntime/onnx_runtime_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "base/text/text.h"

namespace hone::verify {
namespace {

/// The version of the API that hone asks for: the first with all of its functions.
constexpr std::uint32_t kApiVersion = 1;

/// The value of the only exported function of the library.
struct OrtApiBase {
  const void* const* (*getApi)(std::uint32_t);
  const char* (*getVersion)();
};

/// Removes the path of the model and the place in the source of ONNX Runtime, such as
/// "/onnxruntime_src/…/graph.cc:12 void onnxruntime::Graph::resolve(int) ", before an explanation.
std::string_view explanation(std::string_view message) {
  constexpr std::string_view kPlace = "/onnxruntime_src/";
  const auto place = message.find(kPlace);
  if (place == std::string_view::npos) {
    return message;
  }
  int depth = 0;
  for (std::size_t at = message.find('(', place); at < message.size(); ++at) {
    depth += message[at] == '(' ? 1 : message[at] == ')' ? -1 : 0;
    if (depth == 0) {  // the end of the signature
      const std::string_view rest = trim(message.substr(at + 1));
      return rest.empty() ? message : rest;
    }
  }
  return message;
}

}  // namespace

Result<OnnxRuntimeApi> OnnxRuntimeApi::load(const std::filesystem::path& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return machineError("cannot load ONNX Runtime: {}", ::dlerror());
  }
  using GetApiBase = const OrtApiBase* (*)();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the interface of dlsym
  const auto getBase = reinterpret_cast<GetApiBase>(::dlsym(handle, "OrtGetApiBase"));
  const OrtApiBase* base = getBase == nullptr ? nullptr : getBase();
  const void* const* table = base == nullptr ? nullptr : base->getApi(kApiVersion);
  if (table == nullptr) {
    return machineError("{} is not a library of ONNX Runtime", library.string());
  }
  OnnxRuntimeApi api;
// NOLINTBEGIN(*-reinterpret-cast,*-const-cast,bugprone-macro-parentheses)
#define HONE_BIND(member, slot, result, arguments) \
  api.member = reinterpret_cast<result(*) arguments>(const_cast<void*>(table[slot]));
  HONE_ONNX_RUNTIME_FUNCTIONS(HONE_BIND)
#undef HONE_BIND
  // NOLINTEND(*-reinterpret-cast,*-const-cast,bugprone-macro-parentheses)
  api.version = base->getVersion();
  return api;
}

Result<void> OnnxRuntimeApi::check(OrtStatus* status) const {
  if (status == nullptr) {
    return {};
  }
  std::string message = errorMessage(status);
  releaseStatus(status);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return userError("ONNX Runtime: {}", shortened(std::string(explanation(message)), 300));
}

std::filesystem::path findOnnxRuntime(const std::filesystem::path& site) {
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(site / "onnxruntime/capi", ignored)) {
    if (entry.path().filename().string().starts_with("libonnxruntime.so")) {
      return entry.path();
    }
  }
  return {};
}

}  // namespace hone::verify
