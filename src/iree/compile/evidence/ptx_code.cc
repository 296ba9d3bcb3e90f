#include "iree/compile/evidence/ptx_code.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "base/text/text.h"
#include "iree/compile/evidence/byte_view.h"

namespace hone::iree {
namespace {

/// Identifies IREE's format of CUDA executables, a FlatBuffer.
constexpr std::string_view kCudaMagic = "CDA1";
constexpr std::int64_t kWarp = 32;

/// A table of a FlatBuffer.
class FlatTable {
 public:
  FlatTable(ByteView bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}

  /// Returns the position of a field; nothing if the table does not have it.
  [[nodiscard]] std::optional<std::uint64_t> field(std::uint64_t number) const {
    const auto back = bytes_.number(at_, 4);
    const std::uint64_t fields =
        at_ - static_cast<std::uint64_t>(static_cast<std::int32_t>(back.value_or(0)));
    const auto size = bytes_.number(fields, 2);
    const std::uint64_t entry = 4 + 2 * number;
    if (!back || !size || entry + 2 > *size) {
      return std::nullopt;
    }
    const auto offset = bytes_.number(fields + entry, 2);
    return offset && *offset != 0 ? std::optional(at_ + *offset) : std::nullopt;
  }

  [[nodiscard]] std::int64_t number(std::uint64_t field, std::uint64_t within = 0) const {
    const auto at = this->field(field);
    return at ? static_cast<std::int64_t>(bytes_.number(*at + within, 4).value_or(0)) : 0;
  }

  [[nodiscard]] std::string text(std::uint64_t field) const {
    const auto at = target(field);
    const auto size = at ? bytes_.number(*at, 4) : std::nullopt;
    return size ? std::string(bytes_.part(*at + 4, *size).value_or("")) : "";
  }

  /// Returns the tables of a vector.
  [[nodiscard]] std::vector<FlatTable> tables(std::uint64_t field) const {
    std::vector<FlatTable> tables;
    const auto at = target(field);
    const auto count = at ? bytes_.number(*at, 4) : std::nullopt;
    for (std::uint64_t i = 0; count && i < *count; ++i) {
      const std::uint64_t element = *at + 4 + 4 * i;
      const auto offset = bytes_.number(element, 4);
      if (!offset) {
        break;
      }
      tables.emplace_back(bytes_, element + *offset);
    }
    return tables;
  }

 private:
  /// Follows the offset in a field.
  [[nodiscard]] std::optional<std::uint64_t> target(std::uint64_t field) const {
    const auto at = this->field(field);
    const auto offset = at ? bytes_.number(*at, 4) : std::nullopt;
    return offset ? std::optional(*at + *offset) : std::nullopt;
  }

  ByteView bytes_;
  std::uint64_t at_;
};

/// Reads the executable whose FlatBuffer begins at the first byte.
void readExecutable(const ByteView& bytes, PtxCode& code) {
  constexpr std::uint64_t kExports = 0;
  constexpr std::uint64_t kModules = 1;
  constexpr std::uint64_t kName = 1;
  constexpr std::uint64_t kBlock = 2;
  constexpr std::uint64_t kShared = 3;
  const auto root = bytes.number(0, 4);
  if (!root || *root >= bytes.size()) {
    return;
  }
  const FlatTable executable(bytes, *root);
  for (const FlatTable& module : executable.tables(kModules)) {
    const std::string program = module.text(0);
    if (program.contains(".version")) {
      code.programs.push_back(program);
    }
  }
  for (const FlatTable& one : executable.tables(kExports)) {
    KernelResources kernel;
    kernel.name = one.text(kName);
    kernel.threads = one.number(kBlock) * one.number(kBlock, 4) * one.number(kBlock, 8);
    kernel.sharedBytes = one.number(kShared);
    kernel.subgroupSize = kWarp;
    code.exports.push_back(std::move(kernel));
  }
}

/// Returns the number before `unit` in "0 bytes stack frame, 8 bytes spill stores".
std::int64_t numberBefore(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) {
    return 0;
  }
  std::size_t begin = at;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1])) != 0) {
    --begin;
  }
  return parseInt(line.substr(begin, at - begin)).value_or(0);
}

