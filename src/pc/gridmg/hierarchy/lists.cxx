/*
   The index lists of remainder: see lists.hpp.
*/
#include "lists.hpp"
#include "../rows/system.hpp"
#include <algorithm>

namespace heptane
{

std::vector<GridEntry> grid_remainder_entries(const BlockDiagonals &D, const GridShape &shape, const GridPlan &plan)
{
  std::vector<GridEntry> entries;
  const auto             place = [&](int row) {
    const std::size_t cell = static_cast<std::size_t>(row / D.block);
    const auto        at   = [&](int axis) { return static_cast<int>(cell / shape.stride[plan.axis[axis]] % shape.extent[plan.axis[axis]]); };

    return GridPlace{row % D.block, at(0), at(1), at(2)};
  };

  for (std::size_t r = 0; r < D.remainder_row->size(); r++)
    for (int e = (*D.remainder_ptr)[r]; e < (*D.remainder_ptr)[r + 1]; e++) entries.push_back({place((*D.remainder_row)[r]), place((*D.remainder_col)[e])});
  return entries;
}

std::vector<GridRemainderList> grid_remainder_levels(int B, std::vector<GridEntry> entries, const GridPlan &plan)
{
  const std::vector<GridLevel<float>> levels = grid_shape_levels<float>(plan);
  std::vector<GridRemainderList>      lists;
  std::vector<GridEntry>              remainder;

  for (std::size_t l = 0; l < levels.size(); l++) {
    if (l) entries = grid_coarse_entries(levels[l - 1], remainder);
    lists.push_back(grid_remainder_level(levels[l], B, entries, l > 0, &remainder));
    if (l) lists[l].right_side = grid_remainder_residuals(levels[l - 1], levels[l], lists[l - 1]);
  }
  return lists;
}

namespace
{

/* Appends a list and returns the index of its first entry */
template <class T>
std::size_t append(std::vector<T> &all, const std::vector<T> &list)
{
  const std::size_t first = all.size();

  all.insert(all.end(), list.begin(), list.end());
  return first;
}

bool is_closed(const GridRemainderList &remainder)
{
  std::int64_t most = -1;

  for (std::int64_t row : remainder.row) most = std::max(most, row);
  std::vector<bool> has(static_cast<std::size_t>(most + 1), false);
  for (std::int64_t row : remainder.row) has[static_cast<std::size_t>(row)] = true;
  return std::all_of(remainder.col.begin(), remainder.col.end(), [&](std::int64_t col) { return col <= most && has[static_cast<std::size_t>(col)]; });
}

} // namespace

GridListMemory::Sums GridListMemory::Add(const GridSumsList &list, std::vector<std::int64_t> &all_places, std::vector<int> &all_numbers)
{
  return {append(all_places, list.place), append(all_numbers, list.ptr), append(all_numbers, list.source), static_cast<int>(list.place.size())};
}

void GridListMemory::Take(const std::vector<GridRemainderList> &levels)
{
  std::vector<std::int64_t> all_places;
  std::vector<int>          all_numbers;

  Free();
  for (const GridRemainderList &l : levels) {
    Level v;

    v.row        = append(all_places, l.row);
    v.col        = append(all_places, l.col);
    v.ptr        = append(all_numbers, l.ptr);
    v.rows       = static_cast<int>(l.row.size());
    v.reds       = l.reds;
    v.entries    = static_cast<int>(l.col.size());
    v.closed     = is_closed(l);
    v.values     = Add(l.values, all_places, all_numbers);
    v.blocks     = Add(l.blocks, all_places, all_numbers);
    v.right_side = Add(l.right_side, all_places, all_numbers);
    at.push_back(v);
  }
  places.Take(std::move(all_places));
  numbers.Take(std::move(all_numbers));
}

template <class Real>
PetscErrorCode GridListMemory::View(Where where, std::vector<GridRemainder<Real>> *remainder)
{
  const std::int64_t *place;
  const int          *number;

  PetscFunctionBegin;
  PetscCall(places.Read(where, &place));
  PetscCall(numbers.Read(where, &number));
  remainder->assign(at.size(), GridRemainder<Real>());
  for (std::size_t l = 0; l < at.size(); l++) {
    const Level         &v    = at[l];
    GridRemainder<Real> &to   = (*remainder)[l];
    const auto           sums = [&](const Sums &s) { return GridSums{s.count, place + s.place, number + s.ptr, number + s.source}; };

    to.rows       = v.rows;
    to.reds       = v.reds;
    to.closed     = v.closed;
    to.entries    = v.entries;
    to.row        = place + v.row;
    to.col        = place + v.col;
    to.ptr        = number + v.ptr;
    to.values     = sums(v.values);
    to.blocks     = sums(v.blocks);
    to.right_side = sums(v.right_side);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void GridListMemory::Free()
{
  at.clear();
  places.Free();
  numbers.Free();
}

template PetscErrorCode GridListMemory::View<float>(Where, std::vector<GridRemainder<float>> *);
template PetscErrorCode GridListMemory::View<double>(Where, std::vector<GridRemainder<double>> *);

} // namespace heptane
