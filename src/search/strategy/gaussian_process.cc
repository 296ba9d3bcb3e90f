#include "search/strategy/gaussian_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace hone::search {
namespace {

constexpr double kPriorWeight = 2;
/// Standard deviation of the logarithm of a weight around its prior.
constexpr double kPriorSpread = 1;
constexpr double kPriorNoise = 0.02;

double squared(double value) { return value * value; }

/// Uses four accumulators to hide the latency of additions.
double dotProduct(const double* a, const double* b, std::size_t count) {
  std::array<double, 4> sums{};
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) {
      sums[j] += a[i + j] * b[i + j];
    }
  }
  for (; i < count; ++i) {
    sums[0] += a[i] * b[i];
  }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

}  // namespace

double expectedImprovement(const Prediction& prediction, double best) {
  const double gain = best - prediction.mean;
  if (prediction.deviation <= 0) {
    return std::max(gain, 0.0);
  }
  const double z = gain / prediction.deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  return gain * below + prediction.deviation * density;
}

GaussianProcess::GaussianProcess(const std::vector<bool>& ordered)
    : weights_(ordered.size(), kPriorWeight) {
  for (const bool one : ordered) {
    maxDistance_.push_back(one ? INFINITY : 0.5F);
  }
}

double GaussianProcess::similarity(Row a, Row b) const {
  float sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float apart = a[i] - b[i];
    sum += static_cast<float>(weights_[i]) * std::min(apart * apart, maxDistance_[i]);
  }
  const float r = std::sqrt(5 * sum);  // Matern 5/2
  return static_cast<double>((1 + r + r * r / 3) * std::exp(-r));
}

void GaussianProcess::fit(std::vector<Row> rows, std::vector<double> targets) {
  rows_ = std::move(rows);
  targets_ = std::move(targets);
  const auto count = static_cast<double>(std::max<std::size_t>(targets_.size(), 1));
  center_ = std::accumulate(targets_.begin(), targets_.end(), 0.0) / count;
  double sum = 0;
  for (double& target : targets_) {
    target -= center_;
    sum += target * target;
  }
  scale_ = std::max(std::sqrt(sum / count), 1e-9);
  for (double& target : targets_) {
    target /= scale_;
  }
  factorize();
}

void GaussianProcess::factorize() {
  const std::size_t n = rows_.size();
  factor_.assign(n * n, 0);
  solved_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    double* own = factor_.data() + i * n;
    double left = targets_[i];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = factor_.data() + j * n;
      double sum = similarity(rows_[i], rows_[j]) + (i == j ? noise_ : 0);
      sum -= dotProduct(own, other, j);
      own[j] = i == j ? std::sqrt(std::max(sum, 1e-9)) : sum / other[j];
      left -= i == j ? 0 : own[j] * solved_[j];
    }
    solved_[i] = left / own[i];
  }
  const double energy = std::inner_product(solved_.begin(), solved_.end(), solved_.begin(), 0.0);
  // One additional prior observation bounds the amplitude if there are few observations.
  amplitude_ = std::max((energy + 1) / static_cast<double>(n + 1), 1e-6);
  alpha_ = solved_;
  for (std::size_t i = n; i-- > 0;) {
    alpha_[i] /= factor_[i * n + i];
    for (std::size_t j = 0; j < i; ++j) {
      alpha_[j] -= factor_[i * n + j] * alpha_[i];
    }
  }
}

double GaussianProcess::logLikelihood() const {
  const std::size_t n = rows_.size();
  double result = -static_cast<double>(n) / 2 * std::log(amplitude_);
  for (std::size_t i = 0; i < n; ++i) {
    result -= std::log(factor_[i * n + i]);
  }
  for (const double weight : weights_) {
    result -= squared(std::log(weight / kPriorWeight) / kPriorSpread) / 2;
  }
  return result - squared(std::log(noise_ / kPriorNoise) / kPriorSpread) / 2;
}

/// Multiplies or divides the parameter as long as the likelihood increases.
void GaussianProcess::climb(double& parameter, double low, double high, double factor,
                            double& best) {
  for (const double step : {factor, 1 / factor}) {
    bool moved = false;
    while (parameter * step >= low && parameter * step <= high) {
      const double before = parameter;
      parameter *= step;
      factorize();
      const double likelihood = logLikelihood();
      if (likelihood <= best) {
        parameter = before;
        break;
      }
      best = likelihood;
      moved = true;
    }
    if (moved) {
      return;
    }
  }
}

void GaussianProcess::learn(const std::vector<Row>& rows, const std::vector<double>& targets) {
  fit(rows, targets);
  double best = logLikelihood();
  for (double& weight : weights_) {
    climb(weight, 0.01, 100, 3, best);
  }
  climb(noise_, 1e-4, 0.5, 3, best);
  factorize();
}

double GaussianProcess::mean(Row row) const {
  double sum = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    sum += similarity(row, rows_[i]) * alpha_[i];
  }
  return center_ + scale_ * sum;
}

Prediction GaussianProcess::predict(Row row) const {
  const std::size_t n = rows_.size();
  std::vector<double> reduced(n);
  double mean = 0;
  double explained = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double alike = similarity(row, rows_[i]);
    mean += alike * alpha_[i];
    const double* own = factor_.data() + i * n;
    reduced[i] = (alike - dotProduct(own, reduced.data(), i)) / own[i];
    explained += reduced[i] * reduced[i];
  }
  const double variance = std::max(1 - explained, 1e-9) * amplitude_;
  return {center_ + scale_ * mean, scale_ * std::sqrt(variance)};
}

}  // namespace hone::search
