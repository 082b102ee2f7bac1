/*
   Fixed values in CG without red columns on the device: see gridmg_fixed_rows.hpp.
*/
#include "../../device/launch.hpp"
#include "../../metrics/metrics.hpp"
#include "gridmg_fixed.hpp"
#include "gridmg_tuning.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads;

__device__ __forceinline__ std::size_t number_of_thread()
{
  return blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;
}

/*
   Computes  the lists of fixed cells and of those that are coupled to them
   Threads   one per cell
   Bytes     7 sizeof(Scalar) per cell, and the lists
   Order     entries come in any order; each is for one cell
*/
__global__ void __launch_bounds__(threads) grid_fixed_find_kernel(const __grid_constant__ GridMatrix A, const __grid_constant__ GridFixedLists F)
{
  const std::size_t cell = number_of_thread();
  GridFixedRow      row;
  GridFixedCell     fixed;

  if (cell >= F.at.cells()) return;
  if (grid_fixed_row(A, F.at, cell, row)) {
    const std::size_t k = atomicAdd(F.count, 1ull);
    if (k < F.most[0]) F.rows[k] = row;
  }
  if (grid_fixed_cell(A, F.at, cell, fixed)) {
    const std::size_t k = atomicAdd(F.count + 1, 1ull);
    if (k < F.most[1]) F.cells[k] = fixed;
  }
}

/*
   Computes  what is left of the residual r of cells that are coupled to fixed ones; zero for fixed ones, and what x grows by there
   Threads   one per entry of the lists
   Bytes     per row sizeof(GridFixedRow) + 3 sizeof(Scalar), per fixed cell 6 sizeof(Scalar)
   Order     that of the sides
*/
__global__ void __launch_bounds__(threads) grid_fixed_left_kernel(const __grid_constant__ GridFixedLists F, const Scalar *r)
{
  const std::size_t k = number_of_thread();

  if (F.has_row(k)) F.left[F.rows[k].cell] = grid_left_of(F.rows[k], F.at, r);
  if (F.has_cell(k)) {
    GridFixedCell &fixed = F.cells[k];

    fixed.more         = fixed.inverse * r[fixed.cell];
    F.left[fixed.cell] = 0;
  }
}

/*
   Computes  x of fixed cells
   Threads   one per fixed cell
   Bytes     4 sizeof(Scalar) per fixed cell
   Order     none
*/
__global__ void __launch_bounds__(threads) grid_fixed_add_kernel(const __grid_constant__ GridFixedLists F, Scalar *x)
{
  const std::size_t k = number_of_thread();

  if (F.has_cell(k)) x[F.cells[k].cell] += F.cells[k].more;
}

} // namespace

cudaError_t launch_grid_fixed_find(const GridMatrix &A, const GridFixedLists &F, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return DeclaredPass{"fixed values: lists", 7. * sizeof(Scalar) * static_cast<double>(F.at.cells())}; });

  grid_fixed_find_kernel<<<blocks_for(F.at.cells(), threads), threads, 0, stream>>>(A, F);
  return cudaGetLastError();
}

cudaError_t launch_grid_fixed_left(const GridFixedLists &F, const Scalar *r, cudaStream_t stream)
{
  const std::size_t most = std::max(F.most[0], F.most[1]);
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{"fixed values: residual without them", (sizeof(GridFixedRow) + 3. * sizeof(Scalar)) * static_cast<double>(most)};
  });

  grid_fixed_left_kernel<<<blocks_for(most, threads), threads, 0, stream>>>(F, r);
  return cudaGetLastError();
}

cudaError_t launch_grid_fixed_add(const GridFixedLists &F, Scalar *x, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return DeclaredPass{"fixed values: x", 4. * sizeof(Scalar) * static_cast<double>(F.most[1])}; });

  grid_fixed_add_kernel<<<blocks_for(F.most[1], threads), threads, 0, stream>>>(F, x);
  return cudaGetLastError();
}

} // namespace heptane
