#pragma once

#include <array>
#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/problem/problem.h"

namespace hone::verify {

/// Dense row-major buffers of a problem's operands, filled with values, followed by its result.
/// Aligned to cache lines, like the buffers of IREE's runtime and of frameworks.
class PlainTensors {
 public:
  explicit PlainTensors(const model::Problem& problem);

  [[nodiscard]] std::byte* data(std::size_t index) { return buffers_[index].data()->data(); }
  [[nodiscard]] std::size_t resultIndex() const { return buffers_.size() - 1; }

 private:
  struct alignas(64) CacheLine : std::array<std::byte, 64> {};
  void add(std::size_t bytes);

  std::vector<std::vector<CacheLine>> buffers_;
};

/// The primitives that one library call executes. Building it throws oneDNN's exceptions.
class OneDnnCall {
 public:
  using Arguments = std::unordered_map<int, dnnl::memory>;

  OneDnnCall();
  [[nodiscard]] const dnnl::engine& engine() const { return engine_; }

  /// Returns the tensor in the layout `wanted`. Adds a reorder to every call if it differs.
  [[nodiscard]] dnnl::memory reordered(const dnnl::memory& from, const dnnl::memory::desc& wanted);
  /// Returns constant weights in the layout `wanted`, reordered once, outside of the calls.
  [[nodiscard]] dnnl::memory prepacked(const dnnl::memory& from, const dnnl::memory::desc& wanted);
  /// Adds the primitive, and a reorder of its result from `wanted` to `result` if they differ.
  void add(const dnnl::primitive_desc_base& plan, const dnnl::primitive& primitive,
           Arguments arguments, int resultAt, const dnnl::memory::desc& wanted,
           const dnnl::memory& result);

  /// Executes one call and waits for it.
  void execute();

  /// Returns oneDNN's implementation name of each primitive, without reorders.
  [[nodiscard]] const std::vector<std::string>& implementations() const { return names_; }
  [[nodiscard]] std::size_t reorders() const { return steps_.size() - names_.size(); }
  [[nodiscard]] bool weightsPrepacked() const { return weightsPrepacked_; }

 private:
  struct Step {
    dnnl::primitive primitive;
    Arguments arguments;
  };
  void addReorder(const dnnl::memory& from, const dnnl::memory& to);

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Step> steps_;
  std::vector<std::string> names_;
  bool weightsPrepacked_ = false;
};

}  // namespace hone::verify
