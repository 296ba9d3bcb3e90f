#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/file.h"
#include "model/result/summary/profile_row.h"
#include "report/pages/run_document.h"

namespace hone::report {

/// Writes runs into a store and reads the documents of their pages.
class RunDocumentTest : public testing::Test {
 protected:
  RunDocumentTest()
      : folder_(ScratchFolder::create("hone-document").value()),
        store_(store::Store::open(folder_.path() / "s.db", store::Store::Mode::write).value()) {}

  std::int64_t begin(const std::string& command,
                     const nlohmann::json& details = nlohmann::json::object()) {
    store::Run run;
    run.key = run.command = command;
    run.arguments = {command, "x"};
    run.device = "local-sync";
    run.details = model::runDetailsFrom(details);
    return run_ = store_.addRun(run).value();
  }
  /// Adds a trial with one sample per round.
  void addTrial(const std::string& key, const nlohmann::json& details,
                const std::vector<double>& cpuNs = {}, model::Stage stage = model::Stage::final,
                model::Outcome outcome = model::Outcome::ok) {
    store::Trial trial;
    trial.key = trial.config.name = key;
    trial.outcome = outcome;
    trial.details = model::trialDetailsFrom(details);
    std::vector<model::Sample> samples;
    for (const double ns : cpuNs) {
      samples.push_back({.stage = stage,
                         .round = static_cast<std::int64_t>(samples.size()),
                         .wallNs = 2 * ns,
                         .cpuNs = ns});
    }
    ASSERT_TRUE(store_.addTrial(run_, trial, samples));
  }
  [[nodiscard]] bool addTrial(const store::Trial& trial,
                              const std::vector<model::Sample>& samples) {
    return store_.addTrial(run_, trial, samples).has_value();
  }
  [[nodiscard]] bool addSample(std::int64_t trial, const model::Sample& sample) {
    return store_.addSamples(std::vector<store::TrialSample>{{trial, sample}}).has_value();
  }
  nlohmann::json finish(const nlohmann::json& summary,
                        store::RunStatus status = store::RunStatus::finished) {
    EXPECT_TRUE(store_.finishRun(run_, status, summary));
    return document();
  }
  nlohmann::json document() { return runDocument(store_, run_).value().json(); }
  [[nodiscard]] nlohmann::json together(const std::vector<std::int64_t>& runs) const {
    return runsDocument(runsAnswers(store_, runs).value()).json();
  }

  [[nodiscard]] std::int64_t shownRun() const { return run_; }

  static nlohmann::json part(const nlohmann::json& document, const std::string& title) {
    for (const nlohmann::json& one : document["parts"]) {
      if (one.value("title", "") == title) {
        return one;
      }
    }
    ADD_FAILURE() << "no part " << title << " in " << titles(document);
    return nlohmann::json::object();
  }
  static std::string titles(const nlohmann::json& document) {
    std::string all;
    for (const nlohmann::json& one : document["parts"]) {
      all += one.value("title", one.value("text", "")) + "; ";
    }
    return all;
  }
  static std::string headline(const nlohmann::json& document) {
    return document["answer"]["headline"];
  }
  static std::string lines(const nlohmann::json& document) {
    return document["answer"]["lines"].dump();
  }

 private:
  ScratchFolder folder_;
  store::Store store_;
  std::int64_t run_ = 0;
};

/// Returns an interval of +-0.1 around the estimate.
[[nodiscard]] inline nlohmann::json interval(double estimate) {
  return {{"low", estimate - 0.1}, {"estimate", estimate}, {"high", estimate + 0.1}};
}

/// Returns the result of a tuned program, with `more` members.
[[nodiscard]] inline nlohmann::json tuned(const nlohmann::json& more) {
  nlohmann::json program = {
      {"program", "m"},
      {"default_ns", 300},
      {"tuned_ns", 100},
      {"speedup", interval(3)},
      {"verdict", "improved"},
      {"variants",
       {{{"name", ""},
         {"dispatches",
          {{{"name", "m_dispatch_0"},
            {"share", 0.9},
            {"in_spec", true},
            {"winner", {{"point", "rows=8 peel=1"}, {"speedup", interval(3)}}}},
           {{"name", "m_dispatch_1"}, {"share", 0.1}, {"why_not", "no knobs"}}}}}}}};
  program.update(more);
  return {{"programs", nlohmann::json::array({program})}};
}

/// Returns a verified row of a profile with an interval of 10 %.
[[nodiscard]] inline model::ProfileRow makeRow(const std::string& provider,
                                               const std::string& configuration, double timeNs) {
  model::ProfileRow row;
  row.operation = "matmul_8x8x8";
  row.dispatch = row.operation + "_" + configuration;
  row.provider = provider;
  row.configuration = configuration;
  row.tile = "8x8";
  row.flops = 1000;
  row.bytes = 100;
  row.timeNs = timeNs;
  row.lowNs = 0.9 * timeNs;
  row.highNs = 1.1 * timeNs;
  row.attainableGflops = 20;
  row.verification = "SUCCESS";
  return row;
}

}  // namespace hone::report
