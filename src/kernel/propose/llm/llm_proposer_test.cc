#include "kernel/propose/llm/llm_proposer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/chat/test_chat_server.h"
#include "kernel/propose/combined_proposer.h"
#include "kernel/propose/llm/llm_feedback.h"
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

std::string fullPrompt(const TurnView& view, const std::vector<std::string>& rejected = {},
                       const std::set<std::string>& shown = {}) {
  return briefing(view, "") + turnPrompt(view, {rejected, shown});
}

/// Returns the text of a message of a request; negative indices count from the end.
std::string messageOf(const ChatServer& server, std::size_t request, int index) {
  const auto messages = server.requests().at(request).body["messages"];
  const int count = static_cast<int>(messages.size());
  return messages.at(static_cast<std::size_t>(index < 0 ? count + index : index))["content"];
}

TEST(LlmPrompt, ContainsTaskAnalysisAndTrials) {
  const SampleTurn sample;
  const std::string prompt = fullPrompt(sample.view());
  EXPECT_THAT(prompt, AllOf(HasSubstr("It must be correct for other sizes, too"),
                            Not(HasSubstr("fixed sizes"))));
  EXPECT_THAT(prompt,
              AllOf(HasSubstr("Task: scale"), HasSubstr("N = 1000"), HasSubstr("1.25x"),
                    HasSubstr("strided access"), HasSubstr("Along rows"), HasSubstr("int b;"),
                    HasSubstr("unrolled: compile_failed: line 3: expected ';'"),
                    HasSubstr("tiled: correct, 1.25x"), HasSubstr("4 candidates"),
                    HasSubstr("extern \"C\" void kernel(const float* X"),
                    Not(HasSubstr("Unusable parts"))));
  EXPECT_THAT(fullPrompt(sample.view(), {"no function kernel(...) found"}),
              HasSubstr("- no function kernel"));
  EXPECT_THAT(fullPrompt(sample.view(), {}, {"ex"}),
              AllOf(HasSubstr("Shown before: Along rows"), Not(HasSubstr("int b;"))));
  EXPECT_THAT(briefing(sample.view(), "  Focus on memory.\n"),
              HasSubstr("## Guidance\nFocus on memory.\n"));
}

TEST(LlmPrompt, RequestsFirstKernelFromReference) {
  const SampleTurn sample;
  TurnView view = sample.view();
  view.reference = "extern \"C\" void reference(const double* X) {}\n";
  EXPECT_THAT(
      fullPrompt(view),
      AllOf(HasSubstr("Write a compute kernel"), HasSubstr("void reference(const double* X)"),
            HasSubstr("one candidate: a simple kernel"),
            HasSubstr("extern \"C\" void kernel(const float* X"), Not(HasSubstr("Current kernel")),
            Not(HasSubstr("faster\n"))));
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
  EXPECT_THAT(messageOf(server, 1, -1), HasSubstr("- candidate 2: no function kernel"));
}

/// Returns a judged proposal of the model's first answer.
JudgedProposal failedProposal(model::Outcome outcome, const std::string& message,
                              const std::string& diagnostics = "") {
  JudgedProposal tried;
  tried.proposal = {{Language::cpp, "scale", kCode + "\n", {}}, "quick", {}, ""};
  tried.judged.outcome = outcome;
  tried.judged.message = message;
  tried.judged.diagnostics = diagnostics;
  tried.turn = 2;
  return tried;
}

