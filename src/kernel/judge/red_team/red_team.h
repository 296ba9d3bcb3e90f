#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel/judge/defence.h"
#include "kernel/judge/judge.h"
#include "kernel/source/source.h"

namespace hone::kernel {

/// A kernel that tries to be accepted as faster without doing the work.
struct Exploit {
  Source source;
  std::string tries;                   ///< one sentence
  std::string problem;                 ///< name of its problem: "matmul"
  std::vector<std::string> stoppedBy;  ///< names of the defences that are expected to stop it
};

struct ExploitResult {
  bool passed = false;   ///< accepted, and faster than the honest kernel of its problem
  bool skipped = false;  ///< not run: TileLang is not installed
  Defence defence = Defence::none;
  model::Outcome outcome = model::Outcome::ok;
  std::string message;
  double speedup = 0;  ///< over the honest kernel; 0 if it was rejected

  /// Returns the name of the defence, or "no gain" for a kernel that is accepted but not faster.
  [[nodiscard]] std::string stoppedBy() const;
};

/// Reads all exploits of a folder, by name.
[[nodiscard]] Result<std::vector<Exploit>> readExploits(const std::filesystem::path& folder);

/// Judges exploits against the problems of the corpus: `problems/NAME.reference.*` in its folder,
/// with an honest kernel `problems/NAME.cc` or `problems/NAME.py`.
class RedTeam {
 public:
  RedTeam(std::filesystem::path folder, JudgeOptions options)
      : folder_(std::move(folder)), options_(std::move(options)) {}

  /// Judges an exploit. TileLang exploits are only scanned if `options` have no Python.
  [[nodiscard]] Result<ExploitResult> run(const Exploit& exploit);

 private:
  struct Problem {
    Judge judge;
    Source honest;
    double honestNs = 0;  ///< of its screening
  };
  /// Measures the exploit and the honest kernel alternately and sets the speedup. Rejects an
  /// exploit that fails during the measurement.
  [[nodiscard]] static Result<void> compare(Problem& problem, const Exploit& exploit,
                                            ExploitResult& result);
  [[nodiscard]] Result<Problem*> openProblem(const std::string& name, Language language);

  std::filesystem::path folder_;
  JudgeOptions options_;
  std::map<std::string, Problem> problems_;
};

}  // namespace hone::kernel
