#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/text/text.h"
#include "kernel/judge/kernel_judge.h"
#include "kernel/propose/proposer.h"

// A fake judge without processes and a scripted proposer for tests of the optimizer.

namespace hone::kernel::test {

/// Returns a kernel that FakeKernelJudge times with `ns`.
inline Source kernelTaking(double ns, const std::string& note = "") {
  return {Language::cpp, "scale", fmt::format("// takes {} ns {}\n", ns, note), {}};
}
/// Returns a kernel that FakeKernelJudge judges with `outcome`.
inline Source failingKernel(model::Outcome outcome, const std::string& note = "") {
  return {Language::cpp, "scale", fmt::format("// {} {}\n", model::nameOf(outcome), note), {}};
}

inline Proposal makeProposal(Source source, const std::string& title = "a change") {
  return {std::move(source), title, {"tiling"}, "because"};
}

/// Fails all steps after `stepsLeft`, as if the process had been killed.
struct FailAfter {
  int stepsLeft = 1'000'000;

  [[nodiscard]] Result<void> step() {
    if (stepsLeft <= 0) {
      return machineError("killed");
    }
    --stepsLeft;
    return {};
  }
};

/// Reads times and outcomes from the sources, and adds a little noise.
class FakeKernelJudge : public KernelJudge {
 public:
  explicit FakeKernelJudge(double pytorchNs = 0) : pytorchNs_(pytorchNs) { task_.name = "scale"; }

  [[nodiscard]] const Task& task() const override { return task_; }
  [[nodiscard]] bool hasPyTorch() const override { return pytorchNs_ > 0; }

  [[nodiscard]] Result<JudgeResult> judge(const Source& source, std::uint64_t salt) override {
    HONE_CHECK(failAfter.step());
    ++judgements[source.key()];
    salts.push_back(salt);
    JudgeResult judged = evaluate(source, model::Stage::screen, 0, 0);
    judged.facts.worstError = 1e-7;
    return judged;
  }

  [[nodiscard]] Result<JudgeResult> measure(const Implementation& implementation,
                                            model::Stage stage, std::int64_t round,
                                            std::int64_t position) override {
    HONE_CHECK(failAfter.step());
    ++measurements;
    return implementation.source != nullptr
               ? evaluate(*implementation.source, stage, round, position)
               : timed(pytorchNs_, "torch", stage, round, position);
  }

  FailAfter failAfter;
  std::map<std::string, int> judgements;
  std::vector<std::uint64_t> salts;
  int measurements = 0;

 private:
  static JudgeResult timed(double ns, const std::string& name, model::Stage stage,
                           std::int64_t round, std::int64_t position) {
    JudgeResult judged;
    for (std::int64_t i = 0; i < 3; ++i) {
      const auto noise =
          seedFrom(static_cast<std::uint64_t>(round * 7 + i), name + std::to_string(position)) %
          100;
      const double time = ns * (1 + static_cast<double>(noise) * 1e-4);
      judged.samples.push_back({stage, round, position, i, time, time, 1});
    }
    return judged;
  }

  static JudgeResult evaluate(const Source& source, model::Stage stage, std::int64_t round,
                              std::int64_t position) {
    const auto words = splitAt(trim(source.text), ' ');
    if (words.at(1) == "takes") {
      return timed(parseDouble(words.at(2)).value(), source.text, stage, round, position);
    }
    JudgeResult judged;
    judged.outcome = model::outcomeFrom(words.at(1)).value();
    judged.message = "line 3: as requested";
    return judged;
  }

  double pytorchNs_;
  Task task_;
};

/// Proposes the given candidates, one list per turn, and the given repairs, one list per request.
class ScriptedProposer : public Proposer {
 public:
  explicit ScriptedProposer(std::vector<std::vector<Proposal>> turns) : turns_(std::move(turns)) {}

  [[nodiscard]] std::string_view name() const override { return "scripted"; }
  [[nodiscard]] Result<std::vector<Proposal>> propose(const TurnView& view) override {
    HONE_CHECK(failAfter.step());
    bests.push_back(view.best.text);
    speedups.push_back(view.bestSpeedup);
    triedBefore.push_back(view.tried.size());
    for (const Example& example : view.examples) {
      examples.push_back(example.name);
    }
    memory_.push_back(view.turn);
    return view.turn <= turns_.size() ? turns_[view.turn - 1] : std::vector<Proposal>{};
  }
  [[nodiscard]] Result<std::optional<std::vector<Proposal>>> repair(
      const TurnView& /*view*/, std::span<const JudgedProposal> failed) override {
    if (repairs_ == repairs.size()) {
      return std::nullopt;
    }
    HONE_CHECK(failAfter.step());
    for (const JudgedProposal& one : failed) {
      errors.push_back(fmt::format("{}: {}", one.proposal.title, one.judged.message));
    }
    return repairs[repairs_++];
  }
  [[nodiscard]] std::string complaint() const override { return complaints; }
  [[nodiscard]] std::string ended() const override { return end; }
  [[nodiscard]] std::string conversation() const override {
    return fmt::format("turns {}", fmt::join(memory_, " "));
  }
  [[nodiscard]] nlohmann::json memory() const override { return {memory_, repairs_}; }
  void restoreMemory(const nlohmann::json& memory) override {
    memory_ = memory.at(0).get<std::vector<std::size_t>>();
    repairs_ = memory.at(1);
  }

  FailAfter failAfter;
  std::vector<std::vector<Proposal>> repairs;  ///< in order, for all turns
  std::vector<std::string> errors;             ///< of the candidates that were to be repaired
  std::string complaints;
  std::string end;
  std::vector<std::string> bests;
  std::vector<double> speedups;
  std::vector<std::size_t> triedBefore;
  std::vector<std::string> examples;

 private:
  std::vector<std::vector<Proposal>> turns_;
  std::vector<std::size_t> memory_;
  std::size_t repairs_ = 0;
};

}  // namespace hone::kernel::test
