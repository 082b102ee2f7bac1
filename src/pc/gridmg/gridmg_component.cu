/*
   Multigrid for one component on the device: kernels around gridmg_component_rows.hpp.
*/
#include "../../metrics/metrics.hpp"
#include "../../device/launch.hpp"
#include "gridmg_component.hpp"
#include "gridmg_launch.cuh"
#include "gridmg_system.hpp"

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads;

/* f(n) for the number of this thread, if it is below `count` */
template <class F>
__device__ __forceinline__ void for_one(std::size_t count, F f)
{
  const std::size_t n = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;

  if (n < count) f(n);
}

/*
   Computes  the weights of cells and their rows of the component's matrix
   Threads   one per cell
   Bytes     per cell sizeof(Scalar) times B^2 + B + 1 per diagonal
   Order     deterministic: by diagonals, then that of the list
*/
template <int B>
__global__ void __launch_bounds__(threads) component_setup_kernel(const __grid_constant__ GridComponent C)
{
  for_one(C.cells, [&](std::size_t cell) {
    grid_component_weights<B>(C, cell);
    grid_component_row<B>(C, cell);
  });
}

/*
   Computes  the entries of the component's matrix beside the diagonals
   Threads   one per entry
   Bytes     per source 8 + 2 sizeof(Scalar)
   Order     deterministic: that of the list
*/
__global__ void __launch_bounds__(threads) component_beside_kernel(const __grid_constant__ GridComponent C)
{
  for_one(static_cast<std::size_t>(C.lists.entries), [&](std::size_t t) { grid_component_beside(C, static_cast<int>(t)); });
}

/*
   Computes  the right-hand side of the component's system
   Threads   one per cell
   Bytes     per cell (2 B + 1) sizeof(Scalar)
   Order     deterministic: along the components
*/
template <int B>
__global__ void __launch_bounds__(threads)
  component_restrict_kernel(const __grid_constant__ GridComponent C, const Scalar *__restrict__ r, Scalar *__restrict__ to)
{
  for_one(C.cells, [&](std::size_t cell) { grid_component_restrict<B>(C, r, to, cell); });
}

/*
   Computes  r - A x, x of the component alone, but for entries beside the diagonals
   Threads   one per cell
   Bytes     per cell sizeof(Scalar) times B per diagonal + 2 B + 1
   Order     deterministic: by diagonals
*/
template <int B>
__global__ void __launch_bounds__(threads)
  component_residual_kernel(const __grid_constant__ GridComponent C, const Scalar *__restrict__ r, const Scalar *__restrict__ x, Scalar *__restrict__ left)
{
  for_one(C.cells, [&](std::size_t cell) { grid_component_residual<B>(C, r, x, left, cell); });
}

/*
   Computes  ... and these entries
   Threads   one per row that has any
   Bytes     per entry 8 + 2 sizeof(Scalar)
   Order     deterministic: along the row
*/
__global__ void __launch_bounds__(threads) component_linked_kernel(const __grid_constant__ GridComponent C, int B, const Scalar *__restrict__ x, Scalar *left)
{
  for_one(static_cast<std::size_t>(C.lists.linked), [&](std::size_t k) { grid_component_linked(C, B, x, left, static_cast<int>(k)); });
}

/*
   Computes  y += x of the component
   Threads   one per cell
   Bytes     3 sizeof(Scalar) per cell
   Order     none
*/
__global__ void __launch_bounds__(threads) component_add_kernel(std::size_t cells, int B, int component, const Scalar *__restrict__ x, Scalar *y)
{
  for_one(cells, [&](std::size_t cell) { y[cell * B + component] += x[cell]; });
}

} // namespace

/* Scalars of a cell, and bytes beside them */
static DeclaredPass component_cost(const char *text, const GridComponent &C, double scalars, double more = 0)
{
  return {std::string("gridmg, one component: ") + text, sizeof(Scalar) * scalars * static_cast<double>(C.cells) + more};
}

cudaError_t launch_component_setup(int B, const GridComponent &C, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return component_cost("weights and matrix", C, (1. * B * B + B + 1) * C.ndiag); });

  with_unknowns(B, [&](auto b) { component_setup_kernel<b()><<<blocks_for(C.cells, threads), threads, 0, stream>>>(C); });
  const MetricsPass beside(true, [&] { return component_cost("entries beside the diagonals", C, 0, (8. + 2 * sizeof(Scalar)) * C.lists.entries); });
  if (C.lists.entries) component_beside_kernel<<<blocks_for(C.lists.entries, threads), threads, 0, stream>>>(C);
  return cudaGetLastError();
}

cudaError_t launch_component_restrict(int B, const GridComponent &C, const Scalar *r, Scalar *of_component, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return component_cost("restriction", C, 2. * B + 1); });

  with_unknowns(B, [&](auto b) { component_restrict_kernel<b()><<<blocks_for(C.cells, threads), threads, 0, stream>>>(C, r, of_component); });
  return cudaGetLastError();
}

cudaError_t launch_component_residual(int B, const GridComponent &C, const Scalar *r, const Scalar *x, Scalar *left, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return component_cost("residual", C, 1. * B * C.ndiag + 2. * B + 1); });

  with_unknowns(B, [&](auto b) { component_residual_kernel<b()><<<blocks_for(C.cells, threads), threads, 0, stream>>>(C, r, x, left); });
  const MetricsPass linked(
    true, [&] { return component_cost("residual of rows with entries beside the diagonals", C, 0, (8. + 2 * sizeof(Scalar)) * C.lists.entries); });
  if (C.lists.linked) component_linked_kernel<<<blocks_for(C.lists.linked, threads), threads, 0, stream>>>(C, B, x, left);
  return cudaGetLastError();
}

cudaError_t launch_component_add(int B, const GridComponent &C, const Scalar *x, Scalar *y, cudaStream_t stream)
{
  const MetricsPass metrics(true, [&] { return component_cost("added", C, 3); });

  component_add_kernel<<<blocks_for(C.cells, threads), threads, 0, stream>>>(C.cells, B, C.component, x, y);
  return cudaGetLastError();
}

} // namespace heptane
