#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/nest/nest.h"

namespace hone::kernel::nest {

/// Values of the knobs of one rewrite, by name.
using Knobs = std::map<std::string, std::int64_t, std::less<>>;

/// Each of these changes a normalized function and says whether it found anything to change that
/// the dependences allow; when not, the function is as it was. What they compute may differ in
/// rounding.

/// Loops over the same range become one, and temporaries between them scalars. `rows` > 0: loops
/// around whole nests are cut into blocks of so many rows, and the nests take turns a block.
bool fuseLoops(Function& function, const Knobs& knobs);

/// The loop whose steps are next to each other in memory becomes the innermost; sums in a scalar
/// are kept in the output for it. `block` > 0: it goes over blocks of so many elements.
bool orderLoops(Function& function, const Knobs& knobs);

/// An exponential or tanh taken twice of the same is stored the first time.
bool cacheCalls(Function& function, const Knobs& knobs);

/// Divisions by, and functions of, what stays the same in the innermost loop move out of it.
bool hoistInvariants(Function& function, const Knobs& knobs);

/// Mean and variance in one pass over the data, shifted by the first element so that nothing
/// cancels.
bool onePassStatistics(Function& function, const Knobs& knobs);

/// Sums of products in registers: a tile of `rows` by `vectors` vectors of `width`. `pack` = 1: a
/// panel of the right-hand side, `depth` deep, is copied first so that it is read in order; else it
/// is read in place.
bool tileContractions(Function& function, const Knobs& knobs);

/// The innermost loops by vectors of `width` floats, `unroll` of them at a time, with as many
/// accumulators; exponentials and tanh by polynomials.
bool vectorizeLoops(Function& function, const Knobs& knobs);

/// The outermost loop whose rounds do not touch each other's data runs on `threads` threads.
bool useThreads(Function& function, const Knobs& knobs);

}  // namespace hone::kernel::nest
