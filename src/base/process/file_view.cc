#include "base/process/file_view.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>

namespace hone {
namespace {

namespace fs = std::filesystem;

void writeSetting(const char* file, std::string_view text) {
  if (const int end = ::open(file, O_WRONLY | O_CLOEXEC); end >= 0) {
    [[maybe_unused]] const auto ignored = ::write(end, text.data(), text.size());
    ::close(end);
  }
}

}  // namespace

FileView::FileView(const FileAccess& access, const fs::path& root)
    : root_(root.string()),
      userMap_(fmt::format("{0} {0} 1", ::getuid())),
      groupMap_(fmt::format("{0} {0} 1", ::getgid())) {
  std::set<fs::path> places;
  for (const auto& each : {access.readable, access.writable}) {
    for (const fs::path& place : each) {
      std::string text = place.lexically_normal().string();
      text.erase(text.find_last_not_of('/') + 1);
      places.insert(text);
    }
  }
  for (const fs::path& place : places) {  // a folder comes before what is below it
    add(place);
  }
  std::set<std::string> parents;
  for (const Mount& mount : mounts_) {
    fs::path folder = mount.isFolder ? fs::path(mount.to) : fs::path(mount.to).parent_path();
    for (; folder.string().size() > root_.size(); folder = folder.parent_path()) {
      parents.insert(folder.string());
    }
  }
  folders_.assign(parents.begin(), parents.end());
}

void FileView::add(const fs::path& place) {
  std::error_code code;
  const fs::path real = fs::canonical(place, code);
  const bool covered = std::ranges::any_of(mounts_, [&](const Mount& mount) {
    return mount.isFolder && (root_ + place.string()).starts_with(mount.to + "/");
  });
  if (!code && !covered) {
    mounts_.push_back({real.string(), root_ + place.string(), fs::is_directory(real, code)});
  }
}

void FileView::enter() const {
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET) != 0) {
    return;
  }
  writeSetting("/proc/self/setgroups", "deny");
  writeSetting("/proc/self/uid_map", userMap_);
  writeSetting("/proc/self/gid_map", groupMap_);
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", root_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=1m") != 0) {
    return;
  }
  for (const std::string& folder : folders_) {
    ::mkdir(folder.c_str(), 0755);
  }
  for (const Mount& mount : mounts_) {
    if (!mount.isFolder) {
      ::close(::open(mount.to.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644));
    }
    if (::mount(mount.from.c_str(), mount.to.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
      return;  // incomplete: the program could not run in it
    }
  }
  if (::chroot(root_.c_str()) == 0) {
    [[maybe_unused]] const int ignored = ::chdir("/");
  }
}

}  // namespace hone
