#include "cluster/spool/spool.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/file.h"
#include "base/hash.h"
#include "cluster/spool/checked_file.h"

namespace hone::cluster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kMeasure = "measure-";
constexpr std::string_view kCompile = "compile-";
/// Part of the names of units that failed before: only their files are read before claiming.
constexpr std::string_view kRetryPrefix = "again-";
constexpr std::string_view kSetup = "setup.json";
constexpr std::string_view kHead = "head.beat";
constexpr std::string_view kKind = "kind.json";
constexpr std::string_view kCompileMark = ".compile";

/// Returns "measure-00000012-<key>", which sorts in queue order.
std::string unitFileName(const QueuedUnit& unit, std::int64_t sequence) {
  return fmt::format("{}{:08}-{}{}", unit.onlyCompile ? kCompile : kMeasure, sequence,
                     unit.nodes.empty() ? "" : kRetryPrefix, unit.key);
}

std::string keyIn(const std::string& name) { return name.substr(name.rfind('-') + 1); }

std::optional<Claim> claimFrom(const std::string& name) {
  const std::size_t at = name.rfind('@');
  return at == std::string::npos ? std::nullopt
                                 : std::optional(Claim{name.substr(0, at), name.substr(at + 1)});
}

std::string claimFile(const Claim& claim) { return fmt::format("{}@{}", claim.name, claim.worker); }

std::vector<Claim> claimsIn(const fs::path& folder) {
  std::vector<Claim> claims;
  for (const std::string& name : namesIn(folder)) {
    if (auto claim = claimFrom(name)) {
      claims.push_back(std::move(*claim));
    }
  }
  return claims;
}

json toJson(const Heartbeat& heartbeat) {
  return {{"count", heartbeat.count}, {"finished", heartbeat.finished}};
}

Heartbeat heartbeatFrom(const json& json) {
  return {json.value("count", std::int64_t{0}), json.value("finished", false)};
}

/// Returns the properties that measuring nodes must have in common.
json nodeKind(const store::Node& node) {
  return {{"cpu", node.cpu}, {"device", node.device}, {"driver", node.driver}};
}

}  // namespace

std::string Claim::key() const { return keyIn(name); }

Result<void> Spool::write(const fs::path& file, const json& json) {
  ++filesWritten_;
  return writeChecked(file, json);
}

Result<Spool> Spool::create(const fs::path& folder, const WorkerSetup& setup) {
  for (const char* part :
       {"queue", "claimed", "died", "failed", "answers", "done", "workers", "logs"}) {
    HONE_CHECK(makeFolder(folder / part));
  }
  Spool spool(folder, setup);
  HONE_CHECK(spool.write(folder / kSetup, cluster::toJson(setup)));
  return spool;
}

Result<Spool> Spool::open(const fs::path& folder) {
  const auto setup = readChecked(folder / kSetup);
  if (!setup) {
    return userError("no cluster run found in {}; use --executor to start one", folder.string());
  }
  return Spool(folder, HONE_TRY(workerSetupFrom(*setup)));
}

Result<void> Spool::put(const QueuedUnit& unit) {
  return write(folder_ / "queue" / unitFileName(unit, sequence_++), cluster::toJson(unit));
}

void Spool::withdraw(const std::string& key) {
  std::error_code ignored;
  for (const std::string& name : namesIn(folder_ / "queue")) {
    if (keyIn(name) == key) {
      fs::remove(folder_ / "queue" / name, ignored);
    }
  }
}

std::vector<std::string> Spool::queuedKeys() const {
  std::vector<std::string> keys;
  for (const std::string& name : namesIn(folder_ / "queue")) {
    keys.push_back(keyIn(name));
  }
  return keys;
}

std::vector<Claim> Spool::claims() const { return claimsIn(folder_ / "claimed"); }

void Spool::release(const Claim& claim) const {
  std::error_code ignored;
  fs::remove(folder_ / "claimed" / claimFile(claim), ignored);
}

std::vector<WorkerDeath> Spool::takeDeaths() {
  std::vector<WorkerDeath> deaths;
  std::error_code ignored;
  for (const std::string& name : namesIn(folder_ / "died")) {
    if (const auto json = readChecked(folder_ / "died" / name)) {
      deaths.push_back({json->value("key", ""), json->value("worker", ""), json->value("why", ""),
                        json->value("node", ""), json->value("of_machine", false)});
    }
    fs::remove(folder_ / "died" / name, ignored);
  }
  return deaths;
}

std::vector<Answer> Spool::takeAnswers() {
  std::vector<Answer> answers;
  std::error_code ignored;
  for (const std::string& name : namesIn(folder_ / "answers")) {
    const auto json = readChecked(folder_ / "answers" / name);
    auto answer = json ? answerFrom(*json) : std::nullopt;
    if (!answer || doneAnswer(name)) {
      // Damaged, and requested again; or a duplicate from a worker considered lost.
      fs::remove(folder_ / "answers" / name, ignored);
    } else if (moveFile(folder_ / "answers" / name, folder_ / "done" / name)) {
      answers.push_back(std::move(*answer));
    }
  }
  return answers;
}

Result<void> Spool::storeAnswer(const Answer& answer) {
  return write(folder_ / "done" / answer.key, cluster::toJson(answer));
}

std::optional<Answer> Spool::doneAnswer(const std::string& key) const {
  const auto json = readChecked(folder_ / "done" / key);
  return json ? answerFrom(*json) : std::nullopt;
}

Result<void> Spool::storeFailures(const QueuedUnit& unit) {
  return write(folder_ / "failed" / unit.key,
               {{"deaths", unit.deaths}, {"failures", unit.failures}, {"nodes", unit.nodes}});
}

