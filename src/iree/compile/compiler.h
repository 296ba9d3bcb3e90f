#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "iree/compile/artifact_cache.h"
#include "iree/compile/compile_pool.h"
#include "model/problem/problem.h"

namespace hone::iree {

/// The regular expression that matches this name and no other, for OpAttribute.
[[nodiscard]] std::string literalPattern(const std::string& name);

/// A source with what the compiler is told about it.
struct CompileRequest {
  std::filesystem::path source;
  std::string sourceHash;
  std::vector<std::string> flags;
  std::vector<model::OpAttribute> attributes;
  /// Which way it goes. All candidates that are compared with each other must go the same.
  enum class Route : std::uint8_t {
    whole,    ///< from the source in one go; for requests without attributes
    shared,   ///< by way of the IR before configuration, which requests of a source share
    batched,  ///< the same, and several in one module: a third of the work
  };
  Route route = Route::whole;
  /// The one that a batched request is about.
  std::string function{};          // NOLINT(readability-redundant-member-init): g++ warns without
  bool fresh = false;              ///< compiled even if the cache has it
  std::string from = kPhaseStart;  ///< the phase that the source has been brought to
  /// Given up after this time, where that is less than the compiler's own limit.
  std::optional<std::chrono::milliseconds>
      wallLimit{};  // NOLINT(readability-redundant-member-init)
};

struct Compiled {
  CompileReport report;
  std::filesystem::path module;  ///< the .vmfb; "" when it failed
  std::string function;          ///< what to call in it; "": the program's own function
  std::string content;           ///< a hash of its code: equal binaries of a route have equal ones
  bool cached = false;
  /// Which of its configurations the compiler did not use, in a sentence; "" when it used all.
  std::string ignored{};  // NOLINT(readability-redundant-member-init): g++ warns without
};

/// A job of the pool, with what the cache knows its result by.
struct CompileOrder {
  CompileJob job;
  std::string sourceHash;
  std::string_view ending;  ///< of the file in the cache
  /// The ending that the job puts a second file under, if it does.
  std::string_view beside{};  // NOLINT(readability-redundant-member-init): g++ warns without
};

/// What became of an order.
struct Produced {
  std::filesystem::path file;
  std::filesystem::path beside;
  CompileReport report;  ///< ok when the files are there
};

/// Compiles through the pool and the cache: nothing is compiled twice, and candidates that differ
/// only in attributes share the IR of the phases before.
class Compiler {
 public:
  Compiler(CompilePool pool, ArtifactCache cache, Limits limits)
      : pool_(std::move(pool)), cache_(std::move(cache)), limits_(limits) {}

  [[nodiscard]] const std::string& revision() const { return pool_.revision(); }
  /// See CompilePool.
  [[nodiscard]] std::int64_t nurseryCpuNs() const { return pool_.nurseryCpuNs(); }

  /// Compiles all, several at a time; `onDone`, if any, is called as each is done, in any
  /// order. What fails
  /// is a value: the error of the Result is an interrupt or the machine's.
  using OnDone = std::function<void(std::size_t index, const Compiled&)>;
  [[nodiscard]] Result<std::vector<Compiled>> compileAll(std::span<const CompileRequest> requests,
                                                         const OnDone& onDone);

  /// Does all, several at a time, or takes the results from the cache; in the order given.
  [[nodiscard]] Result<std::vector<Produced>> produceAll(std::span<const CompileOrder> orders);

  /// The functions of a module, see describeModule. Not MLIR: a user error with the line.
  [[nodiscard]] Result<nlohmann::json> describe(const CompileRequest& request);
  /// The problems of its operations, see problemsIn.
  [[nodiscard]] Result<std::vector<model::Problem>> problems(const CompileRequest& request);
  /// The root operations of its dispatches, see rootsOf in dispatch_programs.h.
  [[nodiscard]] Result<nlohmann::json> roots(const CompileRequest& request);
  /// Its dispatches as programs of their own, see dispatchesIn.
  [[nodiscard]] Result<nlohmann::json> dispatches(const CompileRequest& request);
  /// What the pipelines of its dispatches ask of their knobs, see constraints.h.
  [[nodiscard]] Result<nlohmann::json> constraints(const CompileRequest& request,
                                                   std::vector<KnobAssignment> assignments);

 private:
  /// One request on its way.
  struct Member {
    std::size_t request = 0;
    std::string key;
    std::string function;
    CompileJob job;                       ///< for a module of its own
    std::optional<CompileReport> failed;  ///< what it stands on did not compile
  };
  /// One job of the pool, with the requests that it serves.
  struct Task {
    std::vector<Member> members;
    std::string key;
    CompileJob job;
  };
  [[nodiscard]] std::string keyOf(const CompileJob& job, const std::string& sourceHash) const;
  /// What the cache has of an order.
  [[nodiscard]] std::optional<Produced> cachedFor(const CompileOrder& order,
                                                  const std::string& key) const;
  [[nodiscard]] Result<Produced> keep(const CompileOrder& order, const std::string& key,
                                      const CompileJob& job, CompileReport report) const;
  /// Runs one job, or takes its result from the cache.
  [[nodiscard]] Result<Produced> produce(CompileJob job, const std::string& sourceHash,
                                         std::string_view ending);
  /// What a job that only parses writes. Not MLIR: a user error with the line.
  [[nodiscard]] Result<nlohmann::json> read(CompileJob::Kind kind, const CompileRequest& request);
  /// What a job of this kind, which runs the passes up to `to`, writes.
  [[nodiscard]] Result<nlohmann::json> produceJson(CompileJob::Kind kind,
                                                   const CompileRequest& request, const char* to,
                                                   std::vector<KnobAssignment> assignments = {});
  /// The job of one request alone, from the shared IR where its route says so.
  [[nodiscard]] Result<Member> memberFor(std::size_t index, const CompileRequest& request);
  /// The attributes with every "" operation replaced by the root operations meant.
  [[nodiscard]] Result<std::vector<model::OpAttribute>> resolveRoots(const CompileRequest& request);
  /// What the cache has for it.
  [[nodiscard]] Result<std::optional<Compiled>> cachedFor(const Member& member) const;
  /// The members as jobs: those that may be batched in batches of one source and flags.
  [[nodiscard]] Result<std::vector<Task>> tasksFor(std::vector<Member> members);
  [[nodiscard]] Result<Task> taskFor(std::vector<Member> members) const;
  [[nodiscard]] Result<std::vector<Compiled>> finish(const Task& task, const CompileReport& report);
  [[nodiscard]] Result<Compiled> finishAlone(const Task& task, const CompileReport& report) const;
  [[nodiscard]] Result<void> keepText(const std::string& key, std::string_view ending,
                                      const std::string& text) const;

  CompilePool pool_;
  ArtifactCache cache_;
  Limits limits_;
};

}  // namespace hone::iree
