/*
   The sizes of a layout of slices, for the arithmetic.
*/
#pragma once

#include "rows.hpp"
#include "sellp.hpp"

namespace heptane
{

/* Its arrays are left as they are */
inline void sellp_shape(const SellpLayout &L, SellpShape *S)
{
  S->rows   = L.rows;
  S->cols   = L.cols;
  S->block  = L.block;
  S->slice  = L.slice;
  S->window = L.window;
  S->cells  = L.cells;
  S->slices = L.slices;
}

} // namespace heptane
