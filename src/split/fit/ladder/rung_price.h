#pragma once

#include <functional>

#include "split/fit/cases.h"

namespace hone::split {

/// The ladder that is best when each of its rungs costs so much.
using LadderAt = std::function<Ladder(double price)>;
/// A way to fit. The cases outlive what it returns; there is at least one.
using Fitter = std::function<LadderAt(const Cases& cases)>;

/// The ladder at the highest price that is about as good as any on shapes left out of the fit, so
/// that noise makes no rungs. Prices that leave fewer shapes slower than their baseline go first.
[[nodiscard]] Ladder fitAtBestPrice(const Cases& cases, const Fitter& fitter);

}  // namespace hone::split
