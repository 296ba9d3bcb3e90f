#pragma once

#include <string>

#include "base/file.h"
#include "store/store.h"

namespace hone::serve {

/// Store that the test writes like a run in another process.
class TestStore {
 public:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "hone.db"; }
  [[nodiscard]] store::Store open() const {
    return store::Store::open(file(), store::Store::Mode::write).value();
  }
  static std::int64_t addRun(store::Store& store, const std::string& command = "bench") {
    store::Run run;
    run.command = command;
    run.arguments = {command, "m.mlir"};
    run.startedAt = "2026-11-16T10:00:00Z";
    run.device = "local-sync";
    return store.addRun(run).value();
  }
  static void addTrial(store::Store& store, std::int64_t run, const std::string& name) {
    store::Trial trial;
    trial.key = name;
    trial.problem = "matmul";
    trial.config.name = name;
    const model::Sample sample{.stage = model::Stage::screen, .wallNs = 1e6, .cpuNs = 1e6};
    store.addTrial(run, trial, {{sample}}).value();
  }

  /// Removes the store files. Open readers keep reading them.
  void remove() const {
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(file().string() + suffix);
    }
  }

 private:
  ScratchFolder folder_ = ScratchFolder::create("hone-serve-test").value();
};

}  // namespace hone::serve