void Spool::restoreFailures(QueuedUnit& unit) const {
  if (const auto json = readChecked(folder_ / "failed" / unit.key)) {
    unit.deaths = json->value("deaths", 0);
    unit.failures = json->value("failures", 0);
    unit.nodes = json->value("nodes", std::vector<std::string>{});
  }
}

std::vector<std::string> Spool::workers() const { return namesIn(folder_ / "workers"); }

Heartbeat Spool::readHeartbeat(const std::string& worker) const {
  const auto json = readChecked(folder_ / "workers" / worker);
  return json ? heartbeatFrom(*json) : Heartbeat{};
}

Result<void> Spool::writeHeadHeartbeat(std::int64_t count, bool finished) {
  return write(folder_ / kHead, toJson(Heartbeat{count, finished}));
}

Result<void> Spool::markCompileArray(const std::string& array) {
  return write(folder_ / "logs" / fmt::format("{}{}", array, kCompileMark), json::object());
}

std::vector<std::string> Spool::compileArrays() const {
  std::vector<std::string> arrays;
  for (const std::string& name : namesIn(folder_ / "logs")) {
    if (name.ends_with(kCompileMark)) {
      arrays.push_back(name.substr(0, name.size() - kCompileMark.size()));
    }
  }
  return arrays;
}

void Spool::remove() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::optional<std::pair<Claim, QueuedUnit>> Spool::claim(const std::string& worker, bool mayMeasure,
                                                         const std::string& notFailedOn) {
  std::vector<std::string> names = namesIn(folder_ / "queue");
  std::erase_if(names, [&](const std::string& name) {
    return (!mayMeasure && !name.starts_with(kCompile)) || failedOn(name, notFailedOn);
  });
  // Workers start at different units; otherwise most of them would lose the race.
  const std::size_t first = names.empty() ? 0 : seedFrom(0, worker) % names.size();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Claim claim{names[(first + i) % names.size()], worker};
    if (!moveFile(folder_ / "queue" / claim.name, folder_ / "claimed" / claimFile(claim))) {
      continue;
    }
    const auto json = readChecked(folder_ / "claimed" / claimFile(claim));
    if (auto unit = json ? unitFrom(*json) : std::nullopt) {
      return std::pair(claim, std::move(*unit));
    }
    release(claim);  // damaged: the head notices and queues it again
  }
  return std::nullopt;
}

bool Spool::failedOn(const std::string& name, const std::string& node) const {
  if (node.empty() || !name.contains(kRetryPrefix)) {
    return false;
  }
  const auto json = readChecked(folder_ / "queue" / name);
  const auto unit = json ? unitFrom(*json) : std::nullopt;
  return unit && std::find(unit->nodes.begin(), unit->nodes.end(), node) != unit->nodes.end();
}

Result<void> Spool::answer(const Claim& claim, const Answer& answer) {
  HONE_CHECK(write(folder_ / "answers" / answer.key, cluster::toJson(answer)));
  release(claim);
  return {};
}

bool Spool::answered(const std::string& key) const {
  return readChecked(folder_ / "answers" / key) || doneAnswer(key);
}

void Spool::requeue(const std::string& worker) {
  for (const Claim& claim : claims()) {
    if (claim.worker == worker && answered(claim.key())) {
      release(claim);
    } else if (claim.worker == worker) {
      static_cast<void>(
          moveFile(folder_ / "claimed" / claimFile(claim), folder_ / "queue" / claim.name));
    }
  }
}

Result<void> Spool::reportDeath(const std::string& worker, const std::string& why,
                                const std::string& node, bool machineFailed) {
  json report = {
      {"key", ""}, {"worker", worker}, {"why", why}, {"node", node}, {"of_machine", machineFailed}};
  bool any = false;
  for (const Claim& claim : claims()) {
    if (claim.worker == worker && answered(claim.key())) {
      release(claim);
      any = true;
    } else if (claim.worker == worker) {
      report["key"] = claim.key();
      HONE_CHECK(write(folder_ / "died" / claimFile(claim), report));
      release(claim);
      any = true;
    }
  }
  return any ? Result<void>() : write(folder_ / "died" / fmt::format("nothing@{}", worker), report);
}

Result<void> Spool::writeHeartbeat(const std::string& worker, const Heartbeat& heartbeat) {
  return write(folder_ / "workers" / worker, toJson(heartbeat));
}

void Spool::leave(const std::string& worker) const {
  std::error_code ignored;
  fs::remove(folder_ / "workers" / worker, ignored);
}

Heartbeat Spool::headHeartbeat() const {
  const auto json = readChecked(folder_ / kHead);
  return json ? heartbeatFrom(*json) : Heartbeat{};
}

Result<void> Spool::proposeKind(const store::Node& node) {
  if (fs::exists(folder_ / kKind)) {
    return {};
  }
  const fs::path beside = folder_ / fmt::format("kind.{}.{}.part", node.name, ::getpid());
  HONE_CHECK(write(beside, nodeKind(node)));
  // A link, not a rename: it fails if another worker was first.
  const bool failed = ::link(beside.c_str(), (folder_ / kKind).c_str()) != 0 && errno != EEXIST;
  auto error = errnoError(fmt::format("cannot write {}", (folder_ / kKind).string()));
  std::error_code ignored;
  fs::remove(beside, ignored);
  return failed ? Result<void>(error) : Result<void>();
}

std::optional<bool> Spool::isMeasuredKind(const store::Node& node) const {
  const auto kind = readChecked(folder_ / kKind);
  return kind ? std::optional(*kind == nodeKind(node)) : std::nullopt;
}

}  // namespace hone::cluster
