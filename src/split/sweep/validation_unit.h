#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/executor/unit.h"
#include "iree/compile/compiler.h"
#include "iree/run/execution.h"
#include "split/sweep/sweep_unit.h"
#include "stats/compare.h"

namespace hone::split {

/// A problem with the ways to split it that are to be held against the compiler's own.
struct ValidationOrder {
  SweepProblem problem;
  std::map<std::string, std::vector<std::int64_t>> sizes;  ///< by name: "1-D"; none: not split
  double sweptBaselineUs = 0;  ///< for a problem that nothing is to be measured of
};

/// One of them, measured.
struct ValidatedChoice {
  double timeUs = 0;
  /// Nothing where it is what the compiler does anyway.
  std::optional<stats::Comparison> comparison;
  [[nodiscard]] double speedup() const { return comparison ? comparison->speedup.estimate : 1; }
};

struct ValidationRecord {
  std::string arguments;
  double baselineUs = 0;                           ///< 0 where it failed
  std::map<std::string, ValidatedChoice> choices;  ///< by name; without those that failed
  std::vector<std::string> failures;
};

[[nodiscard]] Result<ValidationRecord> validationFrom(const nlohmann::json& json);

/// The tools that validate a problem; they must outlive its unit.
struct ValidationTools {
  iree::Compiler& compiler;
  const iree::ModuleRunner& runner;
  std::filesystem::path folder;  ///< for sources
  std::vector<std::string> flags;
  std::uint64_t seed = 1;
};

inline constexpr std::string_view kValidationUnit = "split-validate";

/// The recommended splits of one problem, each against the program as the compiler builds it by
/// itself with split reduction on, side by side in fresh processes, until the difference is proven
/// or enough was tried. Its value is the ValidationRecord.
class ValidationUnit : public engine::Unit {
 public:
  ValidationUnit(const ValidationTools& tools, ValidationOrder order);
  ~ValidationUnit() override;
  [[nodiscard]] static Result<std::unique_ptr<engine::Unit>> fromOrder(const ValidationTools& tools,
                                                                       const nlohmann::json& order);

  [[nodiscard]] std::string_view kind() const override { return kValidationUnit; }
  [[nodiscard]] Result<nlohmann::json> order(engine::FileShare& files) const override;
  [[nodiscard]] Result<void> prepare(std::span<engine::Unit* const> batch) override;
  [[nodiscard]] Result<nlohmann::json> perform(engine::UnitSite& site) override;

 private:
  struct Item;

  [[nodiscard]] Result<void> measure(engine::UnitSite& site);
  /// Returns what was found, by the names that the order has for the ways to split.
  [[nodiscard]] ValidationRecord conclude() const;

  const ValidationTools& tools_;
  ValidationOrder order_;
  std::unique_ptr<Item> item_;  ///< none before prepare()
};

}  // namespace hone::split
