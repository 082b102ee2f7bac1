/*
   Lists of the rows of which warps form the sums.
*/
#include "halo_shared.hpp"
#include <algorithm>

namespace heptane
{

void HaloSharedRows::Make(const std::vector<int> &first, const std::vector<int> &column, int word, int words)
{
  std::vector<int> shared, begin = {0}, to;
  const bool       any = std::adjacent_find(first.begin(), first.end(), [](int a, int b) { return b - a > from; }) != first.end();

  *this = HaloSharedRows();
  if (!any || words < 1) return;
  rows = static_cast<int>(first.size()) - 1;
  for (int k = 0; k < rows; k++) {
    const int length = first[k + 1] - first[k], left = length > from && static_cast<int>(shared.size()) < words ? 1 : length;

    longest = std::max(longest, left);
    if (left < length) {
      to.push_back(word + static_cast<int>(shared.size()));
      source.push_back(-1);
      shared.push_back(k);
    } else
      for (int p = first[k]; p < first[k + 1]; p++) to.push_back(column[p]), source.push_back(p);
    begin.push_back(static_cast<int>(to.size()));
  }
  count = static_cast<int>(shared.size());
  for (int k : shared) {
    for (int p = first[k]; p < first[k + 1]; p++) to.push_back(column[p]), source.push_back(p);
    begin.push_back(static_cast<int>(to.size()));
  }
  ptr.Take(std::move(begin));
  col.Take(std::move(to));
}

void HaloSharedRows::Values(const Scalar all[], Scalar owned[]) const
{
  for (std::size_t p = 0; p < source.size(); p++) owned[p] = source[p] < 0 ? Scalar(1) : all[source[p]];
}

PetscErrorCode HaloSharedRows::Upload(Where side)
{
  const int *there;

  PetscFunctionBegin;
  if (!count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ptr.Read(side, &there));
  PetscCall(col.Read(side, &there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void HaloSharedRows::Take(Where side, std::size_t all, FusedHalo *halo) const
{
  halo->rows.ptr     = ptr.At(side);
  halo->rows.col     = col.At(side);
  halo->rows.longest = longest;
  halo->rows.values += all;
  halo->shared = {halo->rows.ptr + rows, count};
}

} // namespace heptane
