#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/process/subprocess.h"
#include "iree/compile/job/compile_job.h"

namespace hone::iree {

// The encoding of messages between hone, its fork server and the compile children, and of cached
// replies. Uses CBOR because file names may be arbitrary bytes.

/// The first message of the fork server.
struct ServerHello {
  std::string revision;         ///< of the compiler library
  std::string error;            ///< the reason if the library cannot be used; "" otherwise
  bool hasConstraints = false;  ///< see CompilerApi::hasConstraints
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
  /// CPU time of the fork server so far, without loading the library.
  std::int64_t serverCpuNs = 0;
};

/// The cache entry of one config: the location of its code in the module of a batch.
struct VariantPlace {
  std::string module;  ///< the cache key of the module
  std::string function;
  std::string content;
  std::string ignored;
};

/// Version of this encoding. Part of every cache key, so entries of other versions are never read.
/// Must be increased with every change to a cached type.
inline constexpr std::string_view kWireVersion = "8";

/// Encodes a message, a JobRequest, a VariantPlace or a reply of a job.
template <typename Value>
[[nodiscard]] std::string encode(const Value& value);

/// Decodes the output of encode(); fails with a machine error on any other input.
template <typename Value>
[[nodiscard]] Result<Value> decode(std::string_view bytes);

}  // namespace hone::iree
