#include "verify/onnxruntime/onnx_runtime.h"

#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "verify/onnxruntime/onnx_runtime_api.h"

namespace hone::verify {
namespace {

using model::ElementType;

constexpr int kLogErrors = 3;
constexpr int kDeviceAllocator = 0;
constexpr int kDefaultMemory = 0;

/// ONNX's numbers of element types.
struct OnnxElement {
  int number;
  ElementType type;
};
constexpr std::array<OnnxElement, 13> kElements = {{{1, ElementType::f32},
                                                    {2, ElementType::i8},  // u8
                                                    {3, ElementType::i8},
                                                    {4, ElementType::i16},  // u16
                                                    {5, ElementType::i16},
                                                    {6, ElementType::i32},
                                                    {7, ElementType::i64},
                                                    {9, ElementType::i1},
                                                    {10, ElementType::f16},
                                                    {11, ElementType::f64},
                                                    {12, ElementType::i32},  // u32
                                                    {13, ElementType::i64},  // u64
                                                    {16, ElementType::bf16}}};

std::optional<ElementType> elementFrom(int number) {
  for (const OnnxElement& one : kElements) {
    if (one.number == number) {
      return one.type;
    }
  }
  return std::nullopt;
}

}  // namespace

struct OnnxRuntimeModel::State {
  OnnxRuntimeApi api;
  OrtEnv* env = nullptr;
  OrtSessionOptions* options = nullptr;
  OrtSession* session = nullptr;
  OrtMemoryInfo* memory = nullptr;
  std::vector<std::string> inputNames;
  std::vector<std::string> outputNames;
  std::vector<int> inputElements;
  std::vector<Tensor> inputs;  ///< the values' memory
  std::vector<OrtValue*> inputValues;
  std::vector<OrtValue*> outputValues;

  explicit State(const OnnxRuntimeApi& functions) : api(functions) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  State(State&&) = delete;
  State& operator=(State&&) = delete;
  ~State() {
    release(inputValues);
    release(outputValues);
    if (session != nullptr) {
      api.releaseSession(session);
    }
    if (options != nullptr) {
      api.releaseSessionOptions(options);
    }
    if (memory != nullptr) {
      api.releaseMemoryInfo(memory);
    }
    if (env != nullptr) {
      api.releaseEnv(env);
    }
  }

  Result<void> open(const std::filesystem::path& model, int threads);
  Result<void> readNames();
  [[nodiscard]] Result<int> inputElement(std::size_t number) const;
  Result<void> call();
  [[nodiscard]] Result<Tensor> readOutput(std::size_t number) const;

