#pragma once

#include "split/fit/cases.h"

namespace hone::split {

/// The ladder over the output size alone: one limit a band, smaller ones for larger outputs, its
/// boundaries squares. Each shape votes for the limits within 15 % of its best one, and its
/// neighbours in size decide between them; neighbours that agree are a band. Bands that do not
/// save the price of a rung, once boundaries are rounded and limits descend, are put together;
/// fitAtBestPrice finds the price.
[[nodiscard]] Ladder fitLadder(const Cases& cases);

}  // namespace hone::split
