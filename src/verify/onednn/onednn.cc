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

/// What every call needs, and the moves between the caller's plain layouts and oneDNN's own.
class Session {
 public:
  Session() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}
  [[nodiscard]] const dnnl::engine& engine() const { return engine_; }

  /// The caller's array as it lies there; oneDNN only reads what is an input.
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
  /// Runs with the inputs in the layouts asked for, and the result put back into its plain layout.
  void run(const dnnl::primitive& primitive, std::unordered_map<int, memory> arguments,
           int resultAt, const memory::desc& resultLayout, memory result) {
    memory made = result.get_desc() == resultLayout ? result : memory(resultLayout, engine_);
    arguments.insert_or_assign(resultAt, made);
    primitive.execute(stream_, arguments);
    if (made != result) {
      dnnl::reorder(made, result).execute(stream_, made, result);
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
  Session session;
  const std::int64_t batch = std::max<std::int64_t>(matmul.batch, 1);
  const auto lhsDesc =
      floats({batch, matmul.m, matmul.k}, matmul.transposeLhs ? Tag::acb : Tag::abc);
  const auto rhsDesc =
      floats({batch, matmul.k, matmul.n}, matmul.transposeRhs ? Tag::acb : Tag::abc);
  const auto resultDesc = floats({batch, matmul.m, matmul.n}, Tag::abc);
  const auto plan =
      makePlan<dnnl::matmul>(session.engine(), attributesFor({}), lhsDesc, rhsDesc, resultDesc);
  session.run(dnnl::matmul(plan),
              {{DNNL_ARG_SRC, session.plain(lhsDesc, lhs)},
               {DNNL_ARG_WEIGHTS, session.plain(rhsDesc, rhs)}},
              DNNL_ARG_DST, resultDesc, session.plain(resultDesc, result));
}

/// The convolution on arrays of f32, whatever its types are.
ConvDescs inFloats(Conv conv) {
  conv.input = conv.result = model::ElementType::f32;
  return ConvDescs(conv);
}

void runForward(const ConvDescs& plan, const float* image, const float* filter, float* output) {
  Session session;
  const auto chosen = plan.forward(session.engine());
  session.run(
      dnnl::convolution_forward(chosen),
      {{DNNL_ARG_SRC, session.inLayout(session.plain(plan.image, image), chosen.src_desc())},
       {DNNL_ARG_WEIGHTS,
        session.inLayout(session.plain(plan.filter, filter), chosen.weights_desc())}},
      DNNL_ARG_DST, chosen.dst_desc(), session.plain(plan.output, output));
}

void runBackwardData(const ConvDescs& plan, const float* gradient, const float* filter,
                     float* image) {
  Session session;
  const auto chosen = makeBackwardPlan<dnnl::convolution_backward_data>(
      session.engine(), plan.forward(session.engine()), attributesFor({}), kDirect, any(plan.image),
      any(plan.filter), any(plan.output), plan.strides, plan.dilations, plan.padLeft,
      plan.padRight);
  session.run(dnnl::convolution_backward_data(chosen),
              {{DNNL_ARG_DIFF_DST,
                session.inLayout(session.plain(plan.output, gradient), chosen.diff_dst_desc())},
               {DNNL_ARG_WEIGHTS,
                session.inLayout(session.plain(plan.filter, filter), chosen.weights_desc())}},
              DNNL_ARG_DIFF_SRC, chosen.diff_src_desc(), session.plain(plan.image, image));
}

void runWeightBackward(const ConvDescs& plan, const float* image, const float* gradient,
                       float* filter) {
  Session session;
  const auto chosen = makeBackwardPlan<dnnl::convolution_backward_weights>(
      session.engine(), plan.forward(session.engine()), attributesFor({}), kDirect, any(plan.image),
      any(plan.filter), any(plan.output), plan.strides, plan.dilations, plan.padLeft,
      plan.padRight);
  session.run(
      dnnl::convolution_backward_weights(chosen),
      {{DNNL_ARG_SRC, session.inLayout(session.plain(plan.image, image), chosen.src_desc())},
       {DNNL_ARG_DIFF_DST,
        session.inLayout(session.plain(plan.output, gradient), chosen.diff_dst_desc())}},
      DNNL_ARG_DIFF_WEIGHTS, chosen.diff_weights_desc(), session.plain(plan.filter, filter));
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
      return userError("{} is not one sum of products", nameOf(problem));
    }
    const ConvDescs plan = inFloats(*conv);
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
