#include "app/completions/completions.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/common/find_run.h"
#include "app/completions/completion_bash.h"
#include "app/completions/completion_fish.h"
#include "app/completions/completion_zsh.h"
#include "app/completions/man_page.h"
#include "base/text/text.h"

namespace hone::app {
namespace {

/// Replaces control characters: shells expect one line per run.
std::string onOneLine(std::string title) {
  std::ranges::replace_if(title, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return title;
}

/// Prints the newest runs for a shell to offer. Prints nothing if there is no store.
Result<int> printRuns(const Context& context) {
  constexpr std::int64_t kMaxOffered = 50;
  constexpr std::size_t kWidth = 60;
  const auto store = openStore(context);
  const auto runs = store ? store->listRuns(kMaxOffered) : std::vector<store::RunLine>();
  for (const store::RunLine& run : runs ? *runs : std::vector<store::RunLine>()) {
    fmt::print("{}\t{} {}\n", run.id, nameOf(run.status), shortened(onOneLine(run.title), kWidth));
  }
  return 0;
}

Result<int> printScript(const CLI::App& app, const std::string& shell) {
  const CommandHelp root = describeCommands(app);
  fmt::print("{}", shell == "bash"  ? bashCompletion(root)
                   : shell == "zsh" ? zshCompletion(root)
                                    : fishCompletion(root));
  return 0;
}

}  // namespace

void addCompletionsCommand(CLI::App& app, Context& context) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("completions", "Print a completion script for bash, zsh or fish");
  command->add_option("SHELL", *shell, "Shell, or `runs` to list runs for the scripts")
      ->check(CLI::IsMember({"bash", "zsh", "fish", "runs"}))
      ->required();
  command->footer(
      "Examples:\n"
      "  source <(hone completions bash)\n"
      "  hone completions bash > ~/.local/share/bash-completion/completions/hone\n"
      "  hone completions zsh > ~/.zfunc/_hone       a folder in fpath\n"
      "  hone completions fish > ~/.config/fish/completions/hone.fish");
  command->callback([&app, &context, shell] {
    context.action = [&app, &context, shell] {
      return *shell == "runs" ? printRuns(context) : printScript(app, *shell);
    };
  });
}

void addManCommand(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("man", "Print the manual page");
  command->footer(
      "Examples:\n"
      "  hone man | man -l -\n"
      "  hone man > ~/.local/share/man/man1/hone.1");
  command->callback([&app, &context] {
    context.action = [&app]() -> Result<int> {
      fmt::print("{}", manPage(describeCommands(app), HONE_VERSION));
      return 0;
    };
  });
}

}  // namespace hone::app