TEST(LlmProposer, SendsFailuresBackWithCodeAndError) {
  ChatServer server({says(kAnswer), says("```cpp\n" + kCode + " // right\n```")});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  ASSERT_TRUE(proposer.propose(sample.view()));
  const std::vector<JudgedProposal> failed = {failedProposal(
      model::Outcome::mismatch, "Y[7] is 3, expected 4; 9 of 1000 elements are wrong")};
  const auto repaired = proposer.repair(sample.view(), failed);
  ASSERT_TRUE(repaired && *repaired) << proposer.complaint();
  ASSERT_THAT(**repaired, SizeIs(1));
  EXPECT_THAT((*repaired)->front().source.text, HasSubstr("// right"));
  EXPECT_THAT(messageOf(server, 1, 1), HasSubstr("### Candidate 1: quick")) << "its own answer";
  EXPECT_THAT(
      messageOf(server, 1, -1),
      AllOf(HasSubstr("Failed: quick"), HasSubstr("Y[7] is 3, expected 4"), HasSubstr(kCode),
            HasSubstr("candidate 2: no function kernel"), HasSubstr("with 2 candidates")));
  EXPECT_EQ(*proposer.repair(sample.view(), {}), std::nullopt) << "nothing left to correct";
}

TEST(LlmProposer, RepairsOnlyItsOwnCandidatesOfTheTurn) {
  ChatServer server({says("```cpp\n" + kCode + "\n```")});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  JudgedProposal other = failedProposal(model::Outcome::mismatch, "wrong");
  EXPECT_EQ(*proposer.repair(sample.view(), {&other, 1}), std::nullopt) << "before any answer";
  ASSERT_TRUE(proposer.propose(sample.view(1)));
  EXPECT_EQ(*proposer.repair(sample.view(2), {&other, 1}), std::nullopt) << "of another turn";
  other.proposal.source.text += "// of the search\n";
  EXPECT_EQ(*proposer.repair(sample.view(1), {&other, 1}), std::nullopt);
  EXPECT_THAT(server.requests(), SizeIs(1));
}

TEST(LlmProposer, AsksAgainAfterUnusableAnswer) {
  ChatServer server({says("I would use AVX-512."), says(""), says(kAnswer)});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  EXPECT_THAT(*proposer.propose(sample.view()), IsEmpty());
  EXPECT_THAT(**proposer.repair(sample.view(), {}), IsEmpty());
  EXPECT_THAT(proposer.complaint(), HasSubstr("empty"));
  EXPECT_THAT(**proposer.repair(sample.view(), {}), SizeIs(1));
  EXPECT_THAT(messageOf(server, 1, -1), HasSubstr("no fenced code block found"));
  EXPECT_THAT(messageOf(server, 2, -1),
              AllOf(HasSubstr("empty answer"), HasSubstr("Current kernel")));
  EXPECT_EQ(server.requests()[2].body["messages"].size(), 3U) << "without the empty exchange";
}

TEST(LlmProposer, NamesTokenLimitOfTruncatedAnswer) {
  ChatServer server({test::saysUntilLimit("```cpp\nvoid kern"), says(kAnswer)});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  EXPECT_THAT(*proposer.propose(sample.view()), IsEmpty());
  EXPECT_THAT(proposer.complaint(), HasSubstr("truncated"));
  EXPECT_THAT(**proposer.repair(sample.view(), {}), SizeIs(1));
  EXPECT_THAT(messageOf(server, 1, -1), HasSubstr("fewer or shorter candidates"));
}

TEST(LlmProposer, ContinuesConversationAcrossTurns) {
  ChatServer server({says("<think>\nhm\n</think>\n" + kAnswer)});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  for (std::size_t turn = 1; turn <= 3; ++turn) {
    ASSERT_TRUE(proposer.propose(sample.view(turn)));
  }
  const auto messages = server.requests().at(2).body["messages"];
  ASSERT_EQ(messages.size(), 5U);
  EXPECT_THAT(messageOf(server, 2, 0), AllOf(HasSubstr("Task: scale"), HasSubstr("int b;")));
  EXPECT_EQ(messages[1]["role"], "assistant");
  EXPECT_THAT(messageOf(server, 2, 1), AllOf(HasSubstr("quick();"), Not(HasSubstr("hm\n"))));
  EXPECT_THAT(messageOf(server, 2, 4),
              AllOf(HasSubstr("Current kernel"), Not(HasSubstr("Task: scale")),
                    HasSubstr("Shown before: Along rows")));
}

