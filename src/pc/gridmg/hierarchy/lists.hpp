/*
   The index lists of the remainder entries of all levels, in one allocation per type, on the host and in the memory
   space of their use.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../grid/remainder.hpp"
#include "../grid/plan.hpp"

namespace heptane
{

/* The remainder entries of D, in their order, as places of a grid with these axes */
std::vector<GridEntry> grid_remainder_entries(const BlockDiagonals &D, const GridShape &shape, const GridPlan &plan);
/* The remainder entries of all levels, from the entries of the first one; cells have B unknowns */
std::vector<GridRemainderList> grid_remainder_levels(int B, std::vector<GridEntry> entries, const GridPlan &plan);

class GridListMemory {
public:
  /* The lists of the levels; they are copied */
  void Take(const std::vector<GridRemainderList> &levels);
  /* Addresses of the lists, for each level; the caller allocates values and right-hand sides */
  template <class Real>
  PetscErrorCode View(Where where, std::vector<GridRemainder<Real>> *remainder);
  void           Free();

private:
  struct Sums {
    std::size_t place, ptr, source;
    int         count;
  };
  struct Level {
    std::size_t row, col, ptr;
    int         rows, reds, entries;
    bool        closed;
    Sums        values, blocks, right_side;
  };
  Sums Add(const GridSumsList &list, std::vector<std::int64_t> &places, std::vector<int> &numbers);

  std::vector<Level>   at;
  Buffer<std::int64_t> places;
  Buffer<int>          numbers;
};

} // namespace heptane
