/*
   The remainder entries of all processes.
*/
#include "replicated_remainder.hpp"
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace heptane
{

PetscErrorCode GridReplicatedRemainder::Places(MPI_Comm c, const GridParallelMatrix &parallel, const BlockDiagonals &D, GridDistribution *distribution)
{
  std::vector<GridEntryPlace> mine, all;
  PetscMPIInt                 size, count;
  MPI_Datatype                unit;
  bool                        neighbours;

  PetscFunctionBegin;
  comm = c;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(parallel.RemainderPlaces(D, &mine, &neighbours));
  PetscBool some = (PetscBool)neighbours;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &some, 1, MPI_C_BOOL, MPI_LOR, comm));
  if (some) distribution->ToRoot("processes store couplings of neighbours in the remainder");
  if (some) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMPIIntCast(static_cast<PetscCount>(mine.size()), &count));
  counts.assign(static_cast<std::size_t>(size), 0);
  first.assign(static_cast<std::size_t>(size) + 1, 0);
  PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
  std::partial_sum(counts.begin(), counts.end(), first.begin() + 1);
  all.resize(static_cast<std::size_t>(first.back()));
  PetscCallMPI(MPI_Type_contiguous(2, MPI_INT, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCallMPI(MPI_Allgatherv(mine.data(), count, unit, all.data(), counts.data(), first.data(), unit, comm));
  PetscCallMPI(MPI_Type_free(&unit));
  std::vector<std::pair<std::uint64_t, int>> keys; /* row and column in one number with the same order */
  for (std::size_t k = 0; k < all.size(); k++)
    keys.emplace_back(static_cast<std::uint64_t>(all[k].row) << 32 | static_cast<std::uint32_t>(all[k].col), static_cast<int>(k));
  std::sort(keys.begin(), keys.end());
  order.clear();
  for (const auto &k : keys) order.push_back(k.second);
  const auto place = [&](int k) { return std::make_pair(all[static_cast<std::size_t>(k)].row, all[static_cast<std::size_t>(k)].col); };
  remainder_row.clear();
  remainder_col.clear();
  remainder_ptr.assign(1, 0);
  for (int k : order) {
    if (remainder_row.empty() || remainder_row.back() != place(k).first) {
      remainder_row.push_back(place(k).first);
      remainder_ptr.push_back(remainder_ptr.back());
    }
    remainder_col.push_back(place(k).second);
    remainder_ptr.back()++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridReplicatedRemainder::Values(GridParallelMatrix *parallel, std::vector<Scalar> *values) const
{
  std::vector<Scalar> mine, all(order.size());
  PetscMPIInt         count;

  PetscFunctionBegin;
  PetscCall(parallel->RemainderValues(&mine));
  PetscCall(PetscMPIIntCast(static_cast<PetscCount>(mine.size()), &count));
  PetscCallMPI(MPI_Allgatherv(mine.data(), count, MPIU_SCALAR, all.data(), counts.data(), first.data(), MPIU_SCALAR, comm));
  values->resize(order.size());
  for (std::size_t k = 0; k < order.size(); k++) (*values)[k] = all[static_cast<std::size_t>(order[k])];
  PetscFunctionReturn(PETSC_SUCCESS);
}

void GridReplicatedRemainder::Fill(BlockDiagonals *D) const
{
  D->remainder_row = &remainder_row;
  D->remainder_ptr = &remainder_ptr;
  D->remainder_col = &remainder_col;
}

} // namespace heptane
