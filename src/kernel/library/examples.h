#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::kernel {

/// A technique shown on a kernel before and after.
struct Example {
  std::string name;       ///< unique: "packing-matmul"
  std::string technique;  ///< "packing", "tiling", "shared-memory", …
  std::string language;   ///< "cpp", "tilelang"
  std::string title;
  std::string text;  ///< why it helps and when, in a few sentences
  std::string before;
  std::string after;
  double speedup = 0;    ///< as measured; 0: nobody did
  bool shipped = false;  ///< with hone; the others are the user's own wins

  bool operator==(const Example&) const = default;
};

/// The library of examples: those that hone ships and the user's own verified wins, found by words
/// (SQLite's FTS5, ranked by BM25).
class Examples {
 public:
  /// The file is made when it is missing, and brought up to what this hone ships.
  [[nodiscard]] static Result<Examples> open(const std::filesystem::path& file,
                                             const std::filesystem::path& shippedFolder);
  Examples(Examples&&) noexcept;
  Examples& operator=(Examples&&) noexcept;
  ~Examples();

  /// The k that fit the query best, any text at all, those of the language first.
  [[nodiscard]] Result<std::vector<Example>> search(std::string_view query,
                                                    std::string_view language, std::size_t k) const;
  [[nodiscard]] Result<std::vector<Example>> list() const;
  /// Adds one, or replaces that of the same name.
  [[nodiscard]] Result<void> add(const Example& example);

 private:
  struct State;
  explicit Examples(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::kernel
