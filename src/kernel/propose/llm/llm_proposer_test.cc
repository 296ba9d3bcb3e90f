#include "kernel/propose/llm/llm_proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/chat/test_chat_server.h"
#include "kernel/propose/combined_proposer.h"
#include "kernel/propose/llm/llm_prompt.h"
#include "kernel/propose/test_loop.h"

namespace hone::kernel {
namespace {

using test::ChatServer;
using test::fails;
using test::says;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kKey = "sk-very-secret-4711";
const std::string kCode =
    "extern \"C\" void kernel(const float* X, float* Y, std::int64_t N) { quick(); }";
const std::string kAnswer = "### Candidate 1: quick\nTechniques: tiling\n```cpp\n" + kCode +
                            "\n```\n### Candidate 2: broken\n```cpp\nint main() {}\n```\n";

/// A sample turn of a small kernel.
class SampleTurn {
 public:
  SampleTurn() {
    task_.name = "scale";
    task_.shape.sizes = {{"N", 1000}};
    task_.shape.flops = 1000;
    analysis_.findings = {{Side::memory, "strided access", "line 7", "loop-order", 0.5}};
    JudgedProposal tried;
    tried.proposal.title = "unrolled";
    tried.judged.outcome = model::Outcome::compileFailed;
    tried.judged.message = "line 3: expected ';' before '}' token";
    tried.turn = 1;
    tried_.push_back(tried);
    tried.proposal.title = "tiled";
    tried.judged = {};
    tried.speedup = 1.25;
    tried_.push_back(tried);
  }
  [[nodiscard]] TurnView view(std::size_t turn = 2) const {
    return {task_, best_, best_, 1.25, analysis_, tried_, examples_, turn, 4};
  }

