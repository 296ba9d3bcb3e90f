#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "iree/compile/target.h"
#include "iree/spec/spec.h"
#include "tune/program/program_flags.h"
#include "tune/proof/proof.h"

namespace hone::tune {

struct TunedDispatch;

/// The winners of a program's dispatches as entries of a tuning spec, to be proven together.
class SpecRecipe {
 public:
  /// A winner that no matcher of the compiler can name, or whose matcher also means a dispatch with
  /// another winner that gives more, is left out and its note says so.
  [[nodiscard]] static Result<SpecRecipe> make(iree::Compiler& compiler, const iree::Target& target,
                                               const WholeProgram& whole, const FlagSet& flags,
                                               std::vector<TunedDispatch>& dispatches);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  /// The flags alone.
  [[nodiscard]] SpecRecipe withoutEntries() const { return {target_, flags_}; }
  /// Refers to this: must not outlive it.
  [[nodiscard]] Recipe recipe() const;
  enum class Comments : std::uint8_t { none, all };
  /// The spec of these entries; "" for none.
  [[nodiscard]] Result<std::string> text(std::span<const std::size_t> entries,
                                         Comments comments = Comments::all) const;
  /// What the compiler does with the spec of these entries that it should not, a sentence each: an
  /// entry that matches nothing, is not taken, is put on a dispatch that it was not found for, or
  /// not on one that it was.
  [[nodiscard]] Result<std::vector<std::string>> faultsOn(
      iree::Compiler& compiler, const WholeProgram& whole, std::span<const std::size_t> entries,
      const std::vector<TunedDispatch>& dispatches) const;
  /// Tells the dispatches what became of their winners.
  void mark(std::span<const std::size_t> kept, std::span<const RemovedIngredient> removed,
            std::vector<TunedDispatch>& dispatches) const;

 private:
  struct Entry {
    iree::SpecEntry spec;
    std::size_t dispatch = 0;
    double expectedGain = 0;
    bool exact = true;  ///< its matcher means nothing else
  };

  SpecRecipe(iree::Target target, FlagSet flags)
      : target_(std::move(target)), flags_(std::move(flags)) {}
  [[nodiscard]] Result<model::Config> configOf(std::span<const std::size_t> entries) const;

  iree::Target target_;
  FlagSet flags_;
  std::vector<Entry> entries_;
};

}  // namespace hone::tune
