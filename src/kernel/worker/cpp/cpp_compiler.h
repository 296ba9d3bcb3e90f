#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/process/subprocess.h"

namespace hone::kernel {

/// The system's g++, confined like the kernels that it compiles. It can read only system
/// headers, libraries and the files of the compiler (Landlock), and write only one folder. Where
/// user namespaces are available, no other file exists for it. Its environment has only the
/// variables that it needs.
class CppCompiler {
 public:
  /// Finds g++ and asks it for its folders. Fails with a machine error if it is missing.
  [[nodiscard]] static Result<CppCompiler> open(Limits limits);

  /// Runs g++ on files in `folder`, the only folder that it can write.
  [[nodiscard]] Result<Finished> run(const std::vector<std::string>& arguments,
                                     const std::filesystem::path& folder) const;

  /// Returns the compiler's description of its version.
  [[nodiscard]] const std::string& version() const { return version_; }
  /// Returns true for files in the folders of system headers.
  [[nodiscard]] bool isSystemHeader(const std::filesystem::path& file) const;

 private:
  CppCompiler(std::string program, Limits limits) : program_(std::move(program)), limits_(limits) {}
  [[nodiscard]] Result<void> findFolders();
  void findPrograms(const std::vector<std::string>& folders);

  std::string program_;
  Limits limits_;
  std::string version_;
  std::vector<std::filesystem::path> headerFolders_;
  std::set<std::filesystem::path> readable_;  ///< everything that g++ needs, except sources
};

}  // namespace hone::kernel
