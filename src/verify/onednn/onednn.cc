#include "verify/onednn/onednn.h"

#include <oneapi/dnnl/dnnl.hpp>

#include "verify/onednn/omp_threads.h"
#include "verify/onednn/onednn_conv_plan.h"
#include "verify/onednn/onednn_version.h"
#include "verify/reference.h"

namespace hone::verify {
namespace {

using dnnl::memory;
using model::Conv;
using model::ConvDirection;
using model::Matmul;
using Tag = memory::format_tag;

/// Runs primitives, with reorders between the caller's plain layouts and oneDNN's.
class OneDnnRunner {
 public:
  OneDnnRunner() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}
  [[nodiscard]] const dnnl::engine& engine() const { return engine_; }

  /// Wraps the caller's array. oneDNN does not write inputs.
  memory plain(const memory::desc& description, const float* data) {
    return {description, engine_, const_cast<float*>(data)};
  }
  memory inLayout(memory from, const memory::desc& wanted) {
    if (from.get_desc() == wanted) {
      return from;
    }
    memory to(wanted, engine_);
    dnnl::reorder(from, to).execute(stream_, from, to);
    return to;
  }
  /// Runs a primitive and reorders its result into the plain layout.
  void run(const dnnl::primitive& primitive, std::unordered_map<int, memory> arguments,
           int resultAt, const memory::desc& resultLayout, memory result) {
    memory computed = result.get_desc() == resultLayout ? result : memory(resultLayout, engine_);
    arguments.insert_or_assign(resultAt, computed);
    primitive.execute(stream_, arguments);
    if (computed != result) {
      dnnl::reorder(computed, result).execute(stream_, computed, result);
    }
    stream_.wait();
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
};

memory::desc floats(const memory::dims& dims, Tag tag) {
  return {dims, memory::data_type::f32, tag};
}

void runMatmul(const Matmul& matmul, const float* lhs, const float* rhs, float* result) {
  OneDnnRunner runner;
  const std::int64_t batch = std::max<std::int64_t>(matmul.batch, 1);
  const auto lhsDesc =
      floats({batch, matmul.m, matmul.k}, matmul.transposeLhs ? Tag::acb : Tag::abc);
  const auto rhsDesc =
      floats({batch, matmul.k, matmul.n}, matmul.transposeRhs ? Tag::acb : Tag::abc);
  const auto resultDesc = floats({batch, matmul.m, matmul.n}, Tag::abc);
  const auto plan =
      makePlan<dnnl::matmul>(runner.engine(), attributesFor({}), lhsDesc, rhsDesc, resultDesc);
  runner.run(
      dnnl::matmul(plan),
      {{DNNL_ARG_SRC, runner.plain(lhsDesc, lhs)}, {DNNL_ARG_WEIGHTS, runner.plain(rhsDesc, rhs)}},
      DNNL_ARG_DST, resultDesc, runner.plain(resultDesc, result));
}

/// Describes the convolution with all types replaced by f32.
ConvDescs describeInF32(Conv conv) {
  conv.input = conv.result = model::ElementType::f32;
  return ConvDescs(conv);
}

void runForward(const ConvDescs& plan, const float* image, const float* filter, float* output) {
  OneDnnRunner runner;
  const auto chosen = plan.forward(runner.engine());
  runner.run(dnnl::convolution_forward(chosen),
             {{DNNL_ARG_SRC, runner.inLayout(runner.plain(plan.image, image), chosen.src_desc())},
              {DNNL_ARG_WEIGHTS,
               runner.inLayout(runner.plain(plan.filter, filter), chosen.weights_desc())}},
             DNNL_ARG_DST, chosen.dst_desc(), runner.plain(plan.output, output));
}

void runBackwardData(const ConvDescs& plan, const float* gradient, const float* filter,
                     float* image) {
  OneDnnRunner runner;
  const auto chosen = plan.backward<dnnl::convolution_backward_data>(
      runner.engine(), any(plan.image), any(plan.filter), any(plan.output));
  runner.run(dnnl::convolution_backward_data(chosen),
             {{DNNL_ARG_DIFF_DST,
               runner.inLayout(runner.plain(plan.output, gradient), chosen.diff_dst_desc())},
              {DNNL_ARG_WEIGHTS,
               runner.inLayout(runner.plain(plan.filter, filter), chosen.weights_desc())}},
             DNNL_ARG_DIFF_SRC, chosen.diff_src_desc(), runner.plain(plan.image, image));
}

void runWeightBackward(const ConvDescs& plan, const float* image, const float* gradient,
                       float* filter) {
  OneDnnRunner runner;
  const auto chosen = plan.backward<dnnl::convolution_backward_weights>(
      runner.engine(), any(plan.image), any(plan.filter), any(plan.output));
  runner.run(dnnl::convolution_backward_weights(chosen),
             {{DNNL_ARG_SRC, runner.inLayout(runner.plain(plan.image, image), chosen.src_desc())},
              {DNNL_ARG_DIFF_DST,
               runner.inLayout(runner.plain(plan.output, gradient), chosen.diff_dst_desc())}},
             DNNL_ARG_DIFF_WEIGHTS, chosen.diff_weights_desc(), runner.plain(plan.filter, filter));
}

}  // namespace

Result<void> runOneDnn(const model::Problem& problem, const float* first, const float* second,
                       float* result) {
  const OmpThreads oneThread(1);
  try {
    if (const auto* matmul = std::get_if<Matmul>(&problem)) {
      runMatmul(*matmul, first, second, result);
      return {};
    }
    const auto* conv = std::get_if<Conv>(&problem);
    if (conv == nullptr) {
      return userError("{}: expected a matmul or convolution", nameOf(problem));
    }
    const ConvDescs plan = describeInF32(*conv);
    switch (conv->direction) {
      case ConvDirection::forward:
        runForward(plan, first, second, result);
        break;
      case ConvDirection::backwardData:
        runBackwardData(plan, first, second, result);
        break;
      case ConvDirection::weightBackward:
        runWeightBackward(plan, first, second, result);
        break;
    }
    return {};
  } catch (const std::bad_alloc&) {
    return machineError("oneDNN: not enough memory for {}", nameOf(problem));
  } catch (const dnnl::error& error) {
    return machineError("oneDNN: {}: {}", nameOf(problem), error.message);
  }
}

std::string referenceLibrary() {
  const dnnl_version_t* version = dnnl_version();
  return fmt::format("oneDNN {}.{}.{}", version->major, version->minor, version->patch);
}

}  // namespace hone::verify