TEST(LlmProposer, SumsUpTurnsBeyondContext) {
  // The context has room for the first message and an answer, but not for a conversation.
  std::int64_t first = 0;
  ChatServer server([&](const nlohmann::json& body) {
    std::vector<ChatMessage> messages;
    for (const nlohmann::json& one : body["messages"]) {
      messages.push_back({ChatMessage::Role::user, one["content"].get<std::string>()});
    }
    const std::int64_t tokens = guessTokens(messages);
    first = std::max(first, messages.size() == 1 ? tokens : 0);
    return messages.size() == 1
               ? says(kAnswer)
               : fails(400,
                       fmt::format("This model's maximum context length is {} tokens. However, "
                                   "your messages resulted in {} tokens.",
                                   (first + tokens) / 2 * 4 / 3, 2 * tokens));
  });
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  for (std::size_t turn = 1; turn <= 3; ++turn) {
    const auto proposals = proposer.propose(sample.view(turn));
    ASSERT_TRUE(proposals) << proposals.error().message;
    EXPECT_THAT(*proposals, SizeIs(1));
  }
  const auto requests = server.requests();
  ASSERT_THAT(requests, SizeIs(4));
  EXPECT_EQ(requests[1].body["messages"].size(), 3U) << "refused";
  ASSERT_EQ(requests[2].body["messages"].size(), 1U);
  EXPECT_THAT(messageOf(server, 2, 0),
              AllOf(HasSubstr("Task: scale"), HasSubstr("tiled: correct, 1.25x")));
  EXPECT_EQ(requests[3].body["messages"].size(), 1U) << "the limit is known now";
}

TEST(LlmProposer, FailsIfKernelExceedsContext) {
  ChatServer server({fails(400, "request (900 tokens) exceeds the available context size (100)")});
  LlmProposer proposer = proposerAt(server.base());
  const SampleTurn sample;
  const auto proposals = proposer.propose(sample.view());
  ASSERT_FALSE(proposals);
  EXPECT_EQ(proposals.error().fault, Fault::machine);
  EXPECT_THAT(proposals.error().message,
              HasSubstr("does not fit into the context of tiny (100 tokens)"));
}

TEST(LlmProposer, EndsWithoutServer) {
  const SampleTurn sample;
  for (const auto& [answer, message] : std::vector<std::pair<test::Scripted, std::string>>{
           {fails(500, "out of memory"), "500: out of memory"},
           {fails(429, "too many"), "429: too many"},
           {fails(400, "no tools"), "400: no tools"}}) {
    ChatServer server({answer});
    LlmProposer proposer = proposerAt(server.base());
    const auto proposals = proposer.propose(sample.view());
    ASSERT_FALSE(proposals);
    EXPECT_EQ(proposals.error().fault, Fault::machine);
    EXPECT_THAT(proposals.error().message,
                AllOf(HasSubstr("no answer from the language model"), HasSubstr(message)));
  }
}

