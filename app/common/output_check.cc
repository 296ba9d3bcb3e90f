#include "app/common/output_check.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace hone::app {
namespace {

namespace fs = std::filesystem;

/// A value of an option on the command line.
struct GivenValue {
  std::string option;  ///< "--output"; "PROGRAM" of an argument
  std::string value;
};

struct GivenFiles {
  std::vector<GivenValue> outputs;
  std::vector<GivenValue> inputs;
};

bool isOutput(const CLI::Option& option) {
  return std::ranges::any_of(option.get_lnames(), [](const std::string& name) {
    return name == "output" || name == "html" || name == "junit";
  });
}

/// Collects the values of a command and its parsed subcommands.
void collectFiles(const CLI::App& command, GivenFiles& files) {
  for (const CLI::Option* option : command.get_options()) {
    std::vector<GivenValue>& all = isOutput(*option) ? files.outputs : files.inputs;
    for (const std::string& value : option->results()) {
      if (option->get_name() != "--store" && !value.empty()) {
        all.push_back({option->get_name(), value});
      }
    }
  }
  for (const CLI::App* child : command.get_subcommands()) {
    collectFiles(*child, files);
  }
}

/// Returns true if both paths lead to one regular file, or to one place without a file.
bool isSameFile(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) || fs::exists(b, error)) {
    return fs::is_regular_file(a, error) && fs::equivalent(a, b, error) && !error;
  }
  const auto place = [&](const fs::path& path) {
    return fs::weakly_canonical(fs::absolute(path, error), error);
  };
  const fs::path first = place(a);
  return !error && first == place(b) && !error;
}

/// Returns true if the value names the file: "FILE", "4xf32=@FILE" or "scope=FILE".
bool namesFile(const std::string& value, const fs::path& file) {
  const std::size_t mark = value.find_last_of("@=");
  return isSameFile(file, value) ||
         (mark != std::string::npos && isSameFile(file, value.substr(mark + 1)));
}

}  // namespace

Result<void> checkOutputs(const CLI::App& app, const Context& context) {
  GivenFiles files;
  collectFiles(app, files);
  for (auto output = files.outputs.begin(); output != files.outputs.end(); ++output) {
    if (isSameFile(output->value, context.store)) {
      return userError("{} {} is the store; choose another file", output->option, output->value);
    }
    std::error_code ignored;
    for (const GivenValue& input : files.inputs) {
      if (fs::exists(output->value, ignored) && namesFile(input.value, output->value)) {
        return userError("{} {} is also an input ({}); choose another file", output->option,
                         output->value, input.option);
      }
    }
    for (auto other = files.outputs.begin(); other != output; ++other) {
      if (isSameFile(other->value, output->value)) {
        return userError("{} and {} write to the same file {}; choose another one", other->option,
                         output->option, output->value);
      }
    }
  }
  return {};
}

}  // namespace hone::app
