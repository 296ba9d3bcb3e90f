#include "iree/compile/evidence/amd_code.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "iree/compile/evidence/byte_view.h"

namespace hone::iree {
namespace {

// Layout of a 64-bit ELF file.
constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF\x02\x01";
constexpr std::uint64_t kMachineAt = 18, kMachineAmd = 224;
constexpr std::uint64_t kSectionTableAt = 40, kSectionSizeAt = 58, kSectionCountAt = 60;
constexpr std::uint64_t kSectionTypeAt = 4, kSectionOffsetAt = 24, kSectionBytesAt = 32;
constexpr std::uint64_t kNoteSection = 7;
constexpr std::uint64_t kMetadataNote = 32;
constexpr std::uint64_t kNoteHeader = 12;

std::uint64_t alignedToFour(std::uint64_t size) { return (size + 3) / 4 * 4; }

/// Returns the value of a key of the metadata; 0 if it is missing.
std::int64_t numberAt(const nlohmann::json& kernel, const char* key) {
  const auto at = kernel.find(key);
  return at != kernel.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
}

KernelResources resourcesFrom(const nlohmann::json& kernel) {
  KernelResources resources;
  const auto name = kernel.find(".name");
  if (name != kernel.end() && name->is_string()) {
    resources.name = name->get<std::string>();
  }
  // GPUs with accumulation registers report their sum as ".vgpr_count".
  resources.registers = numberAt(kernel, ".vgpr_count");
  resources.spilledBytes =
      std::max(numberAt(kernel, ".private_segment_fixed_size"),
               4 * (numberAt(kernel, ".vgpr_spill_count") + numberAt(kernel, ".sgpr_spill_count")));
  resources.sharedBytes = numberAt(kernel, ".group_segment_fixed_size");
  resources.threads = numberAt(kernel, ".max_flat_workgroup_size");
  resources.subgroupSize = numberAt(kernel, ".wavefront_size");
  return resources;
}

/// Adds the kernels of a metadata note, which is a MessagePack map.
void addKernels(std::string_view metadata, std::vector<KernelResources>& kernels) {
  const auto map = nlohmann::json::from_msgpack(metadata.begin(), metadata.end(), true, false);
  const auto list = map.is_object() ? map.find("amdhsa.kernels") : map.end();
  if (list == map.end() || !list->is_array()) {
    return;
  }
  for (const nlohmann::json& kernel : *list) {
    if (kernel.is_object()) {
      kernels.push_back(resourcesFrom(kernel));
    }
  }
}

/// Adds the kernels of the notes in one section.
void readNotes(const ByteView& section, std::vector<KernelResources>& kernels) {
  for (std::uint64_t at = 0; at < section.size();) {
    const auto nameSize = section.number(at, 4);
    const auto size = section.number(at + 4, 4);
    const auto type = section.number(at + 8, 4);
    if (!nameSize || !size || !type) {
      return;
    }
    const std::uint64_t content = at + kNoteHeader + alignedToFour(*nameSize);
    const auto metadata = section.part(content, *size);
    if (*type == kMetadataNote && metadata) {
      addKernels(*metadata, kernels);
    }
    at = content + alignedToFour(*size);
  }
}

void readElf(const ByteView& file, std::vector<KernelResources>& kernels) {
  const auto table = file.number(kSectionTableAt, 8);
  const auto size = file.number(kSectionSizeAt, 2);
  const auto count = file.number(kSectionCountAt, 2);
  if (file.number(kMachineAt, 2) != kMachineAmd || !table || !size || !count ||
      *table > file.size() || *size * *count > file.size() - *table) {
    return;
  }
  for (std::uint64_t i = 0; i < *count; ++i) {
    const std::uint64_t header = *table + i * *size;
    const auto offset = file.number(header + kSectionOffsetAt, 8);
    const auto bytes = file.number(header + kSectionBytesAt, 8);
    if (file.number(header + kSectionTypeAt, 4) != kNoteSection || !offset || !bytes) {
      continue;
    }
    if (const auto notes = file.part(*offset, *bytes)) {
      readNotes(ByteView(*notes), kernels);
    }
  }
}

}  // namespace

std::vector<KernelResources> amdKernels(std::string_view module) {
  std::vector<KernelResources> kernels;
  for (std::size_t at = module.find(kElfMagic); at != std::string_view::npos;
       at = module.find(kElfMagic, at + 1)) {
    readElf(ByteView(module.substr(at)), kernels);
  }
  return kernels;
}

}  // namespace hone::iree
