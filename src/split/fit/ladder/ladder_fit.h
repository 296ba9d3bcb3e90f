#pragma once

#include "split/fit/cases.h"

namespace hone::split {

/// Fits a ladder over the output size only: one limit per band, decreasing with the output size,
/// and square boundaries. Each shape votes for the limits within 15 % of its best one. The votes of
/// neighbouring sizes break ties; neighbours with the same limit form a band. Bands that do not
/// save the price of their rung, after rounding boundaries and enforcing decreasing limits, are
/// merged. fitAtBestPrice chooses the price.
[[nodiscard]] Ladder fitLadder(const Cases& cases);

}  // namespace hone::split