TEST(LlmProposer, RequestsAtMostWhatTheModelCanWrite) {
  // Two dollars buy 249,393 tokens of o3, which writes at most 100,000 at once.
  ChatServer server({says(kAnswer)});
  ChatOptions options;
  options.apiBase = server.base();
  options.model = "o3";
  LlmProposer proposer(ChatClient::make(options).value(), {ChatPrice{2, 8}, 2.0, {}});
  const SampleTurn sample;
  ASSERT_TRUE(proposer.propose(sample.view()));
  EXPECT_EQ(server.requests()[0].body["max_completion_tokens"], 100'000);
}

std::string describe(const JudgedProposal& tried) {
  Task task;
  task.shape.outputs = {{"Y", {}}};
  return describeFailure(task, tried);
}

TEST(LlmFeedback, KeepsCompilerMessagesAboutTheKernel) {
  const std::string own = "/tmp/x/0123456789abcdef0123456789abcdef.cc";
  const std::string text = describe(failedProposal(
      model::Outcome::compileFailed, "line 3: error: expected ';'",
      own + ": In function 'void kernel()':\n" + own + ":3:7: error: expected ';' before '}'\n" +
          "    3 | int a }\n      |      ^\n" + own + ":9:1: note: declared here\n" +
          "/etc/shadow:1:1: error: 'root' does not name a type\n" +
          "/usr/bin/ld: x.o: undefined reference to `work(int)'\n"));
  EXPECT_EQ(text,
            "It does not compile (compile_failed):\n- line 3: error: expected ';' before '}'\n"
            "- line 9: note: declared here\n- undefined reference to 'work(int)'\n");
}

TEST(LlmFeedback, PassesNoWordsOfTheKernel) {
  for (const char* words :
       {"kernel failed: threw an exception: the input is 3.14159", "kernel failed: secret",
        "kernel failed: writes past the end of its output SECRET",
        "kernel failed: process ended: the input is 7", "kernel failed: aborted SECRET"}) {
    EXPECT_EQ(describe(failedProposal(model::Outcome::runFailed, words, "printed: 3.14159")),
              "It does not run (run_failed).\n")
        << words;
  }
  EXPECT_THAT(describe(failedProposal(
                  model::Outcome::runFailed,
                  "kernel failed: writes past the end of its output Y (N=7, special values)")),
              HasSubstr("- writes past the end of its output Y (N=7, special values)\n"));
  EXPECT_THAT(describe(failedProposal(model::Outcome::invalid,
                                      "kernel failed: tried to mail the input home")),
              HasSubstr("- tried to use a forbidden system call\n"));
  EXPECT_THAT(describe(failedProposal(
                  model::Outcome::compileFailed, "kernel failed: it broke",
                  "File \"/tmp/0123456789abcdef0.py\", line 12, in f\nTypeError: SECRET")),
              HasSubstr("- TypeError in line 12\n"));
}

TEST(LlmFeedback, NamesRuleTimeAndPlace) {
  EXPECT_THAT(describe(failedProposal(model::Outcome::invalid, "line 4: starts a process (fork)",
                                      "line 4: starts a process (fork)\nline 9: reads a clock\n")),
              HasSubstr("- line 4: starts a process (fork)\n- line 9: reads a clock\n"));
  EXPECT_EQ(describe(failedProposal(model::Outcome::tooSlow, "2.50x the time of the best kernel")),
            "It is correct but too slow: 2.50x the time of the best kernel.\n");
  EXPECT_THAT(describe(failedProposal(model::Outcome::mismatch, "Y[3] is 1, expected 2")),
              HasSubstr("- Y[3] is 1, expected 2\n"));
}

TEST(LlmProposer, ContinuesAfterBadAnswer) {
  const SampleTurn sample;
  for (const auto& [answer, message] : std::vector<std::pair<test::Scripted, std::string>>{
           {says("I would use AVX-512."), "no fenced code block found"},
           {says(""), "empty"},
           {says(std::string(2U << 20U, 'x')), "exceeds 1024 KB"},
           {says("```cpp\nint main() {}\n```"), "no function kernel(...) found"},
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
    const auto proposals = proposer.propose(sample.view());
    EXPECT_EQ(proposals.has_value(), turn == 0) << "the server refuses the second request";
    if (!proposals) {
      EXPECT_THAT(proposals.error().message, Not(HasSubstr(kKey)));
    }
    for (const std::string& text : {proposer.conversation(), proposer.memory().dump(),
                                    proposer.complaint(), proposer.spent()}) {
      EXPECT_THAT(text, Not(HasSubstr(kKey)));
    }
  }
}

TEST(CombinedProposer, ForwardsRepairs) {
  const Proposal a = test::makeProposal(test::kernelTaking(1), "a");
  auto first = std::make_unique<test::ScriptedProposer>(std::vector<std::vector<Proposal>>{{a}});
  first->repairs = {{a}};
  CombinedProposer both(std::move(first), std::make_unique<test::ScriptedProposer>(
                                              std::vector<std::vector<Proposal>>{}));
  const SampleTurn sample;
  EXPECT_THAT(**both.repair(sample.view(1), {}), SizeIs(1));
  EXPECT_EQ(*both.repair(sample.view(1), {}), std::nullopt);
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
