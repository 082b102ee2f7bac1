/*
   Every number that affects the speed of levels divided among processes.
*/
#pragma once

namespace heptane
{

/* Estimated cost of the parts of a divided cycle, in units of the time per cell of a cycle on one process */
struct GridDividedCost {
  double exchange = 0; /* a message or a barrier, with the work that depends on it */
  double moved    = 0; /* a number of a vector that is sent to another process */

  /* The same with b unknowns per cell, which has 7 b^2 coefficients and 2 b numbers of vectors */
  GridDividedCost Of(int b) const
  {
    const double numbers = (7. * b + 2) * b / 9;

    return {exchange / numbers, moved / numbers};
  }
};

/*
   A cycle is divided if its estimated time is at most `gain` times that of a cycle on the first process, which receives
   vectors by messages. host: processes on the host, with slabs or messages; messages: devices, through the host; reach:
   slabs on devices. Guesses, consistent with 128^3 cells on two H200 of one host; `shared` fits one and two divided
   levels there, which differ by 2 to 4 % from 128^3 to 256^3 cells.
*/
struct GridDividedTuning {
  static constexpr GridDividedCost host() { return {1000, 0.2}; }
  static constexpr GridDividedCost messages() { return {1e6, 500}; }
  static constexpr GridDividedCost shared() { return {1.8e5, 1}; }
  static constexpr double          gain = 0.9;
  /* Extra cost of CG on all columns over CG without red columns, per cell of the finest level. Guess: 270 - 141 bytes,
     over 60 bytes of a cycle */
  static constexpr double red_columns = 2;
  /* Least number of cells for which two GPUs are faster than one: 0.88 of its time with 4.1M cells, two H100 */
  static constexpr double one_gpu_cells = 2.5e6;
};

} // namespace heptane
