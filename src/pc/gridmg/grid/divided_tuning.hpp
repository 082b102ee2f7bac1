/*
   Every number of levels divided among processes that affects speed.
*/
#pragma once

namespace heptane
{

/* What the parts of a divided cycle are expected to take, in units of a cell of a cycle on one process */
struct GridDividedCost {
  double exchange = 0; /* a message or a meeting, and what waits for it */
  double moved    = 0; /* a number of a vector that is sent to another process */

  /* The same with b unknowns per cell, which has 7 b^2 coefficients and 2 b numbers of vectors */
  GridDividedCost Of(int b) const
  {
    const double numbers = (7. * b + 2) * b / 9;

    return {exchange / numbers, moved / numbers};
  }
};

/*
   A cycle divides its levels where it is expected to take at most the part `gain` of the time on the first process, to which vectors go by messages. host: processes on the host, with slabs or messages;
   messages: of devices, through the host; reach: slabs of devices. Guesses, which agree with 128^3 cells on two H200 of one host: set-up and solve 674 ms with all levels on the first process. reach: by
   one and two divided levels on two H200, 2.01 and 2.10 with 128^3 cells, 3.72 and 3.58 with 160^3, 8.52 and 8.32 with 256^3
*/
struct GridDividedTuning {
  static constexpr GridDividedCost host() { return {1000, 0.2}; }
  static constexpr GridDividedCost messages() { return {1e6, 500}; }
  static constexpr GridDividedCost reach() { return {1.8e5, 1}; }
  static constexpr double          gain = 0.9;
  /* What CG on all columns takes more than without red ones, for a cell of the finest level. Guess: 141 bytes in the place of 270, and 60 of a cycle */
  static constexpr double red_columns = 2;
  /* So many cells, or more: two GPUs are faster than one. Set-up and solve on two H100: 1.04 times that on one with 2.1M cells, 0.88 with 4.1M, 0.78 with 16.8M */
  static constexpr double one_gpu_cells = 2.5e6;
};

} // namespace heptane