  void release(std::vector<OrtValue*>& values) const {
    for (OrtValue*& value : values) {
      if (value != nullptr) {
        api.releaseValue(std::exchange(value, nullptr));
      }
    }
  }
};

Result<void> OnnxRuntimeModel::State::open(const std::filesystem::path& model, int threads) {
  HONE_CHECK(api.check(api.createEnv(kLogErrors, "hone", &env)));
  HONE_CHECK(api.check(api.createSessionOptions(&options)));
  HONE_CHECK(api.check(api.setLogSeverity(options, kLogErrors)));
  HONE_CHECK(api.check(api.setIntraOpThreads(options, threads)));
  HONE_CHECK(api.check(api.setInterOpThreads(options, 1)));
  HONE_CHECK(api.check(api.createSession(env, model.c_str(), options, &session)));
  HONE_CHECK(api.check(api.createCpuMemoryInfo(kDeviceAllocator, kDefaultMemory, &memory)));
  return readNames();
}

Result<int> OnnxRuntimeModel::State::inputElement(std::size_t number) const {
  OrtTypeInfo* info = nullptr;
  HONE_CHECK(api.check(api.inputTypeInfo(session, number, &info)));
  const OrtTensorInfo* tensor = nullptr;
  int element = 0;
  auto read = api.check(api.castToTensorInfo(info, &tensor));
  if (read && tensor != nullptr) {
    read = api.check(api.elementType(tensor, &element));
  }
  api.releaseTypeInfo(info);
  HONE_CHECK(read);
  return element;
}

Result<void> OnnxRuntimeModel::State::readNames() {
  OrtAllocator* allocator = nullptr;
  HONE_CHECK(api.check(api.defaultAllocator(&allocator)));
  std::size_t inputCount = 0;
  std::size_t outputCount = 0;
  HONE_CHECK(api.check(api.inputCount(session, &inputCount)));
  HONE_CHECK(api.check(api.outputCount(session, &outputCount)));
  char* name = nullptr;  // the process ends soon: not freed
  for (std::size_t i = 0; i < inputCount; ++i) {
    HONE_CHECK(api.check(api.inputName(session, i, allocator, &name)));
    inputNames.emplace_back(name);
    inputElements.push_back(HONE_TRY(inputElement(i)));
  }
  for (std::size_t i = 0; i < outputCount; ++i) {
    HONE_CHECK(api.check(api.outputName(session, i, allocator, &name)));
    outputNames.emplace_back(name);
  }
  outputValues.resize(outputCount);
  return {};
}

Result<void> OnnxRuntimeModel::State::call() {
  std::vector<const char*> inNames;
  std::vector<const char*> outNames;
  for (const std::string& name : inputNames) {
    inNames.push_back(name.c_str());
  }
  for (const std::string& name : outputNames) {
    outNames.push_back(name.c_str());
  }
  release(outputValues);
  return api.check(api.run(session, nullptr, inNames.data(), inputValues.data(), inNames.size(),
                           outNames.data(), outNames.size(), outputValues.data()));
}

Result<Tensor> OnnxRuntimeModel::State::readOutput(std::size_t number) const {
  OrtTensorInfo* info = nullptr;
  HONE_CHECK(api.check(api.tensorInfo(outputValues[number], &info)));
  int element = 0;
  std::size_t rank = 0;
  Tensor tensor;
  auto read = api.check(api.elementType(info, &element));
  read = read ? api.check(api.rank(info, &rank)) : read;
  tensor.type.shape.resize(rank);
  read = read ? api.check(api.dimensions(info, tensor.type.shape.data(), rank)) : read;
  api.releaseTensorInfo(info);
  HONE_CHECK(read);
  const auto type = elementFrom(element);
  if (!type) {
    return userError("ONNX Runtime: output {} has an unsupported type ({})", outputNames[number],
                     element);
  }
  tensor.type.element = *type;
  void* data = nullptr;
  HONE_CHECK(api.check(api.tensorData(outputValues[number], &data)));
  tensor.data.resize(tensor.type.bytes());
  std::memcpy(tensor.data.data(), data, tensor.data.size());
  return tensor;
}

OnnxRuntimeModel::OnnxRuntimeModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
OnnxRuntimeModel::OnnxRuntimeModel(OnnxRuntimeModel&&) noexcept = default;
OnnxRuntimeModel::~OnnxRuntimeModel() = default;

Result<OnnxRuntimeModel> OnnxRuntimeModel::load(const std::filesystem::path& library,
                                                const std::filesystem::path& model, int threads) {
  auto state = std::make_unique<State>(HONE_TRY(OnnxRuntimeApi::load(library)));
  HONE_CHECK(state->open(model, threads));
  return OnnxRuntimeModel(std::move(state));
}

Result<void> OnnxRuntimeModel::setInputs(std::vector<Tensor> inputs) {
  State& state = *state_;
  if (inputs.size() != state.inputNames.size()) {
    return userError("ONNX Runtime: expected {} inputs, got {}", state.inputNames.size(),
                     inputs.size());
  }
  state.release(state.inputValues);
  state.inputs = std::move(inputs);
  state.inputValues.assign(state.inputs.size(), nullptr);
  for (std::size_t i = 0; i < state.inputs.size(); ++i) {
    Tensor& input = state.inputs[i];
    const auto element = elementFrom(state.inputElements[i]);
    if (!element || *element != input.type.element) {
      return userError("ONNX Runtime: input {} has another type than {}", state.inputNames[i],
                       input.type.text());
    }
    HONE_CHECK(state.api.check(state.api.createTensor(
        state.memory, input.data.data(), input.data.size(), input.type.shape.data(),
        input.type.shape.size(), state.inputElements[i], &state.inputValues[i])));
  }
  return {};
}

Result<std::vector<Tensor>> OnnxRuntimeModel::run() {
  HONE_CHECK(state_->call());
  std::vector<Tensor> outputs;
  for (std::size_t i = 0; i < state_->outputNames.size(); ++i) {
    outputs.push_back(HONE_TRY(state_->readOutput(i)));
  }
  return outputs;
}

Result<LibraryTimes> OnnxRuntimeModel::time(std::int64_t iterations, std::int64_t repetitions) {
  LibraryTimes times;
  times.implementation = libraryName();
  HONE_CHECK(timeCalls([&] { return state_->call(); },
                       {.iterations = iterations, .repetitions = repetitions}, times));
  return times;
}

std::string OnnxRuntimeModel::libraryName() const {
  return fmt::format("ONNX Runtime {}", state_->api.version);
}

}  // namespace hone::verify
