#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "iree/compile/job/compile_job.h"

namespace hone::iree {

// The encoding of all that goes between hone, its fork server and the compile children, and of the
// replies that the cache keeps. It is CBOR: names of files may be any bytes.

/// The first message of the fork server.
struct ServerHello {
  std::string revision;  ///< of the compiler library
  std::string error;     ///< why the library cannot be used; "" if it can
};

/// Asks the fork server to start a job.
struct JobStart {
  std::uint64_t id = 0;
  CompileJob job;
};

/// Reports that a job ended.
struct JobEnd {
  std::uint64_t id = 0;
  Ending ending;
  std::int64_t serverCpuNs =
      0;  ///< CPU time of the fork server so far, without loading the library
};

/// The place of one config's code in the module of a batch, as the cache keeps it.
struct VariantPlace {
  std::string module;  ///< the cache key of the module
  std::string function;
  std::string content;
  std::string ignored;
};

/// Version of this encoding. Part of every cache key, so that an entry of another version is never
/// read: increase it with every change of a type that the cache keeps.
inline constexpr std::string_view kWireVersion = "4";

/// Encodes a message, a JobRequest, a VariantPlace or a reply of a job.
template <typename Value>
[[nodiscard]] std::string encode(const Value& value);

/// Reads what encode wrote; fails with a machine error on anything else.
template <typename Value>
[[nodiscard]] Result<Value> decode(std::string_view bytes);

}  // namespace hone::iree
