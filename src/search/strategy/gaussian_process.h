#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hone::search {

/// A learner's expected value and its uncertainty.
struct Prediction {
  double mean = 0;
  double deviation = 0;
};

/// Returns the expected improvement below `best`; values above it count as zero.
[[nodiscard]] double expectedImprovement(const Prediction& prediction, double best);

/// Gaussian process regression for few, noisy observations.
class GaussianProcess {
 public:
  using Row = std::span<const float>;

  /// Unordered features are only compared for equality.
  explicit GaussianProcess(const std::vector<bool>& ordered);

  /// Fits the observations. The memory of the rows must outlive this object.
  void fit(std::vector<Row> rows, std::vector<double> targets);
  /// Estimates the relevance of each feature and the noise by maximum likelihood, then fits. Starts
  /// from the previous estimates; costs as much as dozens of fits.
  void learn(const std::vector<Row>& rows, const std::vector<double>& targets);

  [[nodiscard]] double mean(Row row) const;
  [[nodiscard]] Prediction predict(Row row) const;
  /// Returns the correlation of two rows: 1 if equal, towards 0 with distance.
  [[nodiscard]] double similarity(Row a, Row b) const;

 private:
  void factorize();
  [[nodiscard]] double logLikelihood() const;
  void climb(double& parameter, double low, double high, double factor, double& best);

  std::vector<float>
      maxDistance_;  ///< maximum squared distance; all different options are equally far apart
  std::vector<double> weights_;  ///< inverse squared length scale of each feature
  double noise_ = 0.02;          ///< variance relative to the amplitude
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
