/*
   Writes the index data of the slices, each in the kind with the fewest bytes.
*/
#pragma once

#include "sellp.hpp"
#include <map>

namespace heptane
{

class SellpIndexer {
public:
  /* bits: SellpLimits::index. Fills head, index and by_kind of L, whose slice, block and cols are known */
  SellpIndexer(SellpLayout &L, PetscInt bits) : layout(L), bits_wanted(bits) {}
  void Begin();
  /* The next place of the slice: a cell and its block columns, which must stay in memory until the slice has ended */
  void Add(int cell, const PetscInt columns[], PetscInt count)
  {
    cells.push_back(cell);
    columns_of.push_back(columns);
    counts.push_back(count);
  }
  /* first: the slice's first column of blocks; width: of its longest cell, on return the slice's width. By distances:
     false if that is not the best; cells with the previous cell's distances need not be added. By index: all cells have
     been added. */
  bool EndByDistances(int first, int *width);
  void EndByIndex(int first, int width);

private:
  bool         Repeats(std::size_t lane) const;
  bool         Distances(int width);
  void         Take(int first, int width, std::int64_t at, SellpIndex kind);
  int          Column(int lane, int k) const; /* with index; after the last one a column of the same row */
  std::int64_t Append(const std::vector<int> &words);
  void         Narrow(int width);
  std::int64_t Wide(int width);

  SellpLayout                             &layout;
  PetscInt                                 bits_wanted;
  std::vector<int>                         cells; /* of the slice; columns of lane l are columns_of[l][k], k < counts[l] */
  std::vector<const PetscInt *>            columns_of;
  std::vector<PetscInt>                    counts;
  std::vector<int>                         distances, sorted, merged, words;
  std::map<std::vector<int>, std::int64_t> lists; /* distances of previous slices, and their offsets */
};

} // namespace heptane
