#include "verify/onednn/onednn_call.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <cstring>

#include "verify/inputs.h"

namespace hone::verify {
namespace {

constexpr std::uint64_t kSeed = 1;

/// Returns true if the CPU reports AMX but not its tile description, as some virtual machines do.
/// oneDNN 2.6 then configures no tiles, and its first tile instruction raises SIGILL.
bool hidesAmxTiles() {
#ifdef __x86_64__
  constexpr unsigned kFeatures = 7;
  constexpr unsigned kAmxTile = 1U << 24U;  // in edx
  constexpr unsigned kTiles = 0x1d;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) == 0 || (d & kAmxTile) == 0) {
    return false;
  }
  return __get_cpuid_count(kTiles, 0, &a, &b, &c, &d) == 0 || a == 0;
#else
  return false;
#endif
}

/// Creates an engine. Limits the ISA first, since oneDNN detects the CPU only once.
dnnl::engine makeEngine() {
  static const bool limited = [] {
    const bool limit = hidesAmxTiles();
    if (limit) {
      dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_bf16);
    }
    return limit;
  }();
  (void)limited;
  return {dnnl::engine::kind::cpu, 0};
}

}  // namespace

void PlainTensors::add(std::size_t bytes) {
  buffers_.emplace_back((bytes + sizeof(CacheLine) - 1) / sizeof(CacheLine));
}

PlainTensors::PlainTensors(const model::Problem& problem) {
  for (const model::TensorType& type : operandTypes(problem)) {
    const Tensor values = makeInput(type, Values::reals, kSeed, buffers_.size());
    add(values.data.size());
    std::memcpy(buffers_.back().data(), values.data.data(), values.data.size());
  }
  add(resultType(problem).bytes());
}

OneDnnCall::OneDnnCall() : engine_(makeEngine()), stream_(engine_) {}

void OneDnnCall::addReorder(const dnnl::memory& from, const dnnl::memory& to) {
  steps_.push_back({dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}});
}

dnnl::memory OneDnnCall::reordered(const dnnl::memory& from, const dnnl::memory::desc& wanted) {
  if (from.get_desc() == wanted) {
    return from;
  }
  dnnl::memory to(wanted, engine_);
  addReorder(from, to);
  return to;
}

dnnl::memory OneDnnCall::prepacked(const dnnl::memory& from, const dnnl::memory::desc& wanted) {
  if (from.get_desc() == wanted) {
    return from;
  }
  dnnl::memory source = from;
  dnnl::memory to(wanted, engine_);
  dnnl::reorder(source, to).execute(stream_, source, to);
  stream_.wait();
  weightsPrepacked_ = true;
  return to;
}

void OneDnnCall::add(const dnnl::primitive_desc_base& plan, const dnnl::primitive& primitive,
                     Arguments arguments, int resultAt, const dnnl::memory::desc& wanted,
                     const dnnl::memory& result) {
  const bool direct = result.get_desc() == wanted;
  const dnnl::memory computed = direct ? result : dnnl::memory(wanted, engine_);
  arguments.insert_or_assign(resultAt, computed);
  steps_.push_back({primitive, std::move(arguments)});
  names_.emplace_back(plan.impl_info_str());
  if (!direct) {
    addReorder(computed, result);
  }
}

void OneDnnCall::execute() {
  for (const Step& step : steps_) {
    step.primitive.execute(stream_, step.arguments);
  }
  stream_.wait();
}

}  // namespace hone::verify
