#include "verify/onednn/onednn_planning.h"

#include <algorithm>

#include "verify/onednn/onednn_version.h"

namespace hone::verify {
namespace {

using dnnl::memory;
using model::Activation;
using model::ElementType;
using Desc = memory::desc;

}  // namespace

Desc Planning::requested(const Desc& plain) const {
  return layouts == Layouts::plain ? plain : any(plain);
}

memory::data_type dataType(ElementType type) {
  switch (type) {
    case ElementType::bf16:
      return memory::data_type::bf16;
    case ElementType::i32:
      return memory::data_type::s32;
    case ElementType::i8:
      return memory::data_type::s8;
    default:
      return memory::data_type::f32;  // checkTypes rejects all others
  }
}

Desc dense(const memory::dims& sizes, ElementType type, std::size_t innermost) {
  memory::dims strides(sizes.size(), 1);
  memory::dim stride = sizes[innermost];
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (i != innermost) {
      strides[i] = stride;
      stride *= sizes[i];
    }
  }
  return {sizes, dataType(type), strides};
}

Desc any(const Desc& plain) {
  return {tensorDims(plain), dataTypeIn(plain), memory::format_tag::any};
}

dnnl::primitive_attr attributesFor(const model::Epilogue& epilogue) {
  dnnl::primitive_attr attributes;
  // The environment could enable bf16 inside f32, which is not exact and which IREE does not do.
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  dnnl::post_ops after;
  if (epilogue.activation == Activation::relu) {
    appendEltwise(after, dnnl::algorithm::eltwise_relu, 0.0F);
  } else if (epilogue.activation == Activation::gelu) {
    appendEltwise(after, dnnl::algorithm::eltwise_gelu_erf, 0.0F);
  }
  attributes.set_post_ops(after);
  return attributes;
}

}  // namespace hone::verify
