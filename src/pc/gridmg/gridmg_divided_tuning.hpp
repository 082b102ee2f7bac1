/*
   Every number of levels divided among processes that affects speed.
*/
#pragma once

namespace heptane
{

/* What the parts of a divided cycle are expected to take, in units of a cell of a cycle on one process */
struct GridDividedCost {
  double exchange = 0; /* a message and what waits for it */
  double moved    = 0; /* a number of a vector that is sent to another process */
};

/* A cycle divides its levels where it is expected to take at most the part `gain` of the time on the first process. Guess */
struct GridDividedTuning {
  static constexpr GridDividedCost host() { return {1000, 0.2}; }
  static constexpr GridDividedCost device() { return {1e6, 30}; }
  static constexpr double          gain = 0.9;
};

} // namespace heptane
