// Tests of the completions in real shells, and of the manual in groff.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/process/subprocess.h"
#include "base/text/text.h"
#include "store/store.h"
#include "tests/cli/cli.h"

namespace hone::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Asks a shell for the completions of a partial command line.
class Completions : public testing::Test {
 protected:
  void SetUp() override {
    store::Store store = store::Store::open(box_.store(), store::Store::Mode::write).value();
    for (const char* name : {"first.mlir", "second.mlir"}) {
      store::Run run;
      run.command = "bench";
      run.arguments = {"bench", name};
      ASSERT_TRUE(store.addRun(run));
    }
  }

  /// Runs a program with hone on its PATH; skips the test if it is not installed.
  [[nodiscard]] std::string run(std::vector<std::string> argv) {
    argv.front() = findProgram(argv.front());
    const std::string path =
        fmt::format("{}:{}", box_.program().parent_path().string(), std::getenv("PATH"));
    const Finished finished = runCommand({argv,
                                          {{"PATH", path},
                                           {"HOME", (box_.root() / "home").string()},
                                           {"XDG_DATA_HOME", (box_.root() / "data").string()},
                                           {"TERM", "dumb"}},
                                          {std::chrono::minutes(5), 0}})
                                  .value();
    EXPECT_EQ(finished.err, "");
    return finished.out;
  }
  [[nodiscard]] static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all = splitAt(trim(text), '\n');
    std::erase(all, "");
    return all;
  }

  Sandbox box_;
};

class BashCompletions : public Completions {
 protected:
  /// Calls the registered completion function as bash does.
  [[nodiscard]] std::vector<std::string> offered(const std::vector<std::string>& words) {
    std::string typed;
    for (const std::string& word : words) {
      typed += fmt::format(" '{}'", word);
    }
    const std::string script = fmt::format(
        "cd '{}'; source <(hone completions bash); [[ $(complete -p hone) == *'-F _hone hone' ]] "
        "|| echo unregistered; COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
        "_hone hone \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; "
        "printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        box_.work().string(), typed);
    return lines(run({"bash", "--norc", "-c", script}));
  }
};

TEST_F(BashCompletions, OfferCommandsOptionsValuesAndRuns) {
  EXPECT_THAT(offered({"hone", "be"}), ElementsAre("bench"));
  EXPECT_THAT(offered({"hone", ""}),
              AllOf(Contains("tune"), Contains("completions"), Not(Contains("kernel-worker")),
                    Not(Contains("--json"))));
  EXPECT_THAT(offered({"hone", "runs", ""}), ElementsAre("export", "resume", "show"));
  EXPECT_THAT(offered({"hone", "runs", "show", ""}), ElementsAre("1", "2"));
  EXPECT_THAT(offered({"hone", "compare", "1", ""}), ElementsAre("1", "2"));
  EXPECT_THAT(offered({"hone", "compare", "1", "2", ""}), IsEmpty());
  EXPECT_THAT(offered({"hone", "report", "1", ""}), ElementsAre("1", "2"));
  EXPECT_THAT(offered({"hone", "report", "1", "2", "-o", "x.html", ""}), ElementsAre("1", "2"));
  EXPECT_THAT(offered({"hone", "tune", "--str"}), ElementsAre("--strategy"));
  EXPECT_THAT(offered({"hone", "tune", "--strategy", ""}),
              ElementsAre("evolve", "exhaustive", "model", "random"));
  EXPECT_THAT(offered({"hone", "tune", "--strategy", "=", "ev"}), ElementsAre("evolve"));
  EXPECT_THAT(offered({"hone", "tune", "--sto"}), ElementsAre("--store")) << "a global option";
  EXPECT_THAT(offered({"hone", "--store", "runs", "bench", "--roun"}), ElementsAre("--rounds"))
      << "a value equal to a command name";
  EXPECT_THAT(offered({"hone", "--store", "/no/such.db", "report", ""}), IsEmpty());
  EXPECT_THAT(offered({"hone", "completions", "f"}), ElementsAre("fish"));
}

TEST_F(BashCompletions, NeverExecuteNames) {
  for (const char* name : {"$(touch pwned)", "`touch pwned`", "two words"}) {
    std::filesystem::create_directories(box_.work() / name);
  }
  EXPECT_THAT(offered({"hone", "workload", "split", "w.txt", "-o", ""}),
              testing::UnorderedElementsAre("$(touch pwned)", "`touch pwned`", "two words"));
  EXPECT_THAT(offered({"hone", "workload", "split", "w.txt", "-o", "tw"}),
              ElementsAre("two words"));
  store::Store store = store::Store::open(box_.store(), store::Store::Mode::write).value();
  store::Run run;
  run.command = "bench";
  run.arguments = {"bench", "a\n$(touch pwned)\tb"};
  ASSERT_TRUE(store.addRun(run));
  EXPECT_THAT(offered({"hone", "runs", "show", ""}), ElementsAre("1", "2", "3"));
  EXPECT_EQ(lines(box_.hone({"completions", "runs"}).out).size(), 3U) << "one line per run";
  EXPECT_FALSE(std::filesystem::exists(box_.work() / "pwned"));
}

const std::set<std::string> kCommandSections = {
    "Optimize:", "Measure:", "Inspect:", "Manage:", "Subcommands:"};

/// Options and commands listed by `--help`.
struct Listed {
  std::set<std::string> options;
  std::vector<std::string> commands;

