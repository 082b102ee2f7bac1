/*
   Maps the entries of MatSetPreallocationCOO() to the value array of one local part, in the smallest of three forms,
   and applies the map on the host or on the device. Uses only the slots of parts.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../csr/csr.hpp"
#include "../values/local_part.hpp"
#include "rows.hpp"
#include <vector>

namespace heptane
{

/*
   One of three kinds. groups: every group of slots (LocalPart::SlotGroups()) is filled by an arithmetic run of entries,
   all with the same step: one index per group; slots after the groups are single. single: at most one entry per slot:
   one index per slot. sums: repeated entries, in runs: every slot of a group has one entry of each of the group's runs,
   and all runs have the same step: one index per group and one per run. Otherwise every slot is a group of its own.
*/
template <class Index>
struct CooIndices {
  Buffer<Index> start;         /* groups: entry of the first slot of each group, -1: the group is empty */
  Buffer<Index> single;        /* single: entry of each slot from first_single on, -1: none */
  Buffer<Index> begin;         /* sums: offset of each group's runs in `run`, groups first, then the slots after them */
  Buffer<Index> run;           /* sums: the entry of the group's first slot */
  bool          pairs = false; /* groups: every start is even */
};

struct CooMap {
  CooMap()                          = default;
  CooMap(const CooMap &)            = delete;
  CooMap &operator=(const CooMap &) = delete;

  /* place[k]: index of entry k among the compressed-row entries of the part's pattern, -1 if it is not in this part;
     k < entries. Null: k itself. */
  PetscErrorCode Build(const LocalPart &part, const Csr &A, PetscCount entries, const PetscInt place[]);
  PetscErrorCode Apply(Where where, const CooSource &source, PetscBool add, Scalar values[]);
  const char    *Kind() const;

private:
  bool                     wide = false; /* 64-bit indices: more entries or values than 32 bits count */
  SlotGroups               groups;
  std::size_t              step = 0, first_single = 0; /* step: of a run of entries; first_single: slots before it are in groups */
  CooIndices<int>          narrow_map;
  CooIndices<std::int64_t> wide_map;
};

/* Unique sorted compressed rows of a list of entries; entries with a negative index are left out. ptr[rows + 1] and
   col[ptr[rows]] by PetscMalloc1(), owned by the caller; col is null if the list itself is such compressed rows, with
   the columns j. */
PetscErrorCode CooPattern(PetscInt rows, PetscInt cols, PetscCount n, const PetscInt i[], const PetscInt j[], PetscInt **ptr, PetscInt **col);

/* Index of (row, col) among the compressed-row entries, -1 if absent; columns sorted. hint: the previous result; its
   successor is tried first */
inline PetscInt csr_find(const Csr &A, PetscInt row, PetscInt col, PetscInt hint)
{
  PetscInt lo = A.ptr[row], hi = A.ptr[row + 1];

  if (hint + 1 >= lo && hint + 1 < hi && A.col[hint + 1] == col) return hint + 1;
  while (lo < hi) {
    const PetscInt mid = lo + (hi - lo) / 2;
    if (A.col[mid] < col) lo = mid + 1;
    else hi = mid;
  }
  return lo < A.ptr[row + 1] && A.col[lo] == col ? lo : -1;
}

} // namespace heptane
