#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process/file_rules.h"

namespace hone {

/// A file system for a child process in which only some files exist, built from user and mount
/// namespaces. Landlock alone denies access, so that a program could still find out which files
/// exist. The child also has no network.
class FileView {
 public:
  /// Prepares a view with the files of `access`. `root` must be an existing folder; the child
  /// mounts its file system there.
  FileView(const FileAccess& access, const std::filesystem::path& root);

  /// Enters the view in a child process with a single thread. Has no effect if the system forbids
  /// it. Async-signal-safe.
  void enter() const;

 private:
  struct Mount {
    std::string from;
    std::string to;
    bool isFolder = true;
  };
  void add(const std::filesystem::path& place);

  std::string root_;
  std::vector<std::string> folders_;  ///< to create, parents first
  std::vector<Mount> mounts_;
  std::string userMap_;
  std::string groupMap_;
};

}  // namespace hone
