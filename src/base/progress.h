#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

/// One line for long work: stage, done of all, a note, time left. Rewritten in place on a terminal;
/// a plain line now and then in a pipe; nothing when quiet. Always on stderr: stdout is for
/// results.
class Progress {
 public:
  explicit Progress(bool quiet = false);
  /// A new stage of `total` steps; the stage before is closed.
  void stage(std::string_view name, std::int64_t total);
  void step(std::string_view note = {}, std::int64_t count = 1);
  /// A line that stays, above the moving one.
  void say(std::string_view line);
  void finish();

 private:
  void draw(bool force);

  bool quiet_;
  bool terminal_;
  bool drawn_ = false;
  std::string name_;
  std::string note_;
  std::int64_t done_ = 0;
  std::int64_t total_ = 0;
  std::int64_t startNs_ = 0;
  std::int64_t lastDrawNs_ = 0;
};

}  // namespace hone
