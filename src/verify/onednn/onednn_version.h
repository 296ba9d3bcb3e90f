#pragma once

#include <oneapi/dnnl/dnnl.hpp>

/// Wrappers for differences between oneDNN 2.x and 3.x.
namespace hone::verify {

#if DNNL_VERSION_MAJOR >= 3

using Softmax = dnnl::softmax_forward;

[[nodiscard]] inline dnnl::memory::dims tensorDims(const dnnl::memory::desc& desc) {
  return desc.get_dims();
}

[[nodiscard]] inline dnnl::memory::data_type dataTypeIn(const dnnl::memory::desc& desc) {
  return desc.get_data_type();
}

inline void appendEltwise(dnnl::post_ops& after, dnnl::algorithm algorithm, float alpha) {
  after.append_eltwise(algorithm, alpha, 0.0F);
}

/// Plans a primitive; `arguments` are those of the operation in oneDNN's order.
template <typename Primitive, typename... Arguments>
[[nodiscard]] Primitive::primitive_desc makePlan(const dnnl::engine& engine,
                                                 const dnnl::primitive_attr& attributes,
                                                 const Arguments&... arguments) {
  return {engine, arguments..., attributes};
}

/// Plans a backward convolution from the plan of its forward one.
template <typename Primitive, typename... Arguments>
[[nodiscard]] Primitive::primitive_desc makeBackwardPlan(
    const dnnl::engine& engine, const dnnl::convolution_forward::primitive_desc& forward,
    const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return {engine, arguments..., forward, attributes};
}

#else

using Softmax = dnnl::softmax_v2_forward;

[[nodiscard]] inline dnnl::memory::dims tensorDims(const dnnl::memory::desc& desc) {
  return desc.dims();
}

[[nodiscard]] inline dnnl::memory::data_type dataTypeIn(const dnnl::memory::desc& desc) {
  return desc.data_type();
}

inline void appendEltwise(dnnl::post_ops& after, dnnl::algorithm algorithm, float alpha) {
  after.append_eltwise(1.0F, algorithm, alpha, 0.0F);
}

template <typename Primitive, typename... Arguments>
[[nodiscard]] Primitive::primitive_desc makePlan(const dnnl::engine& engine,
                                                 const dnnl::primitive_attr& attributes,
                                                 const Arguments&... arguments) {
  return {typename Primitive::desc(arguments...), attributes, engine};
}

template <typename Primitive, typename... Arguments>
[[nodiscard]] Primitive::primitive_desc makeBackwardPlan(
    const dnnl::engine& engine, const dnnl::convolution_forward::primitive_desc& forward,
    const dnnl::primitive_attr& attributes, const Arguments&... arguments) {
  return {typename Primitive::desc(arguments...), attributes, engine, forward};
}

#endif

}  // namespace hone::verify