  explicit Listed(const std::string& help) {
    std::string section;
    for (const std::string& line : splitAt(help, '\n')) {
      if (!line.starts_with(' ')) {
        section = line;
        continue;
      }
      std::vector<std::string> words = splitAt(trim(line), ' ');
      const std::size_t indent = line.find_first_not_of(' ');
      if (indent > 6) {
        continue;  // continuation of a description
      }
      if (words.front().starts_with('-')) {  // option groups have their own sections
        for (std::string word : words) {
          if (!word.starts_with('-')) {
            break;
          }
          std::erase(word, ',');
          options.insert(word);
        }
      } else if (kCommandSections.contains(section)) {
        commands.push_back(words.front());
      }
    }
  }
};

TEST_F(BashCompletions, MatchTheHelp) {
  const std::vector<std::string> ofProgram = offered({"hone", "-"});
  const std::set<std::string> common(ofProgram.begin(), ofProgram.end());
  std::vector<std::vector<std::string>> left = {{}};
  std::size_t pages = 0;
  for (; !left.empty(); ++pages) {
    const std::vector<std::string> path = left.back();
    left.pop_back();
    std::vector<std::string> asked = path;
    asked.emplace_back("--help");
    const Listed help(box_.hone(asked).out);
    std::vector<std::string> typed = {"hone"};
    typed.insert(typed.end(), path.begin(), path.end());
    const std::string shown = join(typed, " ");
    typed.emplace_back("-");
    std::set<std::string> wanted = help.options;
    wanted.insert(common.begin(), common.end());
    EXPECT_THAT(offered(typed), testing::UnorderedElementsAreArray(wanted)) << shown;
    EXPECT_FALSE(help.options.empty()) << shown;
    if (!help.commands.empty()) {
      typed.back() = "";
      EXPECT_THAT(offered(typed), testing::UnorderedElementsAreArray(help.commands)) << shown;
    }
    for (const std::string& command : help.commands) {
      left.push_back(path);
      left.back().push_back(command);
    }
  }
  EXPECT_GT(pages, 25U) << "includes subcommands";
}

class ZshCompletions : public Completions {
 protected:
  void SetUp() override {
    if (findProgram("zsh").empty()) {
      GTEST_SKIP() << "zsh is not installed";
    }
    Completions::SetUp();
  }

