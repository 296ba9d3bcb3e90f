#include "tune/candidates/candidate_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "base/hash.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "iree/compile/constraints.h"
#include "iree/compile/toolchain/foreign_flags.h"
#include "model/result/json_reader.h"

namespace hone::tune {
namespace {

constexpr const char* kCandidatesFile = "candidates.json";

nlohmann::json toJson(const CodeResources& code) {
  return {{"registers", code.registers},
          {"spilled_bytes", code.spilledBytes},
          {"shared_bytes", code.sharedBytes},
          {"threads", code.threads},
          {"occupancy", code.occupancy}};
}

Result<CodeResources> codeFrom(const nlohmann::json& json) {
  CodeResources code;
  model::JsonReader reader(json, "code of a candidate");
  reader.required("registers", code.registers);
  reader.required("spilled_bytes", code.spilledBytes);
  reader.required("shared_bytes", code.sharedBytes);
  reader.required("threads", code.threads);
  reader.required("occupancy", code.occupancy);
  HONE_CHECK(reader.finish());
  return code;
}

nlohmann::json toJson(const CompiledCandidate& candidate) {
  nlohmann::json json = {{"config", model::toJson(candidate.config)},
                         {"outcome", nameOf(candidate.outcome)},
                         {"message", candidate.message},
                         {"content", candidate.content},
                         {"compile_wall_ns", candidate.compileWallNs}};
  if (!candidate.sameAs.empty()) {
    json["same_as"] = candidate.sameAs;
  }
  if (candidate.worthMeasuring()) {
    json["expected_cost"] = candidate.expectedCost;
  }
  if (candidate.code) {
    json["code"] = toJson(*candidate.code);
  }
  return json;
}

Result<CompiledCandidate> candidateFrom(const nlohmann::json& json) {
  CompiledCandidate candidate;
  nlohmann::json config;
  nlohmann::json code;
  std::string outcome;
  model::JsonReader reader(json, "candidate");
  reader.required("config", config);
  reader.required("outcome", outcome);
  reader.required("message", candidate.message);
  reader.required("content", candidate.content);
  reader.required("compile_wall_ns", candidate.compileWallNs);
  reader.optional("same_as", candidate.sameAs);
  reader.optional("expected_cost", candidate.expectedCost);
  reader.optional("code", code);
  HONE_CHECK(reader.finish());
  if (!code.is_null()) {
    candidate.code = HONE_TRY(codeFrom(code));
  }
  candidate.config = HONE_TRY(model::configFrom(config));
  if (hasControlCharacters(candidate.config.name)) {
    return userError("candidate: the name has a control character");
  }
  const auto known = model::outcomeFrom(outcome);
  if (!known) {
    return userError("candidate: unknown outcome '{}'", outcome);
  }
  candidate.outcome = *known;
  return candidate;
}

nlohmann::json toJson(const DispatchCandidates& dispatch) {
  nlohmann::json list = nlohmann::json::array();
  for (const CompiledCandidate& candidate : dispatch.candidates) {
    list.push_back(toJson(candidate));
  }
  nlohmann::json json = {
      {"dispatch", dispatch.dispatch}, {"space", dispatch.space}, {"candidates", std::move(list)}};
  if (!dispatch.note.empty()) {
    json["note"] = dispatch.note;
  }
  if (!dispatch.order.empty()) {
    json["order"] = dispatch.order;
  }
  return json;
}

Result<DispatchCandidates> dispatchFrom(const nlohmann::json& json) {
  DispatchCandidates dispatch;
  nlohmann::json list = nlohmann::json::array();
  model::JsonReader reader(json, "dispatch");
  reader.required("dispatch", dispatch.dispatch);
  reader.required("space", dispatch.space);
  reader.required("candidates", list);
  reader.optional("note", dispatch.note);
  reader.optional("order", dispatch.order);
  HONE_CHECK(reader.finish());
  // Names a folder below specs/.
  if (dispatch.dispatch.empty() || dispatch.dispatch.contains('/') ||
      dispatch.dispatch.starts_with('.') || hasControlCharacters(dispatch.dispatch)) {
    return userError("dispatch: invalid name '{}'", dispatch.dispatch);
  }
  for (const nlohmann::json& one : list) {
    dispatch.candidates.push_back(HONE_TRY(candidateFrom(one)));
  }
  return dispatch;
}

std::string commentFor(const CompiledCandidate& candidate) {
  std::string comment = candidate.config.name;
  if (candidate.code) {
    comment += fmt::format(
        "\ncompiled code: {} registers, {} bytes spilled, {} bytes of shared memory, {:.0f} % "
        "occupancy",
        candidate.code->registers, candidate.code->spilledBytes, candidate.code->sharedBytes,
        100 * candidate.code->occupancy);
  }
  return comment;
}

/// Writes a spec for each candidate that compiled to the dispatch's folder, numbered in their
/// order.
Result<void> writeSpecs(const DispatchCandidates& dispatch, const std::string& matcher,
                        const std::filesystem::path& folder) {
  HONE_CHECK(makeFolder(folder));
  std::size_t number = 0;
  for (const CompiledCandidate& candidate : dispatch.candidates) {
    if (!candidate.worthMeasuring()) {
      continue;
    }
    const iree::SpecEntry entry{fmt::format("match_{}", dispatch.dispatch),
                                commentFor(candidate),
                                matcher,
                                candidate.config.attributes.front().value,
                                iree::findDecompositionConfig(candidate.config),
                                iree::findCompanions(candidate.config)};
    const std::string text = HONE_TRY(iree::specText(std::span(&entry, 1)));
    HONE_CHECK(writeFile(folder / fmt::format("{:03}.mlir", ++number), text));
  }
  return {};
}

}  // namespace

CompiledCandidate toCandidate(model::Config config, const iree::Compiled& compiled) {
  CompiledCandidate candidate{std::move(config),
                              iree::toOutcome(compiled.report.status),
                              compiled.report.message,
                              compiled.content,
                              compiled.report.ending.wallNs,
                              {},
                              std::nullopt,
                              0};
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
  // Without a matcher there is no spec, but the candidates can still be measured.
  auto matchers = iree::queryMatchers(compiler, requestFor(whole, whole.flags));
  if (!matchers && matchers.error().fault != Fault::user) {
    return std::unexpected(matchers.error());
  }
  for (const DispatchCandidates& dispatch : candidates.dispatches) {
    list.push_back(toJson(dispatch));
    const iree::DispatchMatcher* matcher =
        matchers ? matcherFor(*matchers, dispatch.dispatch) : nullptr;
    if (matcher != nullptr && !matcher->matcher.empty()) {
      HONE_CHECK(writeSpecs(dispatch, matcher->matcher, folder / "specs" / dispatch.dispatch));
    }
  }
  const std::string program = HONE_TRY(readFile(whole.program.source));
  HONE_CHECK(writeFile(folder / kProgramFile, program));
  const nlohmann::json json = {{"target", candidates.target},  {"function", candidates.function},
                               {"flags", candidates.flags},    {"inputs", candidates.inputs},
                               {"seed", candidates.seed},      {"compiler", candidates.compiler},
                               {"dispatches", std::move(list)}};
  return writeFile(folder / kCandidatesFile, jsonText(json, 1) + "\n");
}

std::vector<DispatchCandidates> knownCandidates(const WholeProgram& whole,
                                                const CandidateFolder& wanted,
                                                const std::filesystem::path& folder) {
  auto found = readCandidates(folder);
  const auto program = hashFile(folder / kProgramFile);
  const bool same = found && program && *program == whole.program.hash &&
                    found->target == wanted.target && found->function == wanted.function &&
                    found->flags == wanted.flags && found->inputs == wanted.inputs &&
                    found->seed == wanted.seed && found->compiler == wanted.compiler;
  return same ? std::move(found->dispatches) : std::vector<DispatchCandidates>();
}

Result<void> checkForeign(const CandidateFolder& candidates, const std::filesystem::path& folder) {
  const std::string file = (folder / kCandidatesFile).string();
  HONE_CHECK(iree::checkForeignFlags(candidates.flags, file));
  HONE_CHECK(iree::checkForeignInputs(candidates.inputs, folder, file));
  for (const DispatchCandidates& dispatch : candidates.dispatches) {
    for (const CompiledCandidate& candidate : dispatch.candidates) {
      HONE_CHECK(iree::checkForeignFlags(candidate.config.flags, file));
    }
  }
  const auto program = folder / kProgramFile;
  if (std::error_code ignored; std::filesystem::is_symlink(program, ignored)) {
    return userError("{} is a symbolic link; use --trust if you trust the author",
                     program.string());
  }
  return {};
}

Result<CandidateFolder> readCandidates(const std::filesystem::path& folder) {
  const auto file = folder / kCandidatesFile;
  const auto text = readFile(file);
  if (!text) {
    return userError("{} is not a folder of hone tune --compile-only: {}", folder.string(),
                     text.error().message);
  }
  const auto json = HONE_TRY(jsonFrom(*text, file.string()));
  CandidateFolder candidates;
  nlohmann::json list = nlohmann::json::array();
  model::JsonReader reader(json, file.string());
  reader.required("target", candidates.target);
  reader.required("function", candidates.function);
  reader.required("flags", candidates.flags);
  reader.required("inputs", candidates.inputs);
  reader.required("seed", candidates.seed);
  reader.optional("compiler", candidates.compiler);
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
