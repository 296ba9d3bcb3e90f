#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hone::kernel {

// Requests to a Python worker (docs/kernel-worker.md), performed by python/hone_kernel/service.py.

/// Names and values: "M" = 480, …
using NamedSizes = std::vector<std::pair<std::string, std::int64_t>>;

/// Asks for the versions of the packages and the confinement of the process.
struct HelloRequest {};

/// Asks for the arguments of a reference's model.
struct TaskRequest {
  std::string reference;  ///< absolute path
  NamedSizes constants;   ///< values of the file's constants; empty: as written
};

/// Opens the files of tensors.
struct TensorsRequest {
  struct Entry {
    std::string id;
    std::string name;
    std::string file;
    std::size_t offset = 0;
    std::string type;  ///< "10xf32"
    bool isInput = false;
  };
  std::vector<Entry> tensors;
  bool writable = false;  ///< also the inputs
};

/// Loads the code that the next requests call.
struct LoadRequest {
  enum class Role : std::uint8_t {
    kernel,
    reference,
    empty,  ///< returns tensors without computing them
  };
  enum class Precision : std::uint8_t { f32, f64 };

  Role role = Role::kernel;
  std::string source = {};  ///< of a kernel
  std::string reference = {};
  Precision precision = Precision::f32;  ///< of a reference
  std::string device = "cpu";            ///< "cpu" or "cuda"
  int threads = 1;
  std::uint64_t seed = 0;
  std::vector<NamedSizes> others = {};  ///< further shapes of the reference
};

[[nodiscard]] std::string_view nameOf(LoadRequest::Role role);
[[nodiscard]] std::string_view nameOf(LoadRequest::Precision precision);

/// Calls the loaded code.
struct CallRequest {
  std::vector<std::string> inputs;  ///< ids of tensors
  std::vector<std::string> outputs;
  std::vector<std::int64_t> sizes;
};

/// Fills the inputs with those that the reference file creates.
struct MakeRequest {
  CallRequest call;
  std::string reference;
  std::uint64_t seed = 0;
};

/// Lets the process perform a step of one of these calls whenever it is resumed.
struct ServeRequest {
  std::vector<CallRequest> calls;
};

using WorkerRequest = std::variant<HelloRequest, TaskRequest, TensorsRequest, LoadRequest,
                                   CallRequest, MakeRequest, ServeRequest>;

/// Returns the request without its id.
[[nodiscard]] nlohmann::json toJson(const WorkerRequest& request);

}  // namespace hone::kernel
