#include "model/workload/sweep_conv.h"

#include <array>

#include "base/text/text.h"
#include "model/problem/shown.h"
#include "model/workload/combinations.h"

namespace hone::model {
namespace {

void setAxes(Conv& conv, const Extents& image, const Extents& filter, const Extents& stride,
             const Extents& pad, const Extents& dilation) {
  const std::array<std::array<std::int64_t*, 5>, 3> axes = {
      {{&conv.d, &conv.z, &conv.strideD, &conv.padD, &conv.dilationD},
       {&conv.h, &conv.y, &conv.strideH, &conv.padH, &conv.dilationH},
       {&conv.w, &conv.x, &conv.strideW, &conv.padW, &conv.dilationW}}};
  const auto first = axes.size() - image.size();
  for (std::size_t i = 0; i < image.size(); ++i) {
    const auto& [imageField, filterField, strideField, padField, dilationField] = axes[first + i];
    *imageField = image[i];
    *filterField = filter[i];
    *strideField = stride[i];
    *padField = pad[i];
    *dilationField = dilation[i];
  }
}

}  // namespace

Result<std::vector<Extents>> extentsFrom(std::string_view argument, std::string_view text,
                                         std::int64_t spatial, std::int64_t smallest) {
  std::vector<Extents> all;
  const auto dims = static_cast<std::size_t>(spatial);
  for (const std::string& item : splitAt(text, ',')) {
    if (!item.contains('x')) {
      if (item == "0" && smallest == 0) {
        all.emplace_back(dims, 0);
        continue;
      }
      for (const std::int64_t size : HONE_TRY(sizesFrom(argument, item))) {
        all.emplace_back(dims, size);
      }
      continue;
    }
    Extents extents;
    for (const std::string& part : splitAt(item, 'x')) {
      const auto size = parseInt(part);
      if (!size || *size < smallest) {
        return userError("{}: invalid sizes '{}'; use sizes such as 3x3", argument, shown(item));
      }
      extents.push_back(*size);
    }
    if (extents.size() != dims) {
      return userError("{}: '{}' does not match a {}-D convolution", argument, shown(item),
                       spatial);
    }
    all.push_back(std::move(extents));
  }
  return all;
}

Result<std::vector<Problem>> expandConvs(const ConvSweep& sweep) {
  for (const MatmulTypes& types : sweep.types) {
    if (types.lhs != types.rhs) {
      return userError("operands of a convolution must have the same type, got {} and {}",
                       nameOf(types.lhs), nameOf(types.rhs));
    }
  }
  return combinations(
      {sweep.types.size(), sweep.directions.size(), sweep.layouts.size(), sweep.batch.size(),
       sweep.channels.size(), sweep.filters.size(), sweep.groups.size(), sweep.image.size(),
       sweep.filter.size(), sweep.stride.size(), sweep.pad.size(), sweep.dilation.size(),
       sweep.epilogues.size()},
      [&](Picker& picker) {
        Conv conv;
        conv.spatial = sweep.spatial;
        conv.epilogue = picker.next(sweep.epilogues);
        const Extents& dilation = picker.next(sweep.dilation);
        const Extents& pad = picker.next(sweep.pad);
        const Extents& stride = picker.next(sweep.stride);
        const Extents& filter = picker.next(sweep.filter);
        setAxes(conv, picker.next(sweep.image), filter, stride, pad, dilation);
        conv.groups = picker.next(sweep.groups);
        conv.k = picker.next(sweep.filters);
        conv.c = picker.next(sweep.channels);
        conv.n = picker.next(sweep.batch);
        conv.layout = picker.next(sweep.layouts);
        conv.direction = picker.next(sweep.directions);
        const MatmulTypes& types = picker.next(sweep.types);
        conv.input = types.lhs;
        conv.result = types.result;
        return Problem(conv);
      });
}

Result<std::vector<Problem>> expandAttentions(const AttentionSweep& sweep) {
  return combinations({sweep.types.size(), sweep.batch.size(), sweep.queries.size(),
                       sweep.keys.size(), sweep.depth.size()},
                      [&](Picker& picker) {
                        Attention attention;
                        attention.depth = picker.next(sweep.depth);
                        attention.keys = picker.next(sweep.keys);
                        attention.queries = picker.next(sweep.queries);
                        attention.batch = picker.next(sweep.batch);
                        attention.type = picker.next(sweep.types);
                        return Problem(attention);
                      });
}

}  // namespace hone::model