  /// Returns the lines after Tab in an interactive zsh, which inserts the first of several matches.
  [[nodiscard]] std::vector<std::string> completed(const std::vector<std::string>& typed) {
    box_.write("rc.zsh",
               "autoload -Uz compinit; compinit -u -D; setopt menu_complete; PS1=\n"
               "source <(hone completions zsh)\n"
               "show() { print -r -- \"line:${BUFFER}:end\"; BUFFER= }; zle -N show\n"
               "bindkey '^X' show; print ready:end\n");
    std::string script = fmt::format(
        "zmodload zsh/zpty; zpty shell zsh -f -i\n"
        "zpty -w shell 'source {}'; zpty -r shell heard '*ready:end*'\n",
        (box_.work() / "rc.zsh").string());
    for (const std::string& line : typed) {
      script += fmt::format(
          "zpty -w -n shell $'{}\\t\\C-x'; zpty -r shell heard '*line:*:end*'\n"
          "print -r -- ${{${{heard##*line:}}%%:end*}}\n",
          line);
    }
    box_.write("type.zsh", script + "zpty -d shell\n");
    std::vector<std::string> all;
    for (const std::string& line : lines(run({"zsh", "-f", (box_.work() / "type.zsh").string()}))) {
      all.emplace_back(trim(line));
    }
    return all;
  }
};

TEST_F(ZshCompletions, LoadWithoutErrors) {
  box_.write("hone.zsh", box_.hone({"completions", "zsh"}).out);
  const std::string file = (box_.work() / "hone.zsh").string();
  EXPECT_EQ(run({"zsh", "-n", file}), "") << "no syntax error";
  EXPECT_EQ(trim(run({"zsh", "-f", "-c",
                      "autoload -Uz compinit; compinit -u -D; source " + file +
                          "; print -r -- ${_comps[hone]}"})),
            "_hone");
}

TEST_F(ZshCompletions, CompleteCommandsOptionsValuesAndRuns) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"hone be", "hone bench"},
      {"hone runs sh", "hone runs show"},
      {"hone runs show ", "hone runs show 2"},  // the newest first
      {"hone compare 1 ", "hone compare 1 2"},
      {"hone report 1 2 ", "hone report 1 2 2"},
      {"hone tune --strat", "hone tune --strategy"},
      {"hone tune --strategy ex", "hone tune --strategy exhaustive"},
      {"hone tune --strategy=ex", "hone tune --strategy=exhaustive"},
      {"hone --store runs bench --roun", "hone --store runs bench --rounds"}};
  std::vector<std::string> typed;
  std::vector<std::string> wanted;
  for (const auto& [line, whole] : cases) {
    typed.push_back(line);
    wanted.push_back(whole);
  }
  EXPECT_EQ(completed(typed), wanted);
}

class FishCompletions : public Completions {
 protected:
  void SetUp() override {
    if (findProgram("fish").empty()) {
      GTEST_SKIP() << "fish is not installed";
    }
    Completions::SetUp();
  }

  [[nodiscard]] std::vector<std::string> offered(const std::string& line) {
    std::vector<std::string> words;
    for (const std::string& one :
         lines(run({"fish", "--no-config", "-c",
                    fmt::format("hone completions fish | source; complete -C '{}'", line)}))) {
      words.push_back(one.substr(0, one.find('\t')));
    }
    std::ranges::sort(words);
    return words;
  }
};

TEST_F(FishCompletions, OfferCommandsOptionsValuesAndRuns) {
  EXPECT_THAT(offered("hone be"), ElementsAre("bench"));
  EXPECT_THAT(offered("hone runs "), ElementsAre("export", "resume", "show"));
  EXPECT_THAT(offered("hone runs show "), ElementsAre("1", "2"));
  EXPECT_THAT(offered("hone compare 1 "), ElementsAre("1", "2"));
  EXPECT_THAT(offered("hone compare 1 2 "), IsEmpty());
  EXPECT_THAT(offered("hone report 1 2 "), ElementsAre("1", "2"));
  EXPECT_THAT(offered("hone tune --strategy "),
              ElementsAre("evolve", "exhaustive", "model", "random"));
  EXPECT_THAT(offered("hone tune --strat"), ElementsAre("--strategy"));
  EXPECT_THAT(offered("hone --store runs bench --roun"), ElementsAre("--rounds"));
  EXPECT_THAT(offered("hone --store /no/such.db report "), IsEmpty());
}

TEST(Man, FormatsWithoutWarnings) {
  const std::string groff = findProgram("groff");
  if (groff.empty()) {
    GTEST_SKIP() << "groff is not installed";
  }
  Sandbox box;
  const CommandResult ran = box.hone({"man"});
  ASSERT_EQ(ran.code, 0);
  EXPECT_TRUE(std::ranges::all_of(ran.out, [](unsigned char c) { return c < 0x80; }));
  box.write("hone.1", ran.out);
  const std::string file = (box.work() / "hone.1").string();
  const Finished checked =
      runCommand({{groff, "-man", "-ww", "-z", "-Tutf8", file}, {}, {}}).value();
  EXPECT_TRUE(checked.ending.ok());
  EXPECT_EQ(checked.err, "");
  const Finished page = runCommand({{groff, "-man", "-Tutf8", "-P-cbou", file}, {}, {}}).value();
  for (const char* text :
       {"hone - Make programs compiled with IREE faster, and prove it",
        "hone bench [OPTIONS] PROGRAM [-- FLAGS...]", "--strategy evolve|model|random|exhaustive",
        "HONE_STORE", "hone runs show [OPTIONS] RUN", "Default: 5%", "hone serve --port 0",
        "Exit code 1:"}) {
    EXPECT_THAT(page.out, HasSubstr(text));
  }
  EXPECT_THAT(page.out, Not(HasSubstr("kernel-worker")));
}

}  // namespace
}  // namespace hone::test
