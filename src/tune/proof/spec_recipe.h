#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "iree/compile/toolchain/target.h"
#include "iree/spec/spec.h"
#include "tune/program/program_flags.h"
#include "tune/proof/proof.h"

namespace hone::tune {

struct TunedDispatch;

/// The winners of a program's dispatches as entries of a tuning spec, to be proven together.
class SpecRecipe {
 public:
  /// Omits winners that no compiler matcher can select, and those whose matcher also selects a
  /// dispatch with a better winner. Their notes give the reason.
  [[nodiscard]] static Result<SpecRecipe> make(iree::Compiler& compiler, const iree::Target& target,
                                               const WholeProgram& whole, const FlagSet& flags,
                                               std::vector<TunedDispatch>& dispatches);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// Returns the recipe with the flags alone.
  [[nodiscard]] SpecRecipe withoutEntries() const { return {target_, flags_}; }
  /// Returns a recipe that refers to this object and must not outlive it.
  [[nodiscard]] Recipe recipe() const;
  enum class Comments : std::uint8_t { none, all };
  /// Returns the spec with these entries; "" if there are none.
  [[nodiscard]] Result<std::string> text(std::span<const std::size_t> entries,
                                         Comments comments = Comments::all) const;
  /// Checks how the compiler applies the spec and returns one message per fault: an entry that
  /// matches nothing, is ignored, matches an unintended dispatch, or misses an intended one.
  [[nodiscard]] Result<std::vector<std::string>> findFaults(
      iree::Compiler& compiler, const WholeProgram& whole, std::span<const std::size_t> entries,
      const std::vector<TunedDispatch>& dispatches) const;
  /// Records in the dispatches whether their winners were kept.
  void recordOutcome(std::span<const std::size_t> kept, std::span<const RemovedIngredient> removed,
                     std::vector<TunedDispatch>& dispatches) const;

 private:
  struct Entry {
    iree::SpecEntry spec;
    std::size_t dispatch = 0;
    double expectedGain = 0;
    bool exact = true;  ///< its matcher selects nothing else
  };

  SpecRecipe(iree::Target target, FlagSet flags)
      : target_(std::move(target)), flags_(std::move(flags)) {}
  [[nodiscard]] Result<model::Config> buildConfig(std::span<const std::size_t> entries) const;

  iree::Target target_;
  FlagSet flags_;
  std::vector<Entry> entries_;
};

}  // namespace hone::tune
