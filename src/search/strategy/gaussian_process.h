#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone::search {

/// What a learner expects and how sure it is.
struct Prediction {
  double mean = 0;
  double deviation = 0;
};

/// How much less than the best so far is to be expected, where all that is more counts as nothing.
[[nodiscard]] double expectedImprovement(const Prediction& prediction, double best);

/// Interpolates between few and noisy observations and knows how far from them it is.
class GaussianProcess {
 public:
  using Row = std::span<const float>;

  /// Of features that are not ordered only equality counts.
  explicit GaussianProcess(const std::vector<bool>& ordered);

  /// The rows must stay where they are.
  void fit(std::vector<Row> rows, std::vector<double> targets);
  /// Finds out which features matter and how noisy the targets are, by the likelihood of what was
  /// observed, then fits. Starts from what it learnt before; costs as much as some dozens of fits.
  void learn(const std::vector<Row>& rows, const std::vector<double>& targets);

  [[nodiscard]] double mean(Row row) const;
  [[nodiscard]] Prediction predict(Row row) const;
  /// From 1 for equal rows down to 0.
  [[nodiscard]] double similarity(Row a, Row b) const;

 private:
  void factorize();
  [[nodiscard]] double logLikelihood() const;
  void climb(double& parameter, double low, double high, double factor, double& best);

  std::vector<float> farthest_;  ///< squared; options that differ are all equally far apart
  std::vector<double> weights_;  ///< how quickly the target changes along each feature
  double noise_ = 0.02;          ///< variance against that of the targets
  double center_ = 0;
  double scale_ = 1;
  double amplitude_ = 1;
  std::vector<Row> rows_;
  std::vector<double> targets_;  ///< centered and scaled
  std::vector<double> factor_;   ///< Cholesky factor, lower triangle by rows
  std::vector<double> solved_;   ///< the factor's inverse applied to the targets
  std::vector<double> alpha_;    ///< the covariance's inverse applied to the targets
};

}  // namespace hone::search
