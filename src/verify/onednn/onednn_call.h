#pragma once

#include <array>
#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/problem/problem.h"

namespace hone::verify {

/// The operands of a problem, filled, and behind them its result, dense and row-major. They begin
/// at cache lines, as the buffers of IREE's runtime and of frameworks do.
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

/// What one call of a library's user executes, step by step. Building it throws what oneDNN throws.
class OneDnnCall {
 public:
  using Arguments = std::unordered_map<int, dnnl::memory>;

  OneDnnCall();
  [[nodiscard]] const dnnl::engine& engine() const { return engine_; }

  /// The tensor in the layout that a primitive wants; where it lies otherwise, every call moves it.
  [[nodiscard]] dnnl::memory moved(const dnnl::memory& from, const dnnl::memory::desc& wanted);
  /// The same for weights that stay the same from call to call: moved here, and no call pays it.
  [[nodiscard]] dnnl::memory prepacked(const dnnl::memory& from, const dnnl::memory::desc& wanted);
  /// The primitive, and the move of its result from the layout it wants to where it must be.
  void add(const dnnl::primitive_desc_base& plan, const dnnl::primitive& primitive,
           Arguments arguments, int resultAt, const dnnl::memory::desc& wanted,
           const dnnl::memory& result);

  /// One call, over when this returns.
  void execute();

  /// oneDNN's name of the code behind each primitive, moves left out.
  [[nodiscard]] const std::vector<std::string>& implementations() const { return names_; }
  [[nodiscard]] std::size_t moves() const { return steps_.size() - names_.size(); }
  [[nodiscard]] bool weightsPrepacked() const { return weightsPrepacked_; }

 private:
  struct Step {
    dnnl::primitive primitive;
    Arguments arguments;
  };
  void addMove(const dnnl::memory& from, const dnnl::memory& to);

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::vector<Step> steps_;
  std::vector<std::string> names_;
  bool weightsPrepacked_ = false;
};

}  // namespace hone::verify
