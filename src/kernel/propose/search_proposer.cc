#include "kernel/propose/search_proposer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/hash.h"
#include "base/text/text.h"
#include "kernel/propose/plan.h"
#include "kernel/propose/plan_moves.h"
#include "kernel/propose/tilelang_knobs.h"

namespace hone::kernel {
namespace {

constexpr std::size_t kShortKey = 12;

/// How a plan is written into the history, so that a later turn, or another process, goes on from
/// it.
std::string noteOf(const Plan& plan, const Source& root) {
  return fmt::format("plan of {}: {}", root.key().substr(0, kShortKey), plan.text());
}

struct Noted {
  Plan plan;
  std::string root;  ///< the begin of its key
};

std::optional<Noted> notedIn(std::string_view reasoning) {
  constexpr std::string_view kMark = "plan of ";
  const std::size_t at = reasoning.rfind(kMark);
  const std::size_t colon = at == std::string_view::npos ? at : reasoning.find(": ", at);
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const auto plan = Plan::from(reasoning.substr(colon + 2));
  if (!plan) {
    return std::nullopt;
  }
  return Noted{*plan, std::string(reasoning.substr(at + kMark.size(), colon - at - kMark.size()))};
}

/// From where a turn starts: a plan, and the source that it is applied to.
struct Start {
  Plan plan;
  Source root;
};

Start startOf(const TurnView& view) {
  const std::string best = view.best.key();
  if (best == view.original.key()) {
    return {{}, view.original};
  }
  const auto tried = std::ranges::find_if(
      view.tried, [&](const Tried& one) { return one.proposal.source.key() == best; });
  const auto noted = tried == view.tried.end() ? std::nullopt : notedIn(tried->proposal.reasoning);
  if (!noted) {
    return {{}, view.best};  // somebody else's: it is the root of what follows
  }
  if (view.original.key().starts_with(noted->root)) {
    return {noted->plan, view.original};
  }
  const auto root = std::ranges::find_if(view.tried, [&](const Tried& one) {
    return one.proposal.source.key().starts_with(noted->root);
  });
  return root == view.tried.end() ? Start{{}, view.best}
                                  : Start{noted->plan, root->proposal.source};
}

std::string titleOf(const Plan& plan) {
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
    for (const Tried& one : view.tried) {
      known.insert(one.proposal.source.key());
    }
    auto proposals = view.original.language == Language::cpp ? cppProposals(view, known)
                                                             : tileLangProposals(view, known);
    ended_ = proposals.empty() ? "every rewrite that applies was tried" : "";
    return proposals;
  }

  [[nodiscard]] std::string ended() const override { return ended_; }

 private:
  [[nodiscard]] std::uint64_t seedOf(const TurnView& view) const {
    return seedFrom(seed_, fmt::format("turn {}", view.turn));
  }

  /// Techniques that nothing good came of twice are put behind the others.
  static double ablation(const TurnView& view, const Plan& plan) {
    double total = 0;
    for (const std::string& technique : plan.techniques()) {
      std::size_t failed = 0;
      std::size_t passed = 0;
      for (const Tried& one : view.tried) {
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
    const Start start = startOf(view);
    const bool threads = threads_ > 1;
    const std::vector<Finding>& findings = view.analysis.findings;
    std::vector<Proposal> proposals;
    const auto next = [&](const Plan& plan) {
      take(nextMoves(plan, findings, threads, seedOf(view)), view, start.root, known, proposals);
    };
    if (!start.plan.empty()) {
      next(start.plan);
    }
    if (proposals.size() == view.count) {
      return proposals;
    }
    const std::vector<Move> first = firstMoves(start.root, findings, threads);
    take(first, view, start.root, known, proposals);
    // Near the best, and at the begin, all was tried: on from others, the quickest first.
    for (const Plan& plan : plansBySpeed(view, start.root)) {
      next(plan);
    }
    for (const Move& move : first) {
      next(move.plan);
    }
    return proposals;
  }

  /// Adds the best moves that are new, until there are enough.
  static void take(std::vector<Move> moves, const TurnView& view, const Source& root,
                   std::set<std::string>& known, std::vector<Proposal>& proposals) {
    if (proposals.size() == view.count) {
      return;
    }
    for (Move& move : moves) {
      move.priority -= ablation(view, move.plan);
    }
    std::ranges::stable_sort(moves,
                             [](const Move& a, const Move& b) { return a.priority > b.priority; });
    for (const Move& move : moves) {
      if (proposals.size() == view.count) {
        return;
      }
      auto source = applied(move.plan, root);
      if (source && known.insert(source->key()).second) {
        proposals.push_back({std::move(*source), titleOf(move.plan), move.plan.techniques(),
                             fmt::format("{}\n{}", move.why, noteOf(move.plan, root))});
      }
    }
  }

  /// Plans of what was timed, the quickest first.
  static std::vector<Plan> plansBySpeed(const TurnView& view, const Source& root) {
    std::vector<const Tried*> timed;
    for (const Tried& one : view.tried) {
      if (one.speedup) {
        timed.push_back(&one);
      }
    }
    std::ranges::stable_sort(
        timed, [](const Tried* a, const Tried* b) { return *a->speedup > *b->speedup; });
    const std::string key = root.key();
    std::vector<Plan> plans;
    for (const Tried* one : timed) {
      const auto noted = notedIn(one->proposal.reasoning);
      if (noted && key.starts_with(noted->root)) {
        plans.push_back(noted->plan);
      }
    }
    return plans;
  }

  [[nodiscard]] std::vector<Proposal> tileLangProposals(const TurnView& view,
                                                        std::set<std::string>& known) const {
    auto moves = tileLangMoves(view.best.text, view.analysis.findings, seedOf(view));
    // What was wrong alone, as a tile that is larger than the tensor, is so with others, too.
    std::set<std::string> wrong;
    for (const Tried& one : view.tried) {
      if (!one.judged.ok() && one.judged.outcome != model::Outcome::tooSlow) {
        wrong.insert(one.proposal.title);
      }
    }
    std::ranges::stable_partition(moves, [&](const TextMove& move) {
      return std::ranges::none_of(
          move.changes, [&](const std::string& change) { return wrong.contains(change); });
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
