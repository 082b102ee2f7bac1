/*
   Writes the index data of the slices, each in the kind that takes the fewest bytes.
*/
#pragma once

#include "sellp.hpp"
#include <map>

namespace heptane
{

class SellpIndexer {
public:
  /* bits: SellpLimits::index. Fills head, index and by_kind of L, whose slice, block, threads, cols and own_length are known */
  SellpIndexer(SellpLayout &L, PetscInt bits) : layout(L), bits_wanted(bits) {}
  void Begin();
  /* The next place of the slice: a cell and its block columns */
  void Add(int cell, const std::vector<PetscInt> &columns);
  /* first: the slice's first column of blocks; width: of its longest cell, a multiple of the threads per row. Returns the width it takes. */
  int End(int first, int width);

private:
  bool         Repeats(std::size_t lane) const;
  bool         Distances(int width);
  int          Column(int lane, int k) const; /* with index; behind the last one a column of the same row */
  std::int64_t Append(const std::vector<int> &words);
  void         Narrow(int width);
  void         Wide(int width);

  SellpLayout                             &layout;
  PetscInt                                 bits_wanted;
  std::vector<int>                         cells, columns; /* of the slice: columns of lane l are columns[begin[l]] .. columns[begin[l + 1] - 1] */
  std::vector<std::size_t>                 begin;
  std::vector<int>                         distances, sorted, merged, words;
  std::map<std::vector<int>, std::int64_t> lists; /* distances that slices before had, and where they are */
};

} // namespace heptane
