#include "app/kernel/kernel_new.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/process/subprocess.h"
#include "base/text/json.h"
#include "base/text/text.h"
#include "kernel/propose/plain_kernel.h"
#include "kernel/turns/first_kernel.h"
#include "store/records.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;
using kernel::Language;

struct NewOptions {
  OptimizeCommandOptions optimize;
  std::string language;
  std::string output;
};

/// Returns examples of complete kernels in the language, which show its form to the model.
std::vector<kernel::Example> examplesFor(const KernelCommand& command, const kernel::Task& task,
                                         Language language) {
  if (!command.examples || command.options.ragK == 0) {
    return {};
  }
  auto found = command.examples->search(task.name, kernel::nameOf(language), command.options.ragK);
  return found ? *std::move(found) : std::vector<kernel::Example>();
}

/// Plain kernels of a reference, or the reason why there are none.
struct PlainKernels {
  std::vector<kernel::Source> sources;
  std::string missing;
};

/// Translates a Python reference operator by operator, in the Python that has torch.
Result<PlainKernels> translatePython(const kernel::JudgeOptions& judging, const kernel::Task& task,
                                     Language language) {
  if (judging.python.empty()) {
    return PlainKernels{{}, "no Python with torch found to read the reference"};
  }
  constexpr std::chrono::minutes kTimeout{5};
  const Finished ran = HONE_TRY(
      runCommand({{judging.python.string(), "-B", pythonScript("hone_plain_kernel.py").string(),
                   task.pytorch.string(), std::string(kernel::nameOf(language))},
                  {},
                  {kTimeout, 0}}));
  const std::string_view out = trim(ran.out);
  const auto answer = nlohmann::json::parse(out.substr(out.rfind('\n') + 1), nullptr, false);
  if (!ran.ending.ok() || !answer.is_object()) {
    return PlainKernels{{}, fmt::format("hone_plain_kernel.py failed ({})", ran.ending.describe())};
  }
  if (answer.contains("missing")) {
    return PlainKernels{{}, answer.value("missing", "")};
  }
  return PlainKernels{{{language, task.name, answer.value("code", ""), {}}}, ""};
}

Result<PlainKernels> findPlainKernels(const kernel::JudgeOptions& judging, const kernel::Task& task,
                                      Language language, std::string_view reference) {
  return language == Language::cpp && !task.inPython()
             ? Result<PlainKernels>(PlainKernels{kernel::plainKernels(task, reference), ""})
             : translatePython(judging, task, language);
}

/// Describes why no candidate is a kernel.
std::string describeFailures(const kernel::FirstKernel& first, const std::string& missing) {
  const std::string last =
      first.failures.empty()
          ? first.complaint
          : fmt::format("{}: {}", model::nameOf(first.failures.back().judged.outcome),
                        first.failures.back().judged.message);
  return last.empty() ? fmt::format("{}; use --model to have one written", missing)
                      : fmt::format("no correct kernel found ({})", last);
}

Result<void> checkReference(const fs::path& reference, Language language) {
  fs::path python = reference;
  python.replace_extension(".py");
  std::error_code code;
  if (!fs::is_regular_file(reference, code)) {
    return userError("no reference {} found", reference.string());
  }
  if (language == Language::tilelang && !fs::is_regular_file(python, code)) {
    return userError("a TileLang kernel needs a Python reference; no file {} found",
                     python.string());
  }
  return {};
}

Result<int> createNew(const Context& context, const NewOptions& given) {
  NewOptions options = given;
  const fs::path reference = options.optimize.reference;
  const Language language = languageForNew(options.language, reference);
  HONE_CHECK(checkReference(reference, language));
  HONE_CHECK(options.optimize.proposer.resolveGuidance(""));
  const fs::path file =
      options.output.empty() ? kernelFileFor(reference, language) : fs::path(options.output);
  std::error_code code;
  if (fs::exists(file, code)) {
    return userError("{} exists; use -o to write another file", file.string());
  }
  options.optimize.kernel = file.string();
  Progress progress(context.quiet || context.json);
  const auto command = HONE_TRY(startKernelCommand(context, options.optimize, progress));
  const NewKernel created = HONE_TRY(writeNewKernel(*command, reference, file));
  progress.finish();
  if (context.json) {
    const nlohmann::json json = {{"kernel", created.file.string()},
                                 {"by", created.file.empty() ? ""
                                        : created.byModel    ? "model"
                                                             : "plain"},
                                 {"message", created.message},
                                 {"spent", created.spent}};
    fmt::print("{}\n", jsonText(json, 2));
  } else {
    fmt::print("{}\n", created.message);
    if (!created.spent.empty()) {
      fmt::print("model: {}\n", created.spent);
    }
    if (!created.file.empty()) {
      fmt::print("written: {}\nnext: hone kernel optimize --kernel {}\n", created.file.string(),
                 created.file.string());
    }
  }
  return created.file.empty() ? 1 : 0;
}

}  // namespace

