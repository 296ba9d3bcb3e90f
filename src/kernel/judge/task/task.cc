#include "kernel/judge/task/task.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "base/file.h"
#include "kernel/judge/execution/runnable.h"
#include "kernel/judge/judge.h"
#include "kernel/judge/task/reference_text.h"
#include "kernel/worker/worker.h"

namespace hone::kernel {
namespace {

namespace fs = std::filesystem;

bool isFile(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

bool isPython(const fs::path& file) { return file.extension() == ".py"; }

/// Returns "softmax" for softmax.reference.cc, and the name of the folder for reference.cc.
std::string taskName(const fs::path& reference) {
  const std::string stem = reference.stem().string();
  constexpr std::string_view kEnding = ".reference";
  if (stem.ends_with(kEnding)) {
    return stem.substr(0, stem.size() - kEnding.size());
  }
  const std::string folder = fs::absolute(reference).parent_path().filename().string();
  return stem == "reference" && !folder.empty() ? folder : stem;
}

/// Returns the Python form next to a C++ reference; "" if there is none.
fs::path findPyTorchReference(const fs::path& reference) {
  fs::path python = reference;
  python.replace_extension(".py");
  return isFile(python) ? python : fs::path();
}

Result<std::vector<Argument>> argumentsFrom(const nlohmann::json& list, const fs::path& file) {
  std::vector<Argument> arguments;
  for (const nlohmann::json& entry : list) {
    auto type = model::tensorTypeFrom(entry.at("type").get<std::string>());
    if (!type) {
      return within(file.string(), std::move(type).error());
    }
    arguments.push_back({entry.at("name").get<std::string>(), *std::move(type)});
  }
  return arguments;
}

Result<Shape> shapeFrom(const nlohmann::json& body, const fs::path& file) {
  Shape shape;
  try {
    shape.inputs = HONE_TRY(argumentsFrom(body.at("inputs"), file));
    const auto parameters = HONE_TRY(argumentsFrom(body.at("parameters"), file));
    shape.inputs.insert(shape.inputs.end(), parameters.begin(), parameters.end());
    shape.parameters = parameters.size();
    shape.outputs = HONE_TRY(argumentsFrom(body.at("outputs"), file));
    shape.flops = body.value("flops", 0.0);
  } catch (const nlohmann::json::exception& error) {
    return machineError("Python worker protocol error: {}", error.what());
  }
  return shape;
}

using SizeList = decltype(Shape::sizes);

/// Asks a Python worker for the arguments of the model with these values of its constants.
Result<Shape> askForShape(const fs::path& reference, const JudgeOptions& options,
                          const SizeList& sizes) {
  const ScratchFolder scratch = HONE_TRY(ScratchFolder::create("hone-task"));
  const WorkerCommand command = HONE_TRY(pythonCommand(options, scratch.path() / "worker"));
  Worker worker = HONE_TRY(Worker::start(command));
  const Reply reply = HONE_TRY(
      worker.ask(TaskRequest{.reference = fs::absolute(reference).string(), .constants = sizes},
                 options.limits.wall));
  if (!reply.ok()) {
    return userError("{}: {}", reference.string(), reply.message);
  }
  Shape shape = HONE_TRY(shapeFrom(reply.body, reference));
  shape.sizes = sizes;
  return shape;
}

/// Reads a Python reference and its other shapes.
Result<Task> pythonTask(const fs::path& reference, const JudgeOptions& options) {
  Task task;
  const std::string text = HONE_TRY(readFile(reference));
  const PythonNotes notes = HONE_TRY(parsePythonNotes(text, reference.string()));
  task.shape = HONE_TRY(askForShape(reference, options, {}));
  task.shape.flops = notes.flops.value_or(task.shape.flops);
  for (const SizeList& sizes : notes.others) {
    task.others.push_back(HONE_TRY(askForShape(reference, options, sizes)));
  }
  task.pytorch = fs::absolute(reference);
  return task;
}

}  // namespace

bool Task::inPython() const { return isPython(reference); }

std::vector<decltype(Shape::sizes)> Task::otherSizes() const {
  std::vector<SizeList> sizes;
  for (const Shape& other : others) {
    sizes.push_back(other.sizes);
  }
  return sizes;
}

double Shape::bytes() const {
  double total = 0;
  for (const auto* list : {&inputs, &outputs}) {
    for (const Argument& argument : *list) {
      total += static_cast<double>(argument.type.bytes());
    }
  }
  return total;
}

Result<fs::path> findReference(const fs::path& kernel, const fs::path& given) {
  if (!given.empty()) {
    return isFile(given) ? Result<fs::path>(given)
                         : userError("no reference {} found", given.string());
  }
  if (!isFile(kernel)) {
    return userError("no kernel file {} found", kernel.string());
  }
  const fs::path folder = kernel.parent_path();
  const std::string name = kernel.stem().string();
  std::vector<std::string> endings = {".cc", ".py"};
  if (isPython(kernel)) {
    endings = {".py"};
  }
  for (const std::string& stem : {name + ".reference", std::string("reference")}) {
    for (const std::string& ending : endings) {
      if (isFile(folder / (stem + ending))) {
        return folder / (stem + ending);
      }
    }
  }
  return userError("no reference found for {}: expected {} or {} next to it; use --reference FILE",
                   kernel.string(), name + ".reference" + endings.front(),
                   "reference" + endings.front());
}

Result<Task> readTask(const fs::path& reference, const JudgeOptions& options) {
  Task task;
  if (isPython(reference)) {
    if (!isFile(reference)) {
      return userError("no reference {} found", reference.string());
    }
    task = HONE_TRY(pythonTask(reference, options));
  } else {
    const std::string text = HONE_TRY(readFile(reference));
    task = HONE_TRY(taskFromReference(text, reference.string()));
    if (const fs::path python = findPyTorchReference(reference); !python.empty()) {
      task.pytorch = fs::absolute(python);
    }
  }
  task.reference = fs::absolute(reference);
  task.name = taskName(reference);
  return task;
}

}  // namespace hone::kernel