 private:
  Task task_;
  Source best_{Language::cpp,
               "scale",
               "extern \"C\" void kernel(const float* X, float* Y, std::int64_t N) {\n}\n",
               {}};
  Analysis analysis_;
  std::vector<JudgedProposal> tried_;
  std::vector<Example> examples_ = {
      {"ex", "loop-order", "cpp", "Along rows", "It helps.", "int a;\n", "int b;\n", 2, true}};
};

LlmProposer proposerAt(const std::string& base, LlmLimits limits = {}) {
  ChatOptions options;
  options.apiBase = base;
  options.key = kKey;
  options.keyName = "OPENAI_API_KEY";
  options.model = "tiny";
  options.attempts = 1;
  return {ChatClient::make(options).value(), limits};
}

TEST(LlmPrompt, ContainsTaskAnalysisAndTrials) {
  const SampleTurn sample;
  const std::string prompt = buildPrompt(sample.view(), {});
  EXPECT_THAT(prompt, AllOf(HasSubstr("It must be correct for other sizes, too"),
                            Not(HasSubstr("fixed sizes"))));
  EXPECT_THAT(prompt,
              AllOf(HasSubstr("Task: scale"), HasSubstr("N = 1000"), HasSubstr("1.25x"),
                    HasSubstr("strided access"), HasSubstr("Along rows"), HasSubstr("int b;"),
                    HasSubstr("unrolled: compile_failed: line 3: expected ';'"),
                    HasSubstr("tiled: correct, 1.25x"), HasSubstr("4 candidates"),
                    HasSubstr("extern \"C\" void kernel(const float* X"),
                    Not(HasSubstr("Rejected parts"))));
  const std::vector<std::string> rejected = {"no function kernel(...) found"};
  EXPECT_THAT(buildPrompt(sample.view(), rejected), HasSubstr("- no function kernel"));
}

TEST(LlmProposer, ProposesModelsCandidates) {
  ChatServer server({says(kAnswer, 1000, 200)});
  LlmProposer proposer = proposerAt(server.base(), {ChatPrice{2, 8}, {}, 900});
  const SampleTurn sample;
  const auto proposals = proposer.propose(sample.view());
  ASSERT_TRUE(proposals) << proposals.error().message;
  ASSERT_THAT(*proposals, SizeIs(1));
  EXPECT_EQ(proposals->front().source.text, kCode + "\n");
  EXPECT_EQ(proposals->front().title, "quick");
  EXPECT_EQ(proposer.complaint(), "");
  EXPECT_EQ(proposer.used(), (TokenUse{1000, 200}));
  EXPECT_DOUBLE_EQ(proposer.cost(), 0.0036);
  EXPECT_EQ(proposer.spent(), "1 request, 1000 tokens in, 200 out, $0.0036");
  EXPECT_EQ(server.requests()[0].body["max_tokens"], 900);
  EXPECT_THAT(proposer.conversation(),
              AllOf(HasSubstr("strided access"), HasSubstr("quick();"),
                    HasSubstr("Rejected: candidate 2: no function kernel")));
}

TEST(LlmProposer, SendsRejectionsToModel) {
  ChatServer server({says(kAnswer)});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  ASSERT_TRUE(proposer.propose(sample.view(1)));
  ASSERT_TRUE(proposer.propose(sample.view(2)));
  const std::string second = server.requests().at(1).body["messages"][0]["content"];
  EXPECT_THAT(second, HasSubstr("- candidate 2: no function kernel"));
}

TEST(LlmProposer, ContinuesAfterBadAnswer) {
  const SampleTurn sample;
  for (const auto& [answer, message] : std::vector<std::pair<test::Scripted, std::string>>{
           {says("I would use AVX-512."), "no fenced code block found"},
           {says(""), "empty"},
           {says(std::string(2U << 20U, 'x')), "exceeds 1024 KB"},
           {says("```cpp\nint main() {}\n```"), "no function kernel(...) found"},
           {fails(500), "500"},
           {fails(429), "429"},
           {{200, "<html>", {}, false}, "not a chat completion"}}) {
    ChatServer server({answer});
    LlmProposer proposer = proposerAt(server.base());
    const auto proposals = proposer.propose(sample.view());
    ASSERT_TRUE(proposals) << proposals.error().message;
    EXPECT_THAT(*proposals, IsEmpty());
    EXPECT_THAT(proposer.complaint(), HasSubstr(message));
    EXPECT_EQ(proposer.ended(), "");
  }
}

TEST(LlmProposer, FailsOnInvalidKey) {
  ChatServer server({fails(401)});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  EXPECT_FALSE(proposer.propose(sample.view()));
}

TEST(LlmProposer, RespectsSpendingCap) {
  ChatServer server({says(kAnswer, 1'000, 1'000)});
  // A thousand tokens out are $0.01.
  LlmProposer proposer = proposerAt(server.base(), {ChatPrice{0, 10}, 0.025, {}});
  const SampleTurn sample;
  EXPECT_THAT(*proposer.propose(sample.view()), SizeIs(1));
  EXPECT_THAT(*proposer.propose(sample.view()), SizeIs(1));
  EXPECT_THAT(*proposer.propose(sample.view()), SizeIs(1));
  EXPECT_THAT(*proposer.propose(sample.view()), IsEmpty());
  EXPECT_EQ(proposer.ended(), "spending cap of $0.0250 reached");
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_EQ(requests[0].body["max_tokens"], 2500);
  EXPECT_EQ(requests[1].body["max_tokens"], 1500);
  EXPECT_EQ(requests[2].body["max_tokens"], 500) << "no answer can exceed the remaining budget";
}

TEST(LlmProposer, RestoresMemoryInAnotherProcess) {
  ChatServer server({says(kAnswer, 10, 20)});
  LlmProposer first = proposerAt(server.base());
  const SampleTurn sample;
  ASSERT_TRUE(first.propose(sample.view()));
  LlmProposer second = proposerAt(server.base());
  second.restoreMemory(first.memory());
  EXPECT_EQ(second.conversation(), first.conversation());
  EXPECT_EQ(second.used(), first.used());
  EXPECT_EQ(second.memory(), first.memory());
}

TEST(LlmProposer, NeverExposesKey) {
  ChatServer server({says("my key is " + std::string(kKey)), fails(400, kKey)});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_TRUE(proposer.propose(sample.view()));
    for (const std::string& text : {proposer.conversation(), proposer.memory().dump(),
                                    proposer.complaint(), proposer.spent()}) {
      EXPECT_THAT(text, Not(HasSubstr(kKey)));
    }
  }
}

TEST(CombinedProposer, SplitsTurn) {
  const Proposal a = test::makeProposal(test::kernelTaking(1), "a");
  const Proposal b = test::makeProposal(test::kernelTaking(2), "b");
  auto first =
      std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{{a}, {}, {}});
  auto second =
      std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{{b}, {b}, {}});
  first->complaints = "down";
  CombinedProposer both(std::move(first), std::move(second));
  const SampleTurn sample;
  EXPECT_THAT(*both.propose(sample.view(1)), SizeIs(2));
  EXPECT_THAT(*both.propose(sample.view(2)), SizeIs(1));
  EXPECT_THAT(*both.propose(sample.view(3)), IsEmpty());
  EXPECT_EQ(both.complaint(), "down");
  CombinedProposer again(
      std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{}),
      std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{}));
  again.restoreMemory(both.memory());
  EXPECT_EQ(again.conversation(), "turns 1 2 3turns 1 2 3");
}

TEST(CombinedProposer, EndsWhenBothHaveEnded) {
  const auto ending = [](const std::string& first, const std::string& second) {
    auto one = std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{});
    auto two = std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{});
    one->end = first;
    two->end = second;
    return CombinedProposer(std::move(one), std::move(two)).ended();
  };
  EXPECT_EQ(ending("all was tried", ""), "");
  EXPECT_EQ(ending("", "the cap"), "");
  EXPECT_EQ(ending("all was tried", "the cap"), "all was tried; the cap");
}

}  // namespace
}  // namespace hone::kernel
