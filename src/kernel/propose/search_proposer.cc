#include "kernel/propose/search_proposer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/text/text.h"
#include "kernel/propose/plan_moves.h"
#include "kernel/propose/rewrite_plan.h"
#include "kernel/propose/tilelang/tilelang_knobs.h"

namespace hone::kernel {
namespace {

constexpr std::size_t kShortKeyLength = 12;

/// Returns the plan as a note for the history, from which a later turn or process continues.
std::string formatPlanNote(const RewritePlan& plan, const Source& root) {
  return fmt::format("plan of {}: {}", root.key().substr(0, kShortKeyLength), plan.text());
}

struct PlanNote {
  RewritePlan plan;
  std::string root;  ///< prefix of the key of the source it applies to
};

std::optional<PlanNote> parsePlanNote(std::string_view reasoning) {
  constexpr std::string_view kMark = "plan of ";
  const std::size_t at = reasoning.rfind(kMark);
  const std::size_t colon = at == std::string_view::npos ? at : reasoning.find(": ", at);
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const auto plan = RewritePlan::from(reasoning.substr(colon + 2));
  if (!plan) {
    return std::nullopt;
  }
  return PlanNote{*plan,
                  std::string(reasoning.substr(at + kMark.size(), colon - at - kMark.size()))};
}

/// The starting point of a turn: a plan and the source it applies to.
struct Start {
  RewritePlan plan;
  Source root;
};

Start chooseStart(const TurnView& view) {
  const std::string best = view.best.key();
  if (best == view.original.key()) {
    return {{}, view.original};
  }
  const auto tried = std::ranges::find_if(
      view.tried, [&](const JudgedProposal& one) { return one.proposal.source.key() == best; });
  const auto note =
      tried == view.tried.end() ? std::nullopt : parsePlanNote(tried->proposal.reasoning);
  if (!note) {
    return {{}, view.best};  // from another proposer: use it as the new root
  }
  if (view.original.key().starts_with(note->root)) {
    return {note->plan, view.original};
  }
  const auto root = std::ranges::find_if(view.tried, [&](const JudgedProposal& one) {
    return one.proposal.source.key().starts_with(note->root);
  });
  return root == view.tried.end() ? Start{{}, view.best} : Start{note->plan, root->proposal.source};
}

std::string planTitle(const RewritePlan& plan) {
  std::vector<std::string> parts;
  for (const std::string& technique : plan.techniques()) {
    std::vector<std::string> knobs;
    for (const auto& [knob, value] : plan.steps().find(technique)->second) {
      knobs.push_back(fmt::format("{} {}", knob, value));
    }
    parts.push_back(knobs.empty() ? technique
                                  : fmt::format("{} ({})", technique, join(knobs, ", ")));
  }
  return join(parts, ", ");
}

class SearchProposer : public Proposer {
 public:
  SearchProposer(std::uint64_t seed, int threads) : seed_(seed), threads_(threads) {}

  [[nodiscard]] std::string_view name() const override { return "search"; }

  [[nodiscard]] Result<std::vector<Proposal>> propose(const TurnView& view) override {
    std::set<std::string> known = {view.original.key(), view.best.key()};
    for (const JudgedProposal& one : view.tried) {
      known.insert(one.proposal.source.key());
    }
    auto proposals = view.original.language == Language::cpp ? cppProposals(view, known)
                                                             : tileLangProposals(view, known);
    ended_ = proposals.empty() ? "all applicable rewrites were tried" : "";
    return proposals;
  }

  [[nodiscard]] std::string ended() const override { return ended_; }

 private:
  [[nodiscard]] std::uint64_t turnSeed(const TurnView& view) const {
    return seedFrom(seed_, fmt::format("turn {}", view.turn));
  }

  /// Returns a penalty of 1 per technique that failed at least twice and never passed.
  static double failurePenalty(const TurnView& view, const RewritePlan& plan) {
    double total = 0;
    for (const std::string& technique : plan.techniques()) {
      std::size_t failed = 0;
      std::size_t passed = 0;
      for (const JudgedProposal& one : view.tried) {
        const auto& used = one.proposal.techniques;
        if (std::ranges::find(used, technique) != used.end()) {
          const bool slow = one.judged.outcome == model::Outcome::tooSlow;
          (one.judged.ok() || slow ? passed : failed) += 1;
        }
      }
      total += failed >= 2 && passed == 0 ? 1 : 0;
    }
    return total;
  }

