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

/// The view of a turn on a small kernel.
class Situation {
 public:
  Situation() {
    task_.name = "scale";
    task_.shape.sizes = {{"N", 1000}};
    task_.shape.flops = 1000;
    analysis_.findings = {{Side::memory, "it walks by columns", "line 7", "loop-order", 0.5}};
    Tried tried;
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
  std::vector<Tried> tried_;
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

TEST(LlmPrompt, HasAllThatHelps) {
  const Situation situation;
  const std::string prompt = promptFor(situation.view(), {});
  EXPECT_THAT(prompt, AllOf(HasSubstr("it must be right for other sizes, too"),
                            Not(HasSubstr("fixed sizes"))));
  EXPECT_THAT(prompt,
              AllOf(HasSubstr("Task: scale"), HasSubstr("N = 1000"), HasSubstr("1.25x"),
                    HasSubstr("it walks by columns"), HasSubstr("Along rows"), HasSubstr("int b;"),
                    HasSubstr("unrolled: compile_failed: line 3: expected ';'"),
                    HasSubstr("tiled: right, 1.25x"), HasSubstr("4 candidates"),
                    HasSubstr("extern \"C\" void kernel(const float* X"),
                    Not(HasSubstr("could not be used"))));
  const std::vector<std::string> refused = {"it has no function kernel(...)"};
  EXPECT_THAT(promptFor(situation.view(), refused), HasSubstr("- it has no function kernel"));
}

TEST(LlmProposer, ProposesWhatTheModelSays) {
  ChatServer server({says(kAnswer, 1000, 200)});
  LlmProposer proposer = proposerAt(server.base(), {ChatPrice{2, 8}, {}, 900});
  const Situation situation;
  const auto proposals = proposer.propose(situation.view());
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
              AllOf(HasSubstr("it walks by columns"), HasSubstr("quick();"),
                    HasSubstr("Refused: candidate 2: it has no function kernel")));
}

TEST(LlmProposer, TellsTheModelWhatWasRefused) {
  ChatServer server({says(kAnswer)});
  LlmProposer proposer = proposerAt(server.base());
  const Situation situation;
  ASSERT_TRUE(proposer.propose(situation.view(1)));
  ASSERT_TRUE(proposer.propose(situation.view(2)));
  const std::string second = server.requests().at(1).body["messages"][0]["content"];
  EXPECT_THAT(second, HasSubstr("- candidate 2: it has no function kernel"));
}

TEST(LlmProposer, ABadAnswerCostsATurn) {
  const Situation situation;
  for (const auto& [answer, says] : std::vector<std::pair<test::Scripted, std::string>>{
           {says("I would use AVX-512."), "only prose"},
           {says(""), "empty"},
           {says(std::string(2U << 20U, 'x')), "cut off"},
           {says("```cpp\nint main() {}\n```"), "another file"},
           {fails(500), "500"},
           {fails(429), "429"},
           {{200, "<html>", {}, false}, "no chat completion"}}) {
    ChatServer server({answer});
    LlmProposer proposer = proposerAt(server.base());
    const auto proposals = proposer.propose(situation.view());
    ASSERT_TRUE(proposals) << proposals.error().message;
    EXPECT_THAT(*proposals, IsEmpty());
    EXPECT_THAT(proposer.complaint(), HasSubstr(says));
    EXPECT_EQ(proposer.ended(), "");
  }
}

TEST(LlmProposer, AWrongKeyEndsTheRun) {
  ChatServer server({fails(401)});
  LlmProposer proposer = proposerAt(server.base());
  const Situation situation;
  EXPECT_FALSE(proposer.propose(situation.view()));
}

TEST(LlmProposer, KeepsToTheSpendingCap) {
  ChatServer server({says(kAnswer, 1'000, 1'000)});
  // A thousand tokens out are $0.01.
  LlmProposer proposer = proposerAt(server.base(), {ChatPrice{0, 10}, 0.025, {}});
  const Situation situation;
  EXPECT_THAT(*proposer.propose(situation.view()), SizeIs(1));
  EXPECT_THAT(*proposer.propose(situation.view()), SizeIs(1));
  EXPECT_THAT(*proposer.propose(situation.view()), SizeIs(1));
  EXPECT_THAT(*proposer.propose(situation.view()), IsEmpty());
  EXPECT_EQ(proposer.ended(), "the spending cap of $0.0250 is reached");
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(3));
  EXPECT_EQ(requests[0].body["max_tokens"], 2500);
  EXPECT_EQ(requests[1].body["max_tokens"], 1500);
  EXPECT_EQ(requests[2].body["max_tokens"], 500) << "no answer can cost more than is left";
}

TEST(LlmProposer, RemembersInAnotherProcess) {
  ChatServer server({says(kAnswer, 10, 20)});
  LlmProposer first = proposerAt(server.base());
  const Situation situation;
  ASSERT_TRUE(first.propose(situation.view()));
  LlmProposer second = proposerAt(server.base());
  second.recall(first.memory());
  EXPECT_EQ(second.conversation(), first.conversation());
  EXPECT_EQ(second.used(), first.used());
  EXPECT_EQ(second.memory(), first.memory());
}

TEST(LlmProposer, TheKeyIsNowhere) {
  ChatServer server({says("my key is " + std::string(kKey)), fails(400, kKey)});
  LlmProposer proposer = proposerAt(server.base());
  const Situation situation;
  for (int turn = 0; turn < 2; ++turn) {
    ASSERT_TRUE(proposer.propose(situation.view()));
    for (const std::string& text : {proposer.conversation(), proposer.memory().dump(),
                                    proposer.complaint(), proposer.spent()}) {
      EXPECT_THAT(text, Not(HasSubstr(kKey)));
    }
  }
}

TEST(CombinedProposer, ShareATurn) {
  const Proposal a = test::proposalOf(test::kernelOf(1), "a");
  const Proposal b = test::proposalOf(test::kernelOf(2), "b");
  auto first =
      std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{{a}, {}, {}});
  auto second =
      std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{{b}, {b}, {}});
  first->complaints = "down";
  CombinedProposer both(std::move(first), std::move(second));
  const Situation situation;
  EXPECT_THAT(*both.propose(situation.view(1)), SizeIs(2));
  EXPECT_THAT(*both.propose(situation.view(2)), SizeIs(1));
  EXPECT_THAT(*both.propose(situation.view(3)), IsEmpty());
  EXPECT_EQ(both.complaint(), "down");
  CombinedProposer again(
      std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{}),
      std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{}));
  again.recall(both.memory());
  EXPECT_EQ(again.conversation(), "turns 1 2 3turns 1 2 3");
}

TEST(CombinedProposer, HaveEndedWhenBothHave) {
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
