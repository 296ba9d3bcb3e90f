#include "report/pages/test_run_document.h"

namespace hone::report {
namespace {

using model::Outcome;
using model::Stage;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

using KernelDocument = RunDocumentTest;

TEST_F(KernelDocument, ShowsTurnsDiffAndConversation) {
  const json exchange = {{"turn", 1}, {"prompt", "make it fast"}, {"answer", "here it is"}};
  const json turn = {{"turn", 1},
                     {"decided", true},
                     {"best", "k1"},
                     {"best_speedup", 4},
                     {"speedups", {{"k0", 1}, {"k1", 4}}},
                     {"memory", json::array({nullptr, json::array({exchange})})},
                     {"analysis",
                      {{"category", "critical"},
                       {"share_of_roofline", 0.06},
                       {"roofline_ns", 1000},
                       {"findings", {{{"what", "a division"}, {"weight", 0.5}}}}}}};
  begin("kernel", {{"kernels", {{"", json::array({turn})}}}});
  const auto source = [](const std::string& text, int at) {
    return json{{"kernel", {{"source", text}, {"name", "softmax"}, {"techniques", {"hoisting"}}}},
                {"turn", at}};
  };
  addTrial("k0", source("a\nb\n", 0), {80, 80}, Stage::final);
  addTrial("k1", source("a\nc\n", 1), {20, 20}, Stage::final);
  addTrial("k2", source("x\n", 1), {}, Stage::screen, Outcome::mismatch);
  addTrial("the original, again", json::object(), {81, 79});
  const json shown = finish(
      {{"kernel", "softmax"},
       {"improved", true},
       {"best", "hoisted"},
       {"why", "the target is reached"},
       {"confirmed",
        {{"original",
          {{"low", 3.9}, {"speedup", 4}, {"high", 4.1}, {"rounds", 20}, {"verdict", "improved"}}},
         {"original_ns", 80},
         {"best_ns", 20}}}});
  EXPECT_EQ(headline(shown), "softmax is 4.00x as fast: 80.0 ns → 20.0 ns.");
  const json story = part(shown, "Speedup per turn");
  EXPECT_EQ(story["series"][0]["y"], json({1, 4})) << "best so far";
  EXPECT_EQ(story["note"], "2 candidates; 1 failed and has no time: see the table.");
  EXPECT_EQ(part(shown, "Candidates")["rows"], 3);
  EXPECT_THAT(part(shown, "Changes of the winner")["text"].get<std::string>(),
              AllOf(HasSubstr("\n-b\n"), HasSubstr("\n+c\n")));
  const json talk = part(shown, "Conversation with the model");
  EXPECT_EQ(talk["folded"], true);
  EXPECT_THAT(talk["text"].get<std::string>(),
              AllOf(HasSubstr("make it fast"), HasSubstr("here it is")));
  EXPECT_EQ(part(shown, "Analysis")["tabs"][0]["parts"][0]["rows"], 1);
  EXPECT_EQ(part(shown, "Winner and original: time per round")["series"].size(), 3U);
}

TEST_F(KernelDocument, UnfinishedKernelShowsLastTurn) {
  const json turns = {{{"turn", 1}, {"decided", true}, {"best_speedup", 4}},
                      {{"turn", 2}, {"decided", false}}};
  begin("kernel", {{"kernels", {{"", turns}}}});
  EXPECT_THAT(lines(document()),
              AllOf(HasSubstr("The kernel: 4.00x as fast after turn 1, not confirmed yet."),
                    testing::Not(HasSubstr("\"\""))));
  begin("kernel", {{"kernels", {{"", json::array()}}}});
  EXPECT_EQ(document()["answer"]["lines"].size(), 1U) << "only how to resume";
}

}  // namespace
}  // namespace hone::report
