#include "kernel/judge/input/call_tensors.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

namespace hone::kernel {

Result<CallTensors::Named> CallTensors::make(const std::filesystem::path& folder,
                                             const std::string& label, const Argument& argument,
                                             Placement placement, bool asDoubles) {
  model::TensorType type = argument.type;
  if (asDoubles) {
    type.element = model::ElementType::f64;
  }
  const std::string id = fmt::format("{}.{}", label, argument.name);
  auto tensor = HONE_TRY(SharedTensor::create(folder / id, type, placement));
  return Named{argument.name, id, std::move(tensor)};
}

Result<CallTensors> CallTensors::create(const std::filesystem::path& folder,
                                        const std::string& label, const Shape& shape,
                                        Placement placement, bool asDoubles) {
  CallTensors tensors;
  tensors.label_ = label;
  for (const Argument& input : shape.inputs) {
    tensors.inputs_.push_back(HONE_TRY(make(folder, label, input, placement, asDoubles)));
  }
  for (const Argument& output : shape.outputs) {
    tensors.outputs_.push_back(HONE_TRY(make(folder, label, output, placement, asDoubles)));
  }
  for (const auto& [name, size] : shape.sizes) {
    tensors.sizes_.push_back(size);
  }
  return tensors;
}

void CallTensors::describe(RunnerSetup& setup) const {
  std::vector<RunnerWord>& call = setup.calls.emplace_back();
  const auto add = [&](const std::vector<Named>& all, bool isInput) {
    for (const Named& named : all) {
      call.push_back({.isTensor = true, .value = setup.tensors.size()});
      setup.tensors.push_back({.file = named.tensor.file().string(),
                               .offset = named.tensor.offset(),
                               .bytes = named.tensor.type().bytes(),
                               .isInput = isInput});
    }
  };
  add(inputs_, true);
  add(outputs_, false);
  for (const std::int64_t size : sizes_) {
    call.push_back({.isTensor = false, .value = static_cast<std::uint64_t>(size)});
  }
}

void CallTensors::describe(TensorsRequest& request) const {
  const auto add = [&](const std::vector<Named>& all, bool isInput) {
    for (const Named& named : all) {
      request.tensors.push_back({.id = named.id,
                                 .name = named.name,
                                 .file = named.tensor.file().string(),
                                 .offset = named.tensor.offset(),
                                 .type = named.tensor.type().text(),
                                 .isInput = isInput});
    }
  };
  add(inputs_, true);
  add(outputs_, false);
}

CallRequest CallTensors::callRequest() const {
  const auto ids = [](const std::vector<Named>& all) {
    std::vector<std::string> list;
    for (const Named& named : all) {
      list.push_back(named.id);
    }
    return list;
  };
  return {.inputs = ids(inputs_), .outputs = ids(outputs_), .sizes = sizes_};
}

void CallTensors::fill(std::span<const verify::Tensor> inputs, Random& random) {
  markOutputs(random);
  refill(inputs, random);
}

void CallTensors::refill(std::span<const verify::Tensor> inputs, Random& random) {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    std::ranges::copy(inputs[i].data, inputs_[i].tensor.data().begin());
  }
  writeGuards(random);
}

void CallTensors::writeGuards(Random& random) {
  for (auto* all : {&inputs_, &outputs_}) {
    for (Named& named : *all) {
      named.tensor.guard(random);
    }
  }
}

void CallTensors::markOutputs(Random& random) {
  for (Named& output : outputs_) {
    output.tensor.markUnwritten(random);
  }
}

void CallTensors::markOutputsAgain() {
  for (Named& output : outputs_) {
    output.tensor.markAgain();
  }
}

std::optional<std::string> CallTensors::findStrayWrite(
    std::span<const verify::Tensor> inputs) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!std::ranges::equal(inputs_[i].tensor.data(), inputs[i].data)) {
      return fmt::format("writes to its input {}", inputs_[i].name);
    }
  }
  return findGuardWrite();
}

std::optional<std::string> CallTensors::findGuardWrite() const {
  for (const auto* all : {&inputs_, &outputs_}) {
    for (const Named& named : *all) {
      if (!named.tensor.guardIntact()) {
        return fmt::format("writes outside of {}", named.name);
      }
    }
  }
  return std::nullopt;
}

std::vector<verify::Tensor> CallTensors::outputs() const {
  std::vector<verify::Tensor> copies;
  for (const Named& output : outputs_) {
    const std::span<const std::byte> data = output.tensor.data();
    copies.push_back({output.tensor.type(), {data.begin(), data.end()}});
  }
  return copies;
}

void CallTensors::copyOutputs(std::vector<verify::Tensor>& copies) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    std::ranges::copy(outputs_[i].tensor.data(), copies[i].data.begin());
  }
}

std::optional<std::string> CallTensors::findUnwritten(
    std::span<const verify::Tensor> outputs) const {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Named& output = outputs_[i];
    if (const auto element = output.tensor.firstUnwritten(outputs[i].data)) {
      return fmt::format("does not write {}{}", output.name,
                         indexText(output.tensor.type().shape, *element));
    }
  }
  return std::nullopt;
}

void CallTensors::unlinkFiles() {
  for (auto* all : {&inputs_, &outputs_}) {
    for (Named& named : *all) {
      named.tensor.unlinkFile();
    }
  }
}

verify::Tensor CallTensors::input(std::size_t index) const {
  const std::span<const std::byte> data = inputs_[index].tensor.data();
  return {inputs_[index].tensor.type(), {data.begin(), data.end()}};
}

std::string indexText(const std::vector<std::int64_t>& shape, std::int64_t element) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t dim = shape.size(); dim-- > 0;) {
    index[dim] = element % shape[dim];
    element /= shape[dim];
  }
  return fmt::format("[{}]", fmt::join(index, ","));
}

}  // namespace hone::kernel
