/*
   The fixed values of a matrix in CG without red columns: lists of the cells, and the residual without them. On the host or on the device.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "gridmg_fixed_rows.hpp"

namespace heptane
{

/* As kernels see them. Of both lists `count` says how many there are; their order is any, since no two entries are for one cell. */
struct GridFixedLists {
  GridFixedPlaces     at;
  GridFixedRow       *rows    = nullptr;
  GridFixedCell      *cells   = nullptr;
  unsigned long long *count   = nullptr; /* [2] */
  std::size_t         most[2] = {0, 0};  /* that there is memory for */
  Scalar             *left    = nullptr; /* the residual of all cells */

  /* Entry k of a list; couplings that the scale of a cycle makes zero are not counted before, so that there may be more than there is memory for */
  HEPTANE_HD bool has_row(std::size_t k) const { return k < most[0] && k < count[0]; }
  HEPTANE_HD bool has_cell(std::size_t k) const { return k < most[1] && k < count[1]; }
};

class GridFixed {
public:
  /* From the values of a matrix in which so many cells are coupled to fixed ones. got: there is memory for them. */
  PetscErrorCode Find(const GridMatrix &A, const int extent[3], std::size_t rows, Where where, bool *got);
  bool           Any() const { return lists.most[0] > 0; }

  /* The residual r, in which fixed cells have been solved: a vector of this object */
  const Scalar *HostLeft(const Scalar *r);
  const Scalar *Left() const { return lists.left; }
  /* x of fixed cells, which has not changed since r was given */
  void HostAdd(Scalar *x) const;
#if PetscDefined(HAVE_CUDA)
  cudaError_t LaunchLeft(const Scalar *r, const Scalar **left, cudaStream_t stream);
  cudaError_t LaunchAdd(Scalar *x, cudaStream_t stream) const;
#endif

private:
  GridFixedLists             lists;
  Buffer<GridFixedRow>       rows;
  Buffer<GridFixedCell>      cells;
  Buffer<unsigned long long> count{2};
  Buffer<Scalar>             left;
};

#if PetscDefined(HAVE_CUDA)
/* Launches. They return the CUDA error and do not synchronise. */
cudaError_t launch_grid_fixed_find(const GridMatrix &A, const GridFixedLists &F, cudaStream_t stream);
cudaError_t launch_grid_fixed_left(const GridFixedLists &F, const Scalar *r, cudaStream_t stream);
cudaError_t launch_grid_fixed_add(const GridFixedLists &F, Scalar *x, cudaStream_t stream);
#endif

} // namespace heptane
