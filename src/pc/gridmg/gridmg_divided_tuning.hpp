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

/*
   A cycle divides its levels where it is expected to take at most the part `gain` of the time on the first process, to which vectors go by messages. messages: between processes of the host; of
   devices, where they go through the host; reach: of devices that reach each other's memory. Guess, but for messages of devices: 5 ns and more per byte between two H200 of one host
*/
struct GridDividedTuning {
  static constexpr GridDividedCost host() { return {1000, 0.2}; }
  static constexpr GridDividedCost messages() { return {1e6, 500}; }
  static constexpr GridDividedCost reach() { return {3.5e5, 1}; }
  static constexpr double          gain = 0.9;
};

} // namespace heptane
