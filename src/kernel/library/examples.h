#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hone::kernel {

/// An optimization technique, with a kernel before and after.
struct Example {
  std::string name;       ///< unique: "packing-matmul"
  std::string technique;  ///< "packing", "tiling", "shared-memory", …
  std::string language;   ///< "cpp", "tilelang"
  std::string title;
  std::string text;  ///< when and why it helps, in a few sentences
  std::string before;
  std::string after;
  double speedup = 0;    ///< as measured; 0: unknown
  bool shipped = false;  ///< part of hone; otherwise added from a run of the user

  bool operator==(const Example&) const = default;
};

/// Returns true if the code before and after differs in more than comments and white space.
[[nodiscard]] bool changesCode(const Example& example);

/// The library of examples: those shipped with hone and the user's verified speedups. Full-text
/// search with SQLite's FTS5, ranked by BM25.
class Examples {
 public:
  /// Opens the database, creates it if missing, and updates the shipped examples.
  [[nodiscard]] static Result<Examples> open(const std::filesystem::path& file,
                                             const std::filesystem::path& shippedFolder);
  Examples(Examples&&) noexcept;
  Examples& operator=(Examples&&) noexcept;
  ~Examples();

  /// Returns the k best matches for any text, those of the language first.
  [[nodiscard]] Result<std::vector<Example>> search(std::string_view query,
                                                    std::string_view language, std::size_t k) const;
  [[nodiscard]] Result<std::vector<Example>> list() const;
  /// Adds an example or replaces the one with the same name. Fails with a user error if it does not
  /// change the code.
  [[nodiscard]] Result<void> add(const Example& example);

 private:
  struct State;
  explicit Examples(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace hone::kernel
