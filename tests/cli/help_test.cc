#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/text.h"
#include "tests/cli/cli.h"
#include "tests/source_folder.h"

namespace hone::test {
namespace {

using testing::HasSubstr;

struct Page {
  std::vector<std::string> verb;
  std::vector<std::string> mentions;
};

class Help : public testing::TestWithParam<Page> {};

TEST_P(Help, HasExamplesAndMentionsEveryOption) {
  Sandbox box;
  std::vector<std::string> arguments = GetParam().verb;
  std::string command = "  hone";
  for (const std::string& word : arguments) {
    command += " " + word;
  }
  arguments.emplace_back("--help");
  const CommandResult ran = box.hone(arguments);
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("Examples:"));
  EXPECT_THAT(ran.out, HasSubstr("--quiet")) << "global options are on every page";
  for (const std::string& line : splitAt(ran.out, '\n')) {
    EXPECT_LE(characterCount(line), 80u) << line;
  }
  EXPECT_THAT(ran.out, HasSubstr(command)) << "no example of the command";
  for (const std::string& option : GetParam().mentions) {
    EXPECT_THAT(ran.out, HasSubstr(option));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Verbs, Help,
    testing::Values(
        Page{{},
             {"--store", "HONE_STORE", "--iree", "--json", "-q, --quiet", "--version", "doctor",
              "bench", "workload", "runs", "report", "0 success", "1 negative result",
              "2 invalid input", "3 machine error", "130 interrupted"}},
        Page{{"doctor"}, {"Exit code 3"}},
        Page{{"bench"}, {"PROGRAM",       "--function",   "--input",           "--dim",
                         "--input-range", "--parameters", "--providers",       "--vs",
                         "--configs",     "--flags-a",    "--flags-b",         "--flags ",
                         "--rounds",      "--margin",     "--budget",          "--seed",
                         "--target",      "--device",     "--compile-timeout", "--run-timeout",
                         "Exit code 1"}},
        Page{{"workload"}, {"show", "head", "split", "--strict", "exit code is 2"}},
        Page{{"workload", "show"}, {"FILE", "--strict", "--json"}},
        Page{{"workload", "head"}, {"FILE", "N ", "-o, --output", "--strict", "--json"}},
        Page{{"workload", "split"}, {"FILE", "DIR", "-o, --output", "--strict"}},
        Page{{"split", "merge"}, {"RESULTS", "-o, --output", "DIR", "Exit code 2"}},
        Page{{"verify"}, {"FOLDER", "--prune", "--rounds", "Exit code 1"}},
        Page{{"spec"}, {"show", "check", "merge", "apply"}},
        Page{{"spec", "show"}, {"SPEC", "--json"}},
        Page{{"spec", "check"}, {"SPEC", "PROGRAM", "--target", "Exit code 1"}},
        Page{{"spec", "merge"}, {"A ", "B ", "-o, --output", "--prefer", "Exit code 1"}},
        Page{{"spec", "apply"}, {"PROGRAM", "--spec", "-o, --output", "Exit code 1"}},
        Page{{"kernel"}, {"list-slow", "new", "optimize", "examples", "redteam"}},
        Page{{"kernel", "new"},
             {"--reference", "--language", "-o, --output", "--repairs", "--model", "Exit code 1"}},
        Page{{"kernel", "redteam"}, {"NAMES", "--run-timeout", "Exit code 1"}},
        Page{{"kernel", "list-slow"}, {"DIR", "--threshold", "--kernels", "--gpu"}},
        Page{{"kernel", "optimize"},
             {"-k, --kernel",
              "--all-slow",
              "--target-speedup",
              "--max-iterations",
              "--min-improvement",
              "--model",
              "--temperature",
              "--rag-k",
              "--gpu",
              "--device",
              "--no-save",
              "--verbose",
              "--proposer",
              "--api-base",
              "--max-cost",
              "--price",
              "--max-tokens",
              "--candidates",
              "--repairs",
              "--guidance",
              "--threads",
              "--seed",
              "--budget",
              "--reference",
              "--rounds",
              "--logs"}},
        Page{{"kernel", "examples"}, {"WORDS", "--technique", "--language", "--show"}},
        Page{{"tune"},
             {"--executor", "--partition", "--gres", "--nodes", "--account", "--compile-nodes",
              "--sbatch-arg", "--shared", "--settings"}},
        Page{{"profile"}, {"FILE", "--providers", "--verification-enabled", "Exit code 1"}},
        Page{{"generate"}, {"FILE", "--kind", "--generated-dir", "--configs"}},
        Page{{"compile"}, {"--generated-dir", "--dispatches", "--force", "Exit code 1"}},
        Page{{"split"},
             {"quick", "full", "analyze", "merge", "test-optimized", "apply", "annotate"}},
        Page{{"split", "quick"}, {"WORKLOAD", "--limits", "--results", "Exit code 1"}},
        Page{{"split", "full"}, {"WORKLOAD", "--limits", "--results", "Exit code 1"}},
        Page{{"split", "analyze"}, {"RESULTS"}},
        Page{{"split", "test-optimized"},
             {"WORKLOAD", "--results", "--iree-source", "Exit code 1"}},
        Page{{"split", "apply"}, {"--source", "--ladder", "-o, --output", "Exit code 2"}},
        Page{{"split", "annotate"}, {"PROGRAM", "-o, --output", "--limits", "Exit code 1"}},
        Page{{"worker"}, {"FOLDER", "--only-compile"}},
        Page{{"report"}, {"RUN", "-o, --output", "--csv", "--json", "Also write the run"}},
        Page{{"runs"}, {"--limit", "--json", "show", "export", "resume", "[COMMAND]"}},
        Page{{"runs", "show"}, {"RUN", "--json"}},
        Page{{"runs", "export"}, {"RUN", "--csv", "--json", "-o, --output"}},
        Page{{"runs", "resume"}, {"RUN"}},
        Page{{"compare"},
             {"BEFORE", "AFTER", "--other-store", "--margin", "--limit", "--html", "--json",
              "Exit code 1"}},
        Page{{"serve"}, {"--port", "--address", "--token-from", "Ctrl-C"}},
        Page{{"completions"}, {"SHELL", "bash", "zsh", "fish"}}, Page{{"man"}, {}}),
    [](const auto& info) {
      std::string name = info.param.verb.empty() ? "hone" : "";
      for (const std::string& word : info.param.verb) {
        name += word;
      }
      std::erase(name, '-');
      return name;
    });

TEST(HelpText, DocumentsEveryExitCode) {
  const std::string text = readFile(sourceFolder() / "docs/exit-codes.md").value();
  for (const char* row : {"| 0 |", "| 1 |", "| 2 |", "| 3 |", "| 130 |"}) {
    EXPECT_THAT(text, HasSubstr(row));
  }
}

TEST(HelpText, SuggestsNearestCommandAndOption) {
  Sandbox box;
  expectError(box.hone({"tun", "x.mlir"}), 2, {"unknown command 'tun'", "did you mean `tune`?"});
  expectError(box.hone({"tune", "x.mlir", "--bugdet=1m"}), 2,
              {"unknown option '--bugdet'", "did you mean `--budget`?", "hone tune --help"});
  expectError(box.hone({"tune", "x.mlir", "--qiet"}), 2, {"did you mean `--quiet`?"});
  expectError(box.hone({"runs", "shwo"}), 2, {"did you mean `show`?"});
}

TEST(HelpText, PrintsVersionOnOneLine) {
  Sandbox box;
  const CommandResult ran = box.hone({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

}  // namespace
}  // namespace hone::test
