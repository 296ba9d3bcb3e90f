#include "kernel/worker/runner/runner_setup.h"

namespace hone::kernel {
namespace {

class SetupWriter {
 public:
  void add(std::uint64_t number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void add(const std::string& text) {
    add(text.size());
    bytes_ += text;
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class SetupReader {
 public:
  explicit SetupReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (left_.size() < sizeof value) {
      ok_ = false;
      return 0;
    }
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > left_.size()) {
      ok_ = false;
      return "";
    }
    std::string value(left_.substr(0, size));
    left_.remove_prefix(size);
    return value;
  }
  /// Reads the length of a list.
  std::uint64_t count() {
    const std::uint64_t value = number();
    ok_ = ok_ && value <= left_.size();
    return ok_ ? value : 0;
  }
  [[nodiscard]] bool ended() const { return ok_ && left_.empty(); }

 private:
  std::string_view left_;
  bool ok_ = true;
};

}  // namespace

std::string RunnerSetup::encode() const {
  SetupWriter writer;
  writer.add(library);
  writer.add(function);
  writer.add(tensors.size());
  for (const RunnerTensor& tensor : tensors) {
    writer.add(tensor.file);
    writer.add(tensor.offset);
    writer.add(tensor.bytes);
    writer.add(tensor.isInput ? 1 : 0);
  }
  writer.add(calls.size());
  for (const std::vector<RunnerWord>& call : calls) {
    writer.add(call.size());
    for (const RunnerWord& word : call) {
      writer.add(word.isTensor ? 1 : 0);
      writer.add(word.value);
    }
  }
  writer.add(readable.size());
  for (const std::string& place : readable) {
    writer.add(place);
  }
  return writer.take();
}

std::optional<RunnerSetup> RunnerSetup::decode(std::string_view bytes) {
  SetupReader reader(bytes);
  RunnerSetup setup;
  setup.library = reader.text();
  setup.function = reader.text();
  for (std::uint64_t left = reader.count(); left > 0; --left) {
    RunnerTensor tensor;
    tensor.file = reader.text();
    tensor.offset = reader.number();
    tensor.bytes = reader.number();
    tensor.isInput = reader.number() != 0;
    setup.tensors.push_back(std::move(tensor));
  }
  for (std::uint64_t left = reader.count(); left > 0; --left) {
    std::vector<RunnerWord>& call = setup.calls.emplace_back();
    for (std::uint64_t words = reader.count(); words > 0; --words) {
      const bool isTensor = reader.number() != 0;
      call.push_back({.isTensor = isTensor, .value = reader.number()});
    }
  }
  for (std::uint64_t left = reader.count(); left > 0; --left) {
    setup.readable.push_back(reader.text());
  }
  return reader.ended() ? std::optional(std::move(setup)) : std::nullopt;
}

}  // namespace hone::kernel