  [[nodiscard]] std::vector<Proposal> cppProposals(const TurnView& view,
                                                   std::set<std::string>& known) const {
    const Start start = chooseStart(view);
    const bool threads = threads_ > 1;
    const std::vector<Finding>& findings = view.analysis.findings;
    std::vector<Proposal> proposals;
    const auto next = [&](const RewritePlan& plan) {
      take(nextMoves(plan, findings, threads, turnSeed(view)), view, start.root, known, proposals);
    };
    if (!start.plan.empty()) {
      next(start.plan);
    }
    if (proposals.size() == view.count) {
      return proposals;
    }
    const std::vector<Move> first = firstMoves(start.root, findings, threads);
    take(first, view, start.root, known, proposals);
    // Neighbours of the best plan and first moves are exhausted: vary other plans, fastest first.
    for (const RewritePlan& plan : plansBySpeed(view, start.root)) {
      next(plan);
    }
    for (const Move& move : first) {
      next(move.plan);
    }
    return proposals;
  }

  /// Adds the best new moves until the requested number of candidates is reached.
  static void take(std::vector<Move> moves, const TurnView& view, const Source& root,
                   std::set<std::string>& known, std::vector<Proposal>& proposals) {
    if (proposals.size() == view.count) {
      return;
    }
    for (Move& move : moves) {
      move.priority -= failurePenalty(view, move.plan);
    }
    std::ranges::stable_sort(moves,
                             [](const Move& a, const Move& b) { return a.priority > b.priority; });
    for (const Move& move : moves) {
      if (proposals.size() == view.count) {
        return;
      }
      auto source = applyPlan(move.plan, root);
      if (source && known.insert(source->key()).second) {
        proposals.push_back({std::move(*source), planTitle(move.plan), move.plan.techniques(),
                             fmt::format("{}\n{}", move.why, formatPlanNote(move.plan, root))});
      }
    }
  }

  /// Returns the plans of timed candidates, fastest first.
  static std::vector<RewritePlan> plansBySpeed(const TurnView& view, const Source& root) {
    std::vector<const JudgedProposal*> timed;
    for (const JudgedProposal& one : view.tried) {
      if (one.speedup) {
        timed.push_back(&one);
      }
    }
    std::ranges::stable_sort(timed, [](const JudgedProposal* a, const JudgedProposal* b) {
      return *a->speedup > *b->speedup;
    });
    const std::string key = root.key();
    std::vector<RewritePlan> plans;
    for (const JudgedProposal* one : timed) {
      const auto note = parsePlanNote(one->proposal.reasoning);
      if (note && key.starts_with(note->root)) {
        plans.push_back(note->plan);
      }
    }
    return plans;
  }

  [[nodiscard]] std::vector<Proposal> tileLangProposals(const TurnView& view,
                                                        std::set<std::string>& known) const {
    auto moves = tileLangMoves(view.best.text, view.analysis.findings, turnSeed(view));
    // A change that failed alone, such as a tile larger than the tensor, also fails in combination.
    std::set<std::string> failedChanges;
    for (const JudgedProposal& one : view.tried) {
      if (!one.judged.ok() && one.judged.outcome != model::Outcome::tooSlow) {
        failedChanges.insert(one.proposal.title);
      }
    }
    std::ranges::stable_partition(moves, [&](const TextMove& move) {
      return std::ranges::none_of(
          move.changes, [&](const std::string& change) { return failedChanges.contains(change); });
    });
    std::vector<Proposal> proposals;
    for (TextMove& move : moves) {
      if (proposals.size() == view.count) {
        break;
      }
      Source source = view.best;
      source.text = std::move(move.text);
      if (known.insert(source.key()).second) {
        proposals.push_back({std::move(source), move.title(), move.techniques, move.title()});
      }
    }
    return proposals;
  }

  std::uint64_t seed_;
  int threads_;
  std::string ended_;
};

}  // namespace

std::unique_ptr<Proposer> makeSearchProposer(std::uint64_t seed, int threads) {
  return std::make_unique<SearchProposer>(seed, threads);
}

}  // namespace hone::kernel
