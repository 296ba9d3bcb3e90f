#include "tune/candidate_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "model/json_reader.h"
#include "trial/compile_patience.h"
#include "trial/lane.h"
#include "tune/draw.h"
#include "tune/space_proposer.h"

namespace hone::tune {
namespace {

constexpr const char* kCandidatesFile = "candidates.json";
/// Drawn and compiled at a time: what fails among them is learnt from for the next.
constexpr std::size_t kChunk = 16;
constexpr std::int64_t kLongCompileNs = 1'000'000'000;

nlohmann::json toJson(const CompiledCandidate& candidate) {
  return {{"config", model::toJson(candidate.config)},
          {"outcome", nameOf(candidate.outcome)},
          {"message", candidate.message},
          {"content", candidate.content},
          {"compile_wall_ns", candidate.compileWallNs}};
}

Result<CompiledCandidate> candidateFrom(const nlohmann::json& json) {
  CompiledCandidate candidate;
  nlohmann::json config;
  std::string outcome;
  model::JsonReader reader(json, "candidate");
  reader.required("config", config);
  reader.required("outcome", outcome);
  reader.required("message", candidate.message);
  reader.required("content", candidate.content);
  reader.required("compile_wall_ns", candidate.compileWallNs);
  HONE_CHECK(reader.finish());
  candidate.config = HONE_TRY(model::configFrom(config));
  const auto known = model::outcomeFrom(outcome);
  if (!known) {
    return userError("candidate: there is no outcome '{}'", outcome);
  }
  candidate.outcome = *known;
  return candidate;
}

nlohmann::json toJson(const DispatchCandidates& dispatch) {
  nlohmann::json list = nlohmann::json::array();
  for (const CompiledCandidate& candidate : dispatch.candidates) {
    list.push_back(toJson(candidate));
  }
  return {
      {"dispatch", dispatch.dispatch}, {"space", dispatch.space}, {"candidates", std::move(list)}};
}

Result<DispatchCandidates> dispatchFrom(const nlohmann::json& json) {
  DispatchCandidates dispatch;
  nlohmann::json list = nlohmann::json::array();
  model::JsonReader reader(json, "dispatch");
  reader.required("dispatch", dispatch.dispatch);
  reader.required("space", dispatch.space);
  reader.required("candidates", list);
  HONE_CHECK(reader.finish());
  for (const nlohmann::json& one : list) {
    dispatch.candidates.push_back(HONE_TRY(candidateFrom(one)));
  }
  return dispatch;
}

/// A spec for each candidate that compiled, in a folder of the dispatch's.
Result<void> writeSpecs(const DispatchCandidates& dispatch, const std::string& matcher,
                        const std::filesystem::path& folder) {
  HONE_CHECK(makeFolder(folder));
  for (std::size_t i = 0; i < dispatch.candidates.size(); ++i) {
    const CompiledCandidate& candidate = dispatch.candidates[i];
    if (candidate.outcome != model::Outcome::ok) {
      continue;
    }
    const iree::SpecEntry entry{fmt::format("match_{}", dispatch.dispatch), candidate.config.name,
                                matcher, candidate.config.attributes.front().value};
    const std::string text = HONE_TRY(iree::specText(std::span(&entry, 1)));
    HONE_CHECK(writeFile(folder / fmt::format("{:03}.mlir", i + 1), text));
  }
  return {};
}

}  // namespace

CompiledCandidate candidateOf(model::Config config, const iree::Compiled& compiled) {
  CompiledCandidate candidate{std::move(config), iree::outcomeOf(compiled.report.status),
                              compiled.report.message, compiled.content,
                              compiled.report.ending.wallNs};
  if (candidate.outcome == model::Outcome::ok && !compiled.ignored.empty()) {
    candidate.outcome = model::Outcome::invalid;
    candidate.message = compiled.ignored;
  }
  return candidate;
}

std::size_t DispatchCandidates::compiled() const {
  return static_cast<std::size_t>(std::count_if(
      candidates.begin(), candidates.end(),
      [](const CompiledCandidate& one) { return one.outcome == model::Outcome::ok; }));
}

std::size_t DispatchCandidates::different() const {
  std::set<std::string> contents;
  for (const CompiledCandidate& one : candidates) {
    if (one.outcome == model::Outcome::ok) {
      contents.insert(one.content);
    }
  }
  return contents.size();
}

namespace {

/// How long the compiler takes by its own choice.
Result<std::int64_t> compileTime(iree::Compiler& compiler, const iree::CompileRequest& request) {
  const FileLock lane = HONE_TRY(trial::enterToCompile());
  const auto compiled = HONE_TRY(compiler.compileAll(std::span(&request, 1), {}));
  if (compiled.front().module.empty()) {
    return userError("{} does not compile: {}", request.source.filename().string(),
                     compiled.front().report.message);
  }
  return compiled.front().report.ending.wallNs;
}

}  // namespace

Result<DispatchCandidates> compileCandidates(iree::Compiler& compiler, const Subject& subject,
                                             const std::vector<std::string>& flags,
                                             const DrawOptions& options) {
  DispatchCandidates result{subject.name, subject.knobs->space.size(), {}};
  Draw draw(subject.knobs->space, options.seed);
  using Route = iree::CompileRequest::Route;
  iree::CompileRequest asIs{subject.program.source, subject.program.hash,    flags, {},
                            Route::shared,          subject.program.function};
  asIs.from = subject.program.from;
  asIs.fresh = true;  // for its time
  const std::int64_t defaultNs = HONE_TRY(compileTime(compiler, asIs));
  trial::CompilePatience patience;
  patience.defaultTook(defaultNs);
  // Several in one module save the work that is done once a module; of long compiles that is
  // little, and one that never ends would take its neighbours along.
  const Route route = defaultNs < kLongCompileNs ? Route::batched : Route::shared;
  const SpaceProposer proposer(*subject.knobs, nullptr, subject.pattern());
  while (result.candidates.size() < options.count && !options.enough()) {
    const auto points = draw.next(std::min(kChunk, options.count - result.candidates.size()));
    if (points.empty()) {
      break;
    }
    std::vector<iree::CompileRequest> requests;
    auto configs = HONE_TRY(proposer.configsOf(points));
    for (const model::Config& config : configs) {
      iree::CompileRequest request = asIs;
      request.fresh = false;
      request.attributes = config.attributes;
      request.route = route;
      request.wallLimit = patience.limit();
      requests.push_back(std::move(request));
    }
    const FileLock lane = HONE_TRY(trial::enterToCompile());
    const auto compiled = HONE_TRY(compiler.compileAll(requests, {}));
    for (std::size_t i = 0; i < points.size(); ++i) {
      result.candidates.push_back(candidateOf(std::move(configs[i]), compiled[i]));
      const CompiledCandidate& candidate = result.candidates.back();
      draw.tell(points[i], candidate.outcome == model::Outcome::ok);
      if (candidate.outcome == model::Outcome::ok && !compiled[i].cached) {
        patience.took(candidate.compileWallNs);
      }
      options.onDone();
    }
  }
  return result;
}

const iree::DispatchMatcher* matcherFor(std::span<const iree::DispatchMatcher> matchers,
                                        std::string_view dispatch) {
  for (const iree::DispatchMatcher& one : matchers) {
    if (dispatch == one.dispatch || dispatch.starts_with(one.dispatch + "_")) {
      return &one;
    }
  }
  return nullptr;
}

Result<void> writeCandidates(iree::Compiler& compiler, const WholeProgram& whole,
                             const CandidateFolder& candidates,
                             const std::filesystem::path& folder) {
  HONE_CHECK(makeFolder(folder));
  nlohmann::json list = nlohmann::json::array();
  const auto matchers = HONE_TRY(iree::matchersOf(compiler, requestFor(whole, whole.flags)));
  for (const DispatchCandidates& dispatch : candidates.dispatches) {
    list.push_back(toJson(dispatch));
    const iree::DispatchMatcher* matcher = matcherFor(matchers, dispatch.dispatch);
    if (matcher != nullptr && !matcher->matcher.empty()) {
      HONE_CHECK(writeSpecs(dispatch, matcher->matcher, folder / "specs" / dispatch.dispatch));
    }
  }
  const std::string program = HONE_TRY(readFile(whole.program.source));
  HONE_CHECK(writeFile(folder / kProgramFile, program));
  const nlohmann::json json = {{"target", candidates.target}, {"function", candidates.function},
                               {"flags", candidates.flags},   {"inputs", candidates.inputs},
                               {"seed", candidates.seed},     {"dispatches", std::move(list)}};
  return writeFile(folder / kCandidatesFile, json.dump(1) + "\n");
}

Result<CandidateFolder> readCandidates(const std::filesystem::path& folder) {
  const auto file = folder / kCandidatesFile;
  const auto json = nlohmann::json::parse(HONE_TRY(readFile(file)), nullptr, false);
  CandidateFolder candidates;
  nlohmann::json list = nlohmann::json::array();
  model::JsonReader reader(json, file.string());
  reader.required("target", candidates.target);
  reader.required("function", candidates.function);
  reader.required("flags", candidates.flags);
  reader.required("inputs", candidates.inputs);
  reader.required("seed", candidates.seed);
  reader.required("dispatches", list);
  HONE_CHECK(reader.finish());
  for (const nlohmann::json& one : list) {
    auto dispatch = dispatchFrom(one);
    if (!dispatch) {
      return within(file.string(), dispatch.error());
    }
    candidates.dispatches.push_back(std::move(*dispatch));
  }
  return candidates;
}

}  // namespace hone::tune
