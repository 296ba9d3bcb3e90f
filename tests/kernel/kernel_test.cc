// End-to-end tests of `hone kernel` on a needlessly slow kernel, with a scripted language model on
// loopback.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "base/process/subprocess.h"
#include "base/text/text.h"
#include "tests/kernel/kernel_box.h"

namespace hone::test {
namespace {

using kernel::test::fails;
using kernel::test::says;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

TEST_F(Kernel, VerifiesAndWritesGoodResponse) {
  const ChatServer server({says("let me think"), says(goodAnswer(), 700, 90)});
  const CommandResult ran = box_.hone(
      ask(server, {"--json", "--price", "1,2", "--max-iterations", "2", "--repairs", "0"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = ran.json();
  EXPECT_EQ(json["improved"], true) << ran.out;
  EXPECT_EQ(json["best"], "the mean once a row");
  EXPECT_EQ(json["turns"][0]["complaint"],
            "no candidate in the answer of the model: no fenced code block found");
  EXPECT_EQ(json["spent"], "2 requests, 800 tokens in, 110 out, $0.0010");
  ASSERT_THAT(optimizedFiles(), SizeIs(1));
  const std::string kernel = readFile(optimizedFiles()[0]).value();
  EXPECT_THAT(kernel, AllOf(HasSubstr("// Optimized by hone"), HasSubstr(kFast)));
  const nlohmann::json turns = history();
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_EQ(turns[1]["evaluation"][0]["outcome"], "ok");
  EXPECT_THAT(turns[1]["code_changes"][0]["diff"], HasSubstr("+++ b/mean.cc"));
  EXPECT_TRUE(turns[1].contains("bottleneck_analysis"));
  const std::string talk =
      readFile(box_.work() / "results/multiturn_logs/dspy_history_mean.txt").value();
  EXPECT_THAT(talk, AllOf(HasSubstr("let me think"), HasSubstr("the mean once a row")));
  EXPECT_EQ(server.requests().at(0).authorization, std::string("Bearer ") + kKey);
  EXPECT_THAT(filesWithTheKey(), IsEmpty());
  EXPECT_THAT(ran.out + ran.err, Not(HasSubstr(kKey)));

  const CommandResult examples =
      box_.hone({"kernel", "examples", "mean", "once", "a", "row", "--json"});
  EXPECT_EQ(examples.json()[0]["title"], "mean: the mean once a row") << "wins become examples";
}

TEST_F(Kernel, WastesTurnOnWrongResponse) {
  const std::string wrong =
      "extern \"C\" void kernel(const float* X, float* Y, long R, long C) {}\n";
  const ChatServer server(
      {says("### Candidate 1: broken\n" +
            fenced("#include <cstdint>\nextern \"C\" void kernel(const float* X, float* Y, "
                   "std::int64_t R, std::int64_t C) { oops }\n") +
            "### Candidate 2: empty\n" +
            fenced("#include <cstdint>\nextern \"C\" void kernel(const float* X, float* Y, "
                   "std::int64_t R, std::int64_t C) {}\n")),
       says(fenced(wrong))});
  const CommandResult ran = box_.hone(ask(server, {"--max-iterations", "2", "--repairs", "0"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("none of the 2 turns had a correct candidate"),
                             HasSubstr("no candidate was faster than the original"),
                             Not(HasSubstr("in a row gained less"))));
  EXPECT_THAT(optimizedFiles(), IsEmpty());
  const nlohmann::json turns = history();
  ASSERT_EQ(turns.size(), 2U);
  EXPECT_EQ(turns[0]["evaluation"][0]["outcome"], "compile_failed");
  EXPECT_EQ(turns[0]["evaluation"][1]["outcome"], "mismatch");
  EXPECT_THAT(turns[1]["complaint"], HasSubstr("expected kernel("));
  EXPECT_THAT(lastMessage(server.requests().at(1).body),
              AllOf(HasSubstr("broken: compile_failed: "), HasSubstr("oops")))
      << "the model gets the errors";
}

TEST_F(Kernel, EndsWithCodeThreeWithoutServer) {
  std::string base;
  {
    const ChatServer gone({says("never")});
    base = gone.base();
  }
  const std::vector<std::string> arguments =
      optimize({"--api-base", base, "--model", "tiny", "-q", "--no-save"});
  expectError(box_.hone(arguments), 3, {"no answer from the language model", base});
  const ChatServer refusing({fails(400, "we do not serve kernels")});
  expectError(box_.hone(ask(refusing, {"-q"})), 3, {"400: we do not serve kernels"});
}

TEST_F(Kernel, KeepsGainIfServerDiesLater) {
  const ChatServer server({says(goodAnswer()), fails(400, "maintenance")});
  const CommandResult ran = box_.hone(ask(server, {"--target-speedup", "100000"}));
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.err, HasSubstr("maintenance"));
  EXPECT_THAT(ran.out, HasSubstr("stopped: no answer from the language model"));
  EXPECT_THAT(optimizedFiles(), SizeIs(1)) << ran.out;
}

TEST_F(Kernel, SendsGuidance) {
  const auto guidanceOf = [&](const std::vector<std::string>& options) {
    const ChatServer server({says(goodAnswer())});
    std::vector<std::string> all = {"--max-iterations", "1", "--no-save", "-q"};
    all.insert(all.end(), options.begin(), options.end());
    EXPECT_EQ(box_.hone(ask(server, all)).code, 0);
    const std::string prompt = server.requests().at(0).body["messages"][0]["content"];
    const auto at = prompt.find("## Guidance\n");
    return at == std::string::npos ? ""
                                   : prompt.substr(at + 12, prompt.find('\n', at + 12) - at - 12);
  };
  EXPECT_EQ(guidanceOf({}), "");
  EXPECT_EQ(guidanceOf({"--guidance", "Focus on memory coalescing"}), "Focus on memory coalescing");
  box_.write("hints.md", "Use two accumulators.\n");
  EXPECT_EQ(guidanceOf({"--guidance", "hints.md"}), "Use two accumulators.");
  box_.write("hone.toml", "[kernel]\nguidance = \"hints.md\"\n");
  EXPECT_EQ(guidanceOf({}), "Use two accumulators.");
  EXPECT_EQ(guidanceOf({"--guidance", "Only this"}), "Only this");
  box_.write("hone.toml", "[kernel]\nguide = 1\n");
  expectError(box_.hone(optimize({"--model", "tiny", "-q"})), 2, {"hone.toml:2", "guide"});
}

TEST_F(Kernel, StopsAtRejectedKey) {
  const ChatServer server({fails(401, std::string("no such key: ") + kKey)});
  const CommandResult ran = box_.hone(ask(server, {"-q"}));
  expectError(ran, 2, {"rejected the key in OPENAI_API_KEY", "[key]"});
  EXPECT_THAT(filesWithTheKey(), IsEmpty());
}

TEST_F(Kernel, ContinuesAfterKillWithoutRepeatedRequest) {
  // The second response never comes: the run is killed while it waits.
  kernel::test::Scripted silent;
  silent.never = true;
  const ChatServer server({says(goodAnswer()), silent, says("no ideas")});
  const auto arguments =
      ask(server, {"--max-iterations", "2", "--target-speedup", "100000", "--repairs", "0"});
  {
    Process process = box_.start(arguments);
    ASSERT_TRUE(eventually([&] { return server.requests().size() == 2; }));
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait().code, 128 + SIGKILL);
  }
  const std::int64_t trials = box_.countStoredTrials(1);
  EXPECT_EQ(trials, 2) << "the original and one candidate";
  EXPECT_TRUE(box_.allProcessesEnd());
  const CommandResult ran = box_.hone(arguments);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("resuming run 1"));
  EXPECT_THAT(server.requests(), SizeIs(3)) << "only the lost turn is repeated";
  EXPECT_EQ(box_.countStoredTrials(1), trials + 1) << "plus the twin of the original";
  EXPECT_THAT(optimizedFiles(), SizeIs(1));
}

TEST_F(Kernel, SearchesWithoutNetwork) {
  const CommandResult ran =
      box_.hone(optimize({"--max-iterations", "1", "--candidates", "3", "--json"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = ran.json();
  EXPECT_GE(json["candidates"], 1);
  EXPECT_EQ(json["spent"], "");
  EXPECT_EQ(history().size(), 1U);
  EXPECT_FALSE(fs::exists(box_.work() / "results/multiturn_logs/dspy_history_mean.txt"));
}

TEST_F(Kernel, NoSaveWritesNothing) {
  const ChatServer server({says(goodAnswer())});
  const CommandResult ran = box_.hone(ask(server, {"--no-save", "--max-iterations", "1"}));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(optimizedFiles(), IsEmpty());
  EXPECT_FALSE(fs::exists(box_.work() / "results"));
}

TEST_F(Kernel, RejectsInvalidOriginalKernel) {
  box_.write("bad.cc",
             "#include <cstdint>\nextern \"C\" void kernel(const float* X, float* Y, "
             "std::int64_t R, std::int64_t C) { Y[0] = 1; }\n");
  box_.write("bad.reference.cc", kReference);
  box_.write("broken.cc",
             "#include <cstdint>\nextern \"C\" void kernel(const float* X, float* Y, "
             "std::int64_t R, std::int64_t C) { oops }\n");
  box_.write("broken.reference.cc", kReference);
  box_.write("alone.cc", kSlow);
  expectError(box_.hone({"kernel", "optimize", "-k", "bad.cc", "-q"}), 2,
              {"bad computes wrong results"});
  expectError(box_.hone({"kernel", "optimize", "-k", "broken.cc", "-q"}), 2,
              {"broken does not compile"});
  expectError(box_.hone({"kernel", "optimize", "-k", "alone.cc", "-q"}), 2, {"alone.cc"});
}

TEST_F(Kernel, ListsSlowKernelsAndReusesResults) {
  box_.write("alone.cc", kSlow);
  box_.write("wrong.cc",
             "#include <cstdint>\nextern \"C\" void kernel(const float* X, "
             "float* Y, std::int64_t R, std::int64_t C) {}\n");
  box_.write("wrong.reference.cc", kReference);
  const std::vector<std::string> list = {"kernel", "list-slow", "--json"};
  const nlohmann::json first = box_.hone(list).json();
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(first[0]["kernel"], "mean.cc");
  EXPECT_EQ(first[0]["problem"], "");
  EXPECT_GT(first[0]["time_ns"], 0);
  EXPECT_EQ(first[1]["kernel"], "alone.cc");
  EXPECT_THAT(first[1]["problem"], HasSubstr("reference"));
  EXPECT_EQ(first[2]["kernel"], "wrong.cc");
  EXPECT_THAT(first[2]["problem"], HasSubstr("mismatch"));
  EXPECT_GE(box_.countStoredTrials(1), 2);
  EXPECT_EQ(first[0]["compared_with"], "roofline");
  const nlohmann::json second = box_.hone(list).json();
  EXPECT_EQ(second, first);
  EXPECT_EQ(box_.countStoredTrials(2), 1) << "only failures are measured again";
}

TEST_F(Kernel, ComparesWithRooflineWithoutPyTorch) {
  const auto list = [&](const std::string& threshold) {
    return box_.hone({"kernel", "list-slow", "--threshold", threshold, "-q"}).out;
  };
  EXPECT_THAT(list("0.99"), AllOf(HasSubstr("1 of 1 kernels are slow: below 99 % of the roofline"),
                                  HasSubstr("PyTorch was not measured"), HasSubstr("mean.cc")));
  EXPECT_THAT(list("0.000001"), HasSubstr("0 of 1 kernels are slow: below 0 % of the roofline"));
}

TEST_F(Kernel, OptimizesSeveralKernelsAtOnce) {
  std::vector<Process> processes;
  for (const char* name : {"a", "b", "c"}) {
    box_.write(std::string(name) + ".cc", kSlow);
    box_.write(std::string(name) + ".reference.cc", kReference);
    processes.push_back(
        box_.start({"kernel", "optimize", "-k", std::string(name) + ".cc", "--max-iterations", "1",
                    "--candidates", "2", "--rounds", "5", "--json"}));
  }
  for (Process& process : processes) {
    const CommandResult ran = process.wait();
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_GE(ran.json()["candidates"], 1) << ran.out;
  }
  const nlohmann::json runs = box_.hone({"runs", "--json"}).json().at("runs");
  ASSERT_EQ(runs.size(), 3U);
  for (std::int64_t run = 1; run <= 3; ++run) {
    EXPECT_EQ(runs[static_cast<std::size_t>(run - 1)]["status"], "finished");
    EXPECT_GE(box_.countStoredTrials(run), 3) << "the original, a candidate, the original again";
  }
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_TRUE(fs::exists(box_.work() / fmt::format("results/multiturn_logs/"
                                                     "optimization_history_{}.json",
                                                     name)));
  }
}

TEST_F(Kernel, FitsListToTerminalOnly) {
  const std::string name =
      "a_kernel_with_a_name_that_is_far_too_long_for_a_table_in_a_terminal_of_80.cc";
  box_.write(name, kSlow);
  box_.write(name.substr(0, name.size() - 3) + ".reference.cc", kReference);
  const std::vector<std::string> list = {"kernel", "list-slow", "--threshold", "1000", "--quiet"};
  const CommandResult piped = box_.hone(list);
  ASSERT_EQ(piped.code, 0) << piped.err;
  EXPECT_THAT(piped.out, HasSubstr(" " + name + " "));
  const std::string script = findProgram("script");
  if (script.empty()) {
    GTEST_SKIP() << "script(1) is not installed";
  }
  const std::string command =
      fmt::format("cd '{}' && '{}' --store '{}' {}", box_.work().string(), box_.program().string(),
                  box_.store().string(), join(list, " "));
  const Finished shown =
      runCommand({{script, "-qec", command, "/dev/null"}, {}, {std::chrono::minutes(5), 0}})
          .value();
  ASSERT_TRUE(shown.ending.ok()) << shown.out;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("mean.cc"), HasSubstr("a_kernel_with"), HasSubstr("...")));
  std::string out = shown.out;
  std::erase(out, '\r');
  expectTablesFit({0, out, ""});
}

TEST_F(Kernel, OptimizesAllSlowKernels) {
  box_.write("other/mean2.cc", kFast);
  box_.write("other/mean2.reference.cc", kReference);
  box_.write("other/wrong.cc",
             "#include <cstdint>\nextern \"C\" void kernel(const float* X, "
             "float* Y, std::int64_t R, std::int64_t C) {}\n");
  box_.write("other/wrong.reference.cc", kReference);
  const ChatServer server({says(goodAnswer())});
  const CommandResult ran = box_.hone({"kernel", "optimize", "--all-slow", "--threshold", "1000000",
                                       "--api-base", server.base(), "--model", "tiny",
                                       "--max-iterations", "1", "--rounds", "5", "--json"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const nlohmann::json json = ran.json();
  ASSERT_TRUE(json.contains("mean.cc")) << ran.out;
  EXPECT_EQ(json["mean.cc"]["improved"], true);
  EXPECT_FALSE(json.contains("other/wrong.cc"));
}

TEST_F(Kernel, ResumesBatchWithAnotherKey) {
  box_.write("mean2.cc", kSlow);
  box_.write("mean2.reference.cc", kReference);
  const ChatServer server({fails(401, "no such key"), says(goodAnswer())});
  const std::vector<std::string> batch = {
      "kernel",     "optimize",    "--all-slow", "--threshold", "1000000",
      "--api-base", server.base(), "--model",    "tiny",        "--max-iterations",
      "1",          "--rounds",    "5",          "--json"};
  expectError(box_.hone(batch), 2, {"rejected the key in OPENAI_API_KEY"});
  EXPECT_THAT(server.requests(), SizeIs(1)) << "stops before the second kernel";
  const CommandResult again = box_.hone(batch);
  ASSERT_EQ(again.code, 0) << again.err;
  const nlohmann::json json = again.json();
  for (const char* name : {"mean.cc", "mean2.cc"}) {
    ASSERT_TRUE(json.contains(name)) << again.out;
    EXPECT_FALSE(json[name].contains("error")) << json[name].dump();
  }
  EXPECT_EQ(box_.countStoredTrials(2), 0) << "the same run is resumed";
}

TEST_F(Kernel, RejectsInvalidOptions) {
  for (const auto& [more, says] :
       std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>>{
           {{"optimize"}, {"--kernel FILE, --all-slow or --reference FILE"}},
           {{"new"}, {"--reference"}},
           {{"optimize", "-k", "maen.cc"},
            {"no kernel file maen.cc found", "did you mean mean.cc?"}},
           {{"optimize", "-k", "mean.cc", "--gpu", "H100"}, {"no H100 found"}},
           {{"optimize", "-k", "mean.cc", "--gpu", "Voodoo2"}, {"--gpu"}},
           {{"optimize", "-k", "mean.cc", "--device", "cuda"}, {"no CUDA device"}},
           {{"optimize", "-k", "mean.cc", "--budget", "soon"}, {"soon"}},
           {{"optimize", "-k", "mean.cc", "--api-base", "ftp://x"}, {"http://"}},
           {{"optimize", "-k", "mean.cc", "--model", "own", "--max-cost", "1"}, {"--price"}},
           {{"optimize", "-k", "mean.cc", "--price", "x,y"}, {"price", "'x,y'"}},
           {{"optimize", "-k", "mean.cc", "--guidance", "use AVX"}, {"--guidance", "--model"}},
           {{"optimize", "-k", "mean.cc", "--model", "own", "--guidance", "missing.md"},
            {"no file missing.md found"}},
           {{"optimize", "-k", "mean.cc", "--proposer", "search", "--model", "own"},
            {"--proposer search uses no language model"}},
           {{"list-slow", "nowhere"}, {"nowhere"}},
           {{"examples", "--show", "nothing"}, {"no example 'nothing'"}}}) {
    std::vector<std::string> arguments = {"kernel"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    SCOPED_TRACE(testing::PrintToString(arguments));
    expectError(box_.hone(arguments), 2, says);
  }
  box_.setVariable("OPENAI_API_KEY", "");
  expectError(box_.hone(optimize({"--model", "openai/o3"})), 2, {"OPENAI_API_KEY"});
}

/// A gather: rows of a table, selected by indices.
constexpr const char* kGatherReference = R"(#include <cstdint>
// hone: sizes N=64 VOCAB=300 D=32
// hone: other N=5 VOCAB=3 D=9
// hone: input table f32 VOCABxD
// hone: input ids i32 N in 0..VOCAB
// hone: output Y f32 NxD
extern "C" void reference(const double* table, const double* ids, double* Y, std::int64_t N,
                          std::int64_t VOCAB, std::int64_t D) {
  for (std::int64_t i = 0; i < N; ++i) {
    for (std::int64_t d = 0; d < D; ++d) {
      Y[i * D + d] = table[static_cast<std::int64_t>(ids[i]) * D + d];
    }
  }
}
)";

std::string gatherKernel(const std::string& row) {
  return "#include <cstdint>\nextern \"C\" void kernel(const float* table, const std::int32_t* "
         "ids, "
         "float* Y, std::int64_t N, std::int64_t VOCAB, std::int64_t D) {\n"
         "  for (std::int64_t i = 0; i < N; ++i) {\n    for (std::int64_t d = 0; d < D; ++d) {\n"
         "      Y[i * D + d] = table[" +
         row + " * D + d];\n    }\n  }\n}\n";
}

TEST_F(Kernel, JudgesGatherWithIndicesInRange) {
  const auto list = [&] { return box_.hone({"kernel", "list-slow", "gather", "--json"}).json(); };
  box_.write("gather/gather.reference.cc", kGatherReference);
  box_.write("gather/gather.cc", gatherKernel("ids[i]"));
  const nlohmann::json good = list();
  ASSERT_EQ(good.size(), 1U);
  EXPECT_EQ(good[0]["problem"], "");
  EXPECT_LE(good[0]["roofline_share"], 1);
  const CommandResult plain =
      box_.hone({"kernel", "new", "--reference", "gather/gather.reference.cc", "-o", "plain.cc"});
  EXPECT_EQ(plain.code, 0) << plain.out << plain.err;
  // Wrong only for the last row of the table.
  box_.write("gather/gather.cc", gatherKernel("(ids[i] < VOCAB - 1 ? ids[i] : 0)"));
  EXPECT_THAT(list()[0]["problem"], HasSubstr("mismatch"));
  std::string wide = kGatherReference;
  wide.replace(wide.find("0..VOCAB"), 8, "0..Q");
  box_.write("gather/gather.reference.cc", wide);
  EXPECT_THAT(list()[0]["problem"], HasSubstr("unknown size 'Q'"));
}

TEST_F(Kernel, ListsSearchesAndShowsExamples) {
  const CommandResult all = box_.hone({"kernel", "examples"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, AllOf(HasSubstr("packing-matmul"), HasSubstr("swizzle-tilelang")));
  const CommandResult some =
      box_.hone({"kernel", "examples", "--technique", "fusion", "--language", "cpp"});
  EXPECT_THAT(some.out, AllOf(HasSubstr("fusion-bias-relu"), Not(HasSubstr("tilelang"))));
  EXPECT_THAT(box_.hone({"kernel", "examples", "--show", "packing-matmul"}).out,
              AllOf(HasSubstr("before:"), HasSubstr("panel")));
  EXPECT_EQ(box_.hone({"kernel", "examples", "cached", "exp", "--json"}).json()[0]["name"],
            "cached-exp-softmax");
}

}  // namespace
}  // namespace hone::test
