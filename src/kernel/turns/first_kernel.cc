#include "kernel/turns/first_kernel.h"

#include <utility>

#include "base/hash.h"
#include "base/process/interrupt.h"
#include "kernel/propose/plain_kernel.h"

namespace hone::kernel {
namespace {

/// Judges candidates until one is correct.
class FirstKernelSearch {
 public:
  explicit FirstKernelSearch(const FirstKernelRequest& request) : request_(request) {}

  /// Judges the candidates in order; stops at the first correct one.
  [[nodiscard]] Result<void> judge(const std::vector<Proposal>& proposals) {
    failed_.clear();
    request_.progress.stage("judging the first kernel",
                            static_cast<std::int64_t>(proposals.size()));
    for (const Proposal& proposal : proposals) {
      JudgedProposal tried;
      tried.proposal = proposal;
      tried.turn = 1;
      tried.judged =
          HONE_TRY(request_.kernelJudge.judge(proposal.source, seedFrom(1, proposal.source.key())));
      request_.progress.step(proposal.title);
      if (interrupted()) {
        return interruptedError();
      }
      if (tried.judged.ok()) {
        result_.kernel = proposal;
        return {};
      }
      result_.failures.push_back(tried);
      failed_.push_back(std::move(tried));
    }
    return {};
  }

  /// Asks the model, and returns its failed candidates to it.
  [[nodiscard]] Result<void> ask() {
    Proposer& proposer = *request_.proposer;
    const Source skeleton = kernelSkeleton(request_.kernelJudge.task(), request_.language);
    const Analysis analysis;
    TurnView view{request_.kernelJudge.task(), skeleton, skeleton, 1, analysis, {},
                  request_.examples,           1,        1};
    view.reference = request_.reference;
    request_.progress.stage("requesting the first kernel", 1);
    auto proposals = HONE_TRY(proposer.propose(view));
    for (std::size_t repairs = 0;; ++repairs) {
      result_.complaint = proposer.complaint();
      if (!result_.complaint.empty()) {
        request_.progress.say(result_.complaint);
      }
      HONE_CHECK(judge(proposals));
      if (result_.kernel || repairs == request_.repairs) {
        break;
      }
      request_.progress.stage("correcting the first kernel", 1);
      auto repaired = HONE_TRY(proposer.repair(view, failed_));
      if (!repaired) {
        break;
      }
      proposals = *std::move(repaired);
    }
    result_.byModel = result_.kernel.has_value();
    return {};
  }

  [[nodiscard]] FirstKernel take() { return std::move(result_); }
  [[nodiscard]] bool isDone() const { return result_.kernel.has_value(); }

 private:
  const FirstKernelRequest& request_;
  FirstKernel result_;
  std::vector<JudgedProposal> failed_;  ///< of the last answer
};

}  // namespace

Result<FirstKernel> createKernel(const FirstKernelRequest& request) {
  FirstKernelSearch search(request);
  if (request.proposer != nullptr) {
    HONE_CHECK(search.ask());
  }
  if (!search.isDone() && !request.plain.empty()) {
    std::vector<Proposal> proposals;
    for (const Source& source : request.plain) {
      proposals.push_back({source, "the reference as a kernel", {}, ""});
    }
    HONE_CHECK(search.judge(proposals));
  }
  return search.take();
}

}  // namespace hone::kernel
