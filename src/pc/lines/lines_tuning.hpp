/*
   Every number of lines and of the elimination of red columns that affects speed, but for the shape of lines in registers: see GridTuning.
*/
#pragma once

namespace heptane
{

struct LinesTuning {
  static constexpr int threads           = 256; /* of a block where a thread has a cell; guess */
  static constexpr int line_threads      = 64;  /* where a thread factors a whole line: many blocks; guess */
  static constexpr int factors_ahead     = 6;   /* cells whose loads are under way while a line of one unknown per cell is factored; guess */
  static constexpr int product_residents = 2; /* blocks of a multiprocessor, at least, that multiply with the Schur complement: decides the registers; guess */
};

} // namespace heptane
