/*
   Vectors to the first process and back, by NCCL: see root_nccl.hpp.
*/
#include "root_nccl.hpp"
#include "../../../comm/peer_options.hpp"
#include "../../../metrics/metrics.hpp"
#include "../../../sys/collective.hpp"
#include "../grid/region.hpp"
#include "copy_list.hpp"
#include <petscdmda.h>
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

PetscErrorCode RootGridNccl::SetRows(Mat A, DM grid)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)A);
  const PetscInt *before;
  PetscMPIInt     size, rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(MatGetOwnershipRanges(A, &before));
  first.assign(before, before + size + 1);
  root   = rank == 0;
  usable = before[size] <= PETSC_INT32_MAX;
  to.clear();
  from.clear();
  for (PetscMPIInt p = root; p < (root ? size : 1) && usable; p++) { /* the first process with each other process, each of these with the first one */
    const std::size_t at   = root ? first[static_cast<std::size_t>(p)] : 0;
    const int         rows = static_cast<int>(root ? before[p + 1] - before[p] : before[rank + 1] - before[rank]);

    to.push_back({p, root ? 0 : rows, root ? rows : 0, 0});
    from.push_back({p, root ? rows : 0, root ? 0 : rows, at});
  }
  boxes.clear();
  staged.Free();
  if (grid) PetscCall(SetBoxes(comm, grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective */
PetscErrorCode RootGridNccl::SetBoxes(MPI_Comm comm, DM grid)
{
  struct Corners {
    int first[3], count[3];
  } mine;
  PetscInt             n[3], unknowns, low[3], size[3];
  std::vector<Corners> all(first.size() - 1);

  PetscFunctionBegin;
  PetscCall(DMDAGetInfo(grid, NULL, &n[0], &n[1], &n[2], NULL, NULL, NULL, &unknowns, NULL, NULL, NULL, NULL, NULL));
  PetscCall(DMDAGetCorners(grid, &low[0], &low[1], &low[2], &size[0], &size[1], &size[2]));
  std::copy(low, low + 3, mine.first);
  std::copy(size, size + 3, mine.count);
  PetscCall(CollectiveGather(comm, &mine, sizeof(mine), all.data()));
  const int extent[3] = {static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2])};

  for (std::size_t p = 0; p < all.size(); p++) {
    const GridRegion box = GridRegion::Box(all[p].first, all[p].count);

    usable = usable && box.cells * static_cast<std::size_t>(unknowns) == first[p + 1] - first[p];
    boxes.push_back(grid_intersection(box, extent, static_cast<int>(unknowns), 2, 0, extent[2], 0, extent[2]));
  }
  if (root) staged.Resize(first.back());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGridNccl::Link(MPI_Comm comm, Where where, PetscBool *linked)
{
  std::uint64_t made;
  PeerOptions   options;
  std::string   why;
  Scalar       *memory;

  PetscFunctionBegin;
  PetscCall(NcclLink::Made(comm, where, &made));
  if (!made || !usable) link.reset();
  else if (!link || side != where || link->Number() != made) {
    PetscCall(PeerOptionsGet(where, &options));
    PetscCall(NcclLink::Get(comm, where, options.seconds, &link, &why));
  }
  side   = where;
  in_use = static_cast<bool>(link);
  if (in_use) PetscCall(staged.Memory(side, &memory));
  *linked = (PetscBool)in_use;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of the first process, which have the numbers of the grid */
PetscErrorCode RootGridNccl::CopyRun(const Scalar *x, Scalar *y, [[maybe_unused]] NcclStream stream) const
{
  PetscFunctionBegin;
  if (!root || !first[1]) PetscFunctionReturn(PETSC_SUCCESS);
  if (side == Where::host) std::copy_n(x, first[1], y);
#if PetscDefined(HAVE_CUDA)
  else PetscCallCUDA(cudaMemcpyAsync(y, x, first[1] * sizeof(Scalar), cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* copy(p, rows): between rows of process p, staged except on the first process, and the grid */
template <class F>
PetscErrorCode RootGridNccl::CopyBoxes(Scalar *own, [[maybe_unused]] NcclStream stream, F copy) const
{
  std::vector<GridCopy<Scalar>> copies;

  PetscFunctionBegin;
  if (!root) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t p = 0; p < boxes.size(); p++) {
    copies.push_back(copy(boxes[p], p ? staged.At(side) + first[p] : own));
    if (copies.size() < GridBarrier::most && p + 1 < boxes.size()) continue;
    if (side == Where::host) grid_copy_on_host(copies);
#if PetscDefined(HAVE_CUDA)
    else {
      const MetricsPass metrics(true, [&] { return DeclaredPass{"gridmg: vectors of boxes", NAN}; });

      PetscCallCUDA(launch_grid_copy(grid_kernel_copies(copies), false, static_cast<cudaStream_t>(stream)));
    }
#endif
    copies.clear();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGridNccl::ToRoot(const Scalar *x, Scalar *all, NcclStream stream) const
{
  const auto to_grid = [&](const GridIntersection &box, const Scalar *rows) { return grid_copy_to_box(box, rows, all); };

  PetscFunctionBegin;
  if (boxes.empty()) PetscCall(CopyRun(x, all, stream));
  Scalar *const received = boxes.empty() ? all : staged.At(side);
  PetscCall(link->Exchange(to, x, root ? received + first[1] : nullptr, stream));
  if (!boxes.empty()) PetscCall(CopyBoxes(const_cast<Scalar *>(x), stream, to_grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RootGridNccl::FromRoot(const Scalar *all, Scalar *y, NcclStream stream) const
{
  const auto from_grid = [&](const GridIntersection &box, Scalar *rows) { return grid_copy_from_box(box, all, rows); };

  PetscFunctionBegin;
  if (boxes.empty()) PetscCall(CopyRun(all, y, stream));
  else PetscCall(CopyBoxes(y, stream, from_grid));
  PetscCall(link->Exchange(from, boxes.empty() ? all : staged.At(side), y, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