/// First and last line on which a register occurs.
struct LiveRange {
  std::size_t first = 0, last = 0;
};

/// Returns the 32-bit registers that a virtual register needs: two for "%rd1" and "%fd1", none for
/// predicates and special registers.
std::int64_t registersFor(std::string_view name) {
  const auto digits = name.find_first_of("0123456789");
  const std::string_view kind = name.substr(0, digits);
  if (digits == std::string_view::npos) {
    return 0;
  }
  if (kind == "rd" || kind == "fd") {
    return 2;
  }
  return kind == "r" || kind == "f" || kind == "rs" || kind == "h" || kind == "hh" ? 1 : 0;
}

/// Calls `use` with the name of each virtual register in the line.
template <typename Use>
void forEachRegister(std::string_view line, const Use& use) {
  for (std::size_t at = line.find('%'); at != std::string_view::npos; at = line.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < line.size() && std::isalnum(static_cast<unsigned char>(line[end])) != 0) {
      ++end;
    }
    use(line.substr(at + 1, end - at - 1));
  }
}

/// Returns the largest sum of the widths of ranges that overlap.
std::int64_t largestOverlap(const std::map<std::string, LiveRange, std::less<>>& ranges) {
  std::map<std::size_t, std::int64_t> changes;
  for (const auto& [name, range] : ranges) {
    changes[range.first] += registersFor(name);
    changes[range.last + 1] -= registersFor(name);
  }
  std::int64_t live = 0;
  std::int64_t most = 0;
  for (const auto& [line, change] : changes) {
    live += change;
    most = std::max(most, live);
  }
  return most;
}

}  // namespace

PtxCode findPtx(std::string_view module) {
  constexpr std::size_t kIdentifierAt = 4;  // of a FlatBuffer
  PtxCode code;
  for (std::size_t at = module.find(kCudaMagic); at != std::string_view::npos;
       at = module.find(kCudaMagic, at + 1)) {
    if (at >= kIdentifierAt) {
      readExecutable(ByteView(module.substr(at - kIdentifierAt)), code);
    }
  }
  return code;
}

std::vector<KernelResources> parsePtxasReport(std::string_view report) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  std::vector<KernelResources> kernels;
  for (const std::string& line : splitAt(report, '\n')) {
    if (const std::size_t at = line.find(kEntry); at != std::string::npos) {
      KernelResources kernel;
      const std::string rest = line.substr(at + kEntry.size());
      kernel.name = rest.substr(0, rest.find('\''));
      kernel.subgroupSize = kWarp;
      kernels.push_back(std::move(kernel));
      continue;
    }
    if (kernels.empty()) {
      continue;
    }
    KernelResources& kernel = kernels.back();
    kernel.spilledBytes = std::max({kernel.spilledBytes, numberBefore(line, " bytes spill stores"),
                                    numberBefore(line, " bytes stack frame")});
    kernel.registers = std::max(kernel.registers, numberBefore(line, " registers"));
    kernel.sharedBytes = std::max(kernel.sharedBytes, numberBefore(line, " bytes smem"));
  }
  return kernels;
}

std::vector<KernelResources> estimateRegisters(std::string_view ptx) {
  constexpr std::string_view kEntry = ".entry ";
  std::vector<KernelResources> kernels;
  std::map<std::string, LiveRange, std::less<>> ranges;
  std::size_t number = 0;
  const auto finish = [&] {
    if (!kernels.empty()) {
      kernels.back().registers = largestOverlap(ranges);
    }
    ranges.clear();
  };
  for (const std::string& line : splitAt(ptx, '\n')) {
    ++number;
    if (const std::size_t at = line.find(kEntry); at != std::string::npos) {
      finish();
      KernelResources kernel;
      const std::string rest = line.substr(at + kEntry.size());
      kernel.name = rest.substr(0, rest.find_first_of("( "));
      kernel.subgroupSize = kWarp;
      kernels.push_back(std::move(kernel));
    } else if (!line.contains(".reg")) {
      forEachRegister(line, [&](std::string_view name) {
        if (registersFor(name) > 0) {
          ranges.try_emplace(std::string(name), LiveRange{number, number}).first->second.last =
              number;
        }
      });
    }
  }
  finish();
  return kernels;
}

}  // namespace hone::iree