fs::path kernelFileFor(const fs::path& reference, Language language) {
  constexpr std::string_view kEnding = ".reference";
  std::string stem = reference.stem().string();
  if (stem.ends_with(kEnding)) {
    stem.resize(stem.size() - kEnding.size());
  } else if (stem == "reference") {
    stem = "kernel";
  } else {
    stem += "_kernel";
  }
  return reference.parent_path() / (stem + (language == Language::cpp ? ".cc" : ".py"));
}

Language languageForNew(const std::string& given, const fs::path& reference) {
  const Language own = reference.extension() == ".py" ? Language::tilelang : Language::cpp;
  return kernel::languageFrom(given).value_or(own);
}

Result<NewKernel> writeNewKernel(KernelCommand& command, const fs::path& reference,
                                 const fs::path& file) {
  const kernel::JudgeOptions& judging = command.bench.judge;
  const Language language = file.extension() == ".py" ? Language::tilelang : Language::cpp;
  const std::string text = HONE_TRY(readFile(reference));
  auto task = HONE_TRY(kernel::readTask(reference, judging));
  auto judge = HONE_TRY(kernel::Judge::open(std::move(task), judging));
  kernel::RealKernelJudge kernelJudge(judge);
  std::unique_ptr<kernel::Proposer> proposer;
  if (command.options.proposer.usesModel()) {
    proposer = HONE_TRY(command.proposers.proposer(command.spent));
  }
  kernel::FirstKernelRequest request{.kernelJudge = kernelJudge,
                                     .language = language,
                                     .reference = text,
                                     .proposer = proposer.get(),
                                     .plain = {},
                                     .examples = examplesFor(command, judge.task(), language),
                                     .repairs = command.options.repairs,
                                     .progress = command.progress};
  PlainKernels plain = HONE_TRY(findPlainKernels(judging, judge.task(), language, text));
  request.plain = std::move(plain.sources);
  const kernel::FirstKernel first = HONE_TRY(kernel::createKernel(request));
  NewKernel created;
  if (proposer != nullptr) {
    created.spent = proposer->spent();
    command.spent += proposer->cost();
    if (!command.options.noSave) {
      HONE_CHECK(makeFolder(command.options.logs));
      HONE_CHECK(writeFile(fs::path(command.options.logs) /
                               fmt::format("dspy_history_{}_new.txt", judge.task().name),
                           proposer->conversation()));
    }
  }
  if (!first.kernel) {
    created.message = describeFailures(first, plain.missing);
    return created;
  }
  HONE_CHECK(writeFile(file, first.kernel->source.text));
  created.file = file;
  created.byModel = first.byModel;
  created.message = fmt::format(
      "{} is correct: {}", file.filename().string(),
      first.byModel ? fmt::format("written by the model, {} candidate{} failed before",
                                  first.failures.size(), first.failures.size() == 1 ? "" : "s")
                    : std::string("a plain kernel, one loop nest per step of the reference"));
  return created;
}

void addKernelNewCommand(CLI::App& kernel, Context& context) {
  auto options = std::make_shared<NewOptions>();
  CLI::App* command = kernel.add_subcommand("new", "Write a first correct kernel for a reference");
  command->add_option("--reference", options->optimize.reference, "Reference: a .cc or .py file")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("--language", options->language,
                   "Language of the kernel (default: that of the reference)")
      ->check(CLI::IsMember({"cpp", "tilelang"}));
  command
      ->add_option("-o,--output", options->output,
                   "Kernel to write (default: NAME.cc or NAME.py for NAME.reference.…)")
      ->type_name("FILE");
  command
      ->add_option("--repairs", options->optimize.repairs,
                   "Requests to correct a failed kernel of a language model")
      ->check(CLI::Range(0, 20))
      ->capture_default_str();
  command
      ->add_option("--rag-k", options->optimize.ragK, "Number of technique examples for the model")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  options->optimize.proposer.addTo(*command);
  options->optimize.bench.addTo(*command);
  command->add_option("--logs", options->optimize.logs, "Folder for the conversation")
      ->type_name("DIR")
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  hone kernel new --reference softmax.reference.cc\n"
      "  hone kernel new --reference level2/2_10.reference.py --model openai/o3\n"
      "  hone kernel new --reference softmax.reference.py --language cpp \\\n"
      "      --api-base http://localhost:8080/v1\n"
      "Without a model, a plain kernel is derived from the reference.\n"
      "Exit code 1: no kernel is correct.");
  command->callback([&context, options] {
    context.action = [&context, options] { return createNew(context, *options); };
  });
}

}  // namespace hone::app
