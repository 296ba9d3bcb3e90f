#include "iree/compile/job/job_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace hone::iree {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Value>
Value sent(const Value& value) {
  return decode<Value>(encode(value)).value();
}

template <std::size_t... Index>
std::set<std::size_t> sentKinds(std::index_sequence<Index...> /*all*/) {
  return {sent(JobRequest(std::in_place_index<Index>)).index()...};
}

template <std::size_t... Index>
std::set<std::string_view> kindNames(std::index_sequence<Index...> /*all*/) {
  return {std::variant_alternative_t<Index, JobRequest>::kName...};
}

TEST(JobWire, KeepsTheKindOfEveryRequest) {
  constexpr std::size_t kKinds = std::variant_size_v<JobRequest>;
  EXPECT_EQ(sentKinds(std::make_index_sequence<kKinds>()).size(), kKinds);
  EXPECT_EQ(kindNames(std::make_index_sequence<kKinds>()).size(), kKinds);
}

TEST(JobWire, KeepsFileNamesThatAreNotUtf8) {
  JobStart start{.id = 7, .job = {}};
  start.job.source = "folder/\xff\xfe.mlir";
  start.job.from = kPhaseFlow;
  start.job.flags = {"--a", "--b=\xc0"};
  start.job.request = CompileVariantsJob{.variants = {{}, {{"^a$", "linalg.matmul", "x", "1"}}}};
  start.job.verifyIr = false;
  start.job.threads = true;
  start.job.output = "out";
  start.job.limits = {std::chrono::milliseconds(1500), 1U << 20U};
  const JobStart back = sent(start);
  EXPECT_EQ(back.id, 7U);
  EXPECT_EQ(back.job.source, start.job.source);
  EXPECT_EQ(back.job.from, start.job.from);
  EXPECT_EQ(back.job.flags, start.job.flags);
  EXPECT_EQ(std::get<CompileVariantsJob>(back.job.request).variants,
            std::get<CompileVariantsJob>(start.job.request).variants);
  EXPECT_FALSE(back.job.verifyIr);
  EXPECT_TRUE(back.job.threads);
  EXPECT_EQ(back.job.output, start.job.output);
  EXPECT_EQ(back.job.limits.wall, start.job.limits.wall);
  EXPECT_EQ(back.job.limits.memoryBytes, start.job.limits.memoryBytes);
}

TEST(JobWire, KeepsTheMembersOfRequests) {
  const auto assigned = std::get<ListConstraintsJob>(
      sent(JobRequest(ListConstraintsJob{.assignments = {{2, {{"wg_0", 64}}}}})));
  ASSERT_EQ(assigned.assignments.size(), 1U);
  EXPECT_EQ(assigned.assignments[0].constraints, 2U);
  EXPECT_EQ(assigned.assignments[0].values.at("wg_0"), 64);
  const auto split = std::get<CompileSplitsJob>(
      sent(JobRequest(CompileSplitsJob{.choices = {{}, {{}, {16, 4}}}})));
  EXPECT_THAT(split.choices, ElementsAre(SplitSizes{}, SplitSizes{{}, {16, 4}}));
  EXPECT_EQ(std::get<LowerModuleJob>(sent(JobRequest(LowerModuleJob{.to = kPhaseFlow}))).to,
            kPhaseFlow);
  EXPECT_TRUE(std::get<ListReductionsJob>(sent(JobRequest(ListReductionsJob{.compilersOwn = true})))
                  .compilersOwn);
}

TEST(JobWire, KeepsJobEnd) {
  Ending ending;
  ending.how = Ending::How::timedOut;
  ending.code = 9;
  ending.wallNs = 3;
  ending.cpuNs = 2;
  ending.maxRssBytes = 1;
  const JobEnd back = sent(JobEnd{.id = 5, .ending = ending, .serverCpuNs = 4});
  EXPECT_EQ(back.id, 5U);
  EXPECT_EQ(back.ending.how, Ending::How::timedOut);
  EXPECT_EQ(back.ending.code, 9);
  EXPECT_EQ(back.ending.wallNs, 3);
  EXPECT_EQ(back.ending.cpuNs, 2);
  EXPECT_EQ(back.ending.maxRssBytes, 1);
  EXPECT_EQ(back.serverCpuNs, 4);
}

TEST(JobWire, KeepsReplies) {
  const model::Problem matmul = model::Matmul{.m = 3, .n = 5, .k = 7};
  const auto functions = sent(ModuleDescription{
      {.name = "f", .inputs = {"i32"}, .results = {}, .from = kPhaseFlow, .problem = matmul},
      {.name = "g", .inputs = {}, .results = {"f32"}, .from = kPhaseStart, .problem = {}}});
  ASSERT_EQ(functions.size(), 2U);
  EXPECT_EQ(functions[0].problem, matmul);
  EXPECT_THAT(functions[0].inputs, ElementsAre("i32"));
  EXPECT_EQ(functions[0].from, kPhaseFlow);
  EXPECT_FALSE(functions[1].problem);
  EXPECT_THAT(functions[1].results, ElementsAre("f32"));

  RootMatcher matcher{.dispatch = "d", .root = {}, .body = "hash"};
  matcher.root.matched = {"contraction", "linalg.matmul", {"f32"}, {{"m", {512}}}};
  matcher.root.matcher = "match";
  matcher.root.exact = false;
  const auto matchers = sent(std::vector<RootMatcher>{matcher});
  ASSERT_EQ(matchers.size(), 1U);
  EXPECT_EQ(matchers[0].root.matched, matcher.root.matched);
  EXPECT_FALSE(matchers[0].root.exact);
  EXPECT_EQ(matchers[0].body, "hash");

  const SplitsByFunction splits = {{"f", {}}, {"g", {{8, 2}, {}}}};
  EXPECT_EQ(sent(splits), splits);

  model::RootOperation root;
  root.dispatch = "d";
  root.loops = {{-1, true}};
  EXPECT_THAT(sent(std::vector<model::RootOperation>{root}), ElementsAre(root));
}

TEST(JobWire, RejectsInvalidMessages) {
  EXPECT_FALSE(decode<JobEnd>(""));
  EXPECT_FALSE(decode<JobEnd>("{\"id\": 3}"));
  EXPECT_FALSE(decode<JobStart>(encode(ServerHello{.revision = "r", .error = ""})));
  const std::string whole = encode(ServerHello{.revision = "r", .error = ""});
  const auto cut = decode<ServerHello>(whole.substr(0, whole.size() - 1));
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().fault, Fault::machine);
  EXPECT_THAT(cut.error().message, HasSubstr("compile process"));
}

}  // namespace
}  // namespace hone::iree
