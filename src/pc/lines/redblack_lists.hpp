/*
   Which red columns are kept, and the list of entries of the Schur complement that are neither those of black columns nor of eliminated ones: made once a pattern, on the host.
*/
#pragma once

#include "../gridmg/gridmg_plan.hpp"
#include "redblack_rows.hpp"

namespace heptane
{

struct RedBlackLists {
  RemainingColumns           of;                       /* without kept_column */
  std::vector<int>           kept_column, kept_number; /* see RedBlack; kept_number empty: none is kept */
  std::vector<std::uint32_t> mask;                     /* see RemainderRows */
  std::vector<int>           base, ptr, col;
  std::vector<std::int64_t>  source;                  /* of the entries: see redblack_entry() */
  int                        longest = 0, linked = 0; /* entries of a row at most; columns with entries beside the block diagonals */
};

RedBlackLists redblack_lists(const BlockDiagonals &D, const GridShape &shape, const GridPlan &plan);

} // namespace heptane
