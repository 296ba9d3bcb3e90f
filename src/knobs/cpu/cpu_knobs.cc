#include "knobs/cpu/cpu_knobs.h"

#include "knobs/cpu/cpu_attention.h"
#include "knobs/cpu/cpu_other.h"
#include "knobs/cpu/cpu_packed.h"
#include "knobs/cpu/cpu_product.h"
#include "knobs/loop_roles.h"

namespace hone::knobs {
namespace {

Result<Listing> listTilings(const model::RootOperation& root, const CpuLimits& limits) {
  const auto byDefault = cpuCompilerDefault(root);
  if (root.kind == model::RootKind::convolution && byDefault &&
      byDefault->pipeline == CpuPipeline::mmt4d) {
    return cpuAroundDefault(root, limits);  // packed, computed by a microkernel
  }
  switch (root.kind) {
    case model::RootKind::contraction:
    case model::RootKind::convolution:
      return cpuProduct(root, limits);
    case model::RootKind::attention:
      return cpuAttention(root, limits);
    case model::RootKind::mmt4d:
      return cpuPacked(root, limits);
    case model::RootKind::reduction:
    case model::RootKind::elementwise:
      return cpuElements(root, limits);
    case model::RootKind::packing:
    case model::RootKind::other:
      return cpuAroundDefault(root, limits);
  }
  return userError("{}: no knobs for {}", root.dispatch, root.op);
}

}  // namespace

Result<KnobModel> cpuKnobs(const model::RootOperation& root, const CpuLimits& limits) {
  HONE_CHECK(checkLoops(root));
  Listing listing = HONE_TRY(listTilings(root, limits));
  if (const auto byDefault = cpuCompilerDefault(root)) {
    listing.byDefault = byDefault->tiling();
  }
  return listedModel(cpuForm(), std::move(listing));
}

}  // namespace hone::knobs
