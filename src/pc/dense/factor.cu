/*
   LU and QR factors of dense blocks of 33 to 112 rows: one thread block per block, which is distributed over the
   registers of the threads in two dimensions. Solves with factors of any size, one thread block per block.
*/
#include "factor.hpp"
#include "record_failure.cuh"
#include "tiles.cuh"

namespace heptane
{

namespace
{

/*
   Computes  the LU factors of every block
   Threads   as dense_invert_block_kernel()
   Bytes     2 sizeof(Scalar) * b a row
   Order     deterministic: that of the host
*/
template <int N, bool PIVOTING>
__global__ void __launch_bounds__(block_threads) dense_lu_kernel(DenseBlocks A, DenseFactors F, DenseReport *report)
{
  __shared__ Scalar columns[2][N * side], rows[2][N * side];
  __shared__ int    steps[N * side];
  const int         b = A.block, x = threadIdx.x % side, y = threadIdx.x / side;
  const std::size_t cell = blockIdx.x;
  Scalar            a[N][N];
  unsigned          used = 0, done = 0; /* used: rows of this lane in find_pivot(); done: rows of this thread */
  Pivots            pivots(b);

  load_tiles(A, cell, a);
#pragma unroll
  for (int K = 0; K < N; K++)
#pragma unroll 1
    for (int q = 0; q < side; q++) {
      const int k = K * side + q;
      if (k >= b) break;
      Scalar *column = columns[q % 2], *r = rows[q % 2];
      share_column(a, K, q, column);
      __syncthreads();
      const int p = PIVOTING ? find_pivot<N>(column, b, used) : k;
      if (x == p % side) {
        done |= 1u << p / side;
#pragma unroll
        for (int I = 0; I < N; I++)
          if (I == p / side) {
#pragma unroll
            for (int J = 0; J < N; J++) r[y + J * side] = y + J * side > k ? a[I][J] : Scalar(0);
          }
      }
      if (threadIdx.x == 0) steps[p] = k;
      __syncthreads();
      const Scalar d = Scalar(1) / column[p];
      pivots.see(k, column[p]);
      Scalar rs[N];
#pragma unroll
      for (int J = 0; J < N; J++) rs[J] = r[y + J * side];
#pragma unroll
      for (int I = 0; I < N; I++)
        if (!(done >> I & 1u)) {
          const Scalar m = column[x + I * side] * d;
#pragma unroll
          for (int J = 0; J < N; J++) a[I][J] -= m * rs[J];
          if (y == q) a[I][K] = m;
        }
    }
  __syncthreads();
  if (threadIdx.x == 0) note(pivots, b, cell, report);
#pragma unroll
  for (int I = 0; I < N; I++) {
    const int i = x + I * side;
    if (i >= b) continue;
    if (y == 0) F.pivot[cell * b + steps[i]] = i;
#pragma unroll
    for (int J = 0; J < N; J++)
      if (y + J * side < b) F.values[(y + J * side) * F.ld + cell * b + steps[i]] = a[I][J];
  }
}

/*
   Computes  the QR factors of every block
   Threads   as dense_invert_block_kernel(); one barrier per step. Each warp computes the norm of the column; the
             products with the other columns are summed over 16 lanes
   Bytes     2 sizeof(Scalar) * b a row
   Order     deterministic
*/
template <int N>
__global__ void __launch_bounds__(block_threads) dense_qr_kernel(DenseBlocks A, DenseFactors F, DenseReport *report)
{
  __shared__ Scalar columns[2][N * side];
  const int         b = A.block, x = threadIdx.x % side, y = threadIdx.x / side;
  const std::size_t cell = blockIdx.x;
  Scalar            a[N][N];
  Pivots            pivots(b);

  load_tiles(A, cell, a);
#pragma unroll
  for (int K = 0; K < N; K++)
#pragma unroll 1
    for (int q = 0; q < side; q++) {
      const int k = K * side + q;
      if (k >= b) break;
      Scalar *column = columns[q % 2];
      share_column(a, K, q, column);
      __syncthreads();
      Scalar                v[N];
      const DenseReflection h = reflection_of(column, k, b, v);
      pivots.see(k, h.beta);
      reflect_tiles(h.tau, v, k, a);
      if (y == q) {
#pragma unroll
        for (int I = 0; I < N; I++) {
          const int i = x + I * side;
          if (i > k) a[I][K] = v[I];
          if (i == k) a[I][K] = h.beta;
        }
      }
      if (threadIdx.x == 0) F.tau[cell * b + k] = h.tau;
    }
  if (threadIdx.x == 0) note(pivots, b, cell, report);
#pragma unroll
  for (int J = 0; J < N; J++)
#pragma unroll
    for (int I = 0; I < N; I++) {
      const int i = x + I * side, s = y + J * side;
      if (i < b && s < b) F.values[s * F.ld + cell * b + i] = a[I][J];
    }
}

/* One row per thread; s: shared memory of a value that all threads read, two alternating entries */
struct Solver {
  const DenseFactors &F;
  std::size_t         cell;
  int                 i;
  Scalar             *s;

  /* x: the thread's component. transposed, unit: see factor_host.cxx */
  __device__ Scalar triangle(bool lower, bool transposed, bool unit, Scalar x) const
  {
    const int b = F.block;
    for (int t = 0; t < b; t++) {
      const int k = lower ? t : b - 1 - t;
      if (i == k) {
        if (!unit) x /= F.at(cell, k, k);
        s[t % 2] = x;
      }
      __syncthreads();
      if (i < b && (lower ? i > k : i < k)) x -= (transposed ? F.at(cell, k, i) : F.at(cell, i, k)) * s[t % 2];
    }
    __syncthreads();
    return x;
  }
  __device__ Scalar reflections(bool forward, Scalar x) const
  {
    const int b = F.block, warps = blockDim.x / 32;
    for (int t = 0; t < b; t++) {
      const int    k   = forward ? t : b - 1 - t;
      const Scalar v   = i < b ? F.reflector(cell, i, k) : Scalar(0);
      Scalar       dot = v * x;
#pragma unroll
      for (int m = 16; m > 0; m /= 2) dot += __shfl_xor_sync(~0u, dot, m);
      Scalar *sums = s + 4 * (t % 2);
      if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = dot;
      __syncthreads();
      dot = sums[0];
      for (int w = 1; w < warps; w++) dot += sums[w];
      x -= F.tau[cell * b + k] * dot * v;
    }
    __syncthreads();
    return x;
  }
};

/*
   Computes  y = A^-1 x, or A^-T x, from the factors
   Threads   a thread block per block, one thread per row; a barrier for each component that becomes known
   Bytes     sizeof(Scalar) * (b + 2) per row; transposed triangles are read against the order of memory
   Order     deterministic
*/
__global__ void dense_solve_kernel(DenseFactors F, bool transpose, const Scalar *from, Scalar *to)
{
  __shared__ Scalar s[8];
  const int         b = F.block, i = threadIdx.x;
  const std::size_t first = blockIdx.x * static_cast<std::size_t>(b);
  const bool        lu    = F.method == DenseMethod::lu;
  const int         other = i < b && lu ? F.pivot[first + i] : i;
  const Solver      solver{F, blockIdx.x, i, s};
  Scalar            x = i < b ? from[first + (transpose ? i : other)] : Scalar(0);

  if (lu) {
    x = solver.triangle(true, transpose, !transpose, x);
    x = solver.triangle(false, transpose, transpose, x);
  } else if (!transpose) {
    x = solver.reflections(true, x);
    x = solver.triangle(false, false, false, x);
  } else {
    x = solver.triangle(true, true, false, x);
    x = solver.reflections(false, x);
  }
  if (i < b) to[first + (transpose ? other : i)] = x;
}

template <int N = dense_warp_block / side + 1>
void launch(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report, cudaStream_t stream)
{
  if constexpr (N * side <= dense_largest_block) {
    const unsigned blocks = static_cast<unsigned>(A.count);

    if (A.block > N * side) launch<N + 1>(A, pivoting, F, report, stream);
    else if (F.method == DenseMethod::qr) dense_qr_kernel<N><<<blocks, block_threads, 0, stream>>>(A, F, report);
    else if (pivoting) dense_lu_kernel<N, true><<<blocks, block_threads, 0, stream>>>(A, F, report);
    else dense_lu_kernel<N, false><<<blocks, block_threads, 0, stream>>>(A, F, report);
  }
}

} // namespace

cudaError_t launch_dense_factor(const DenseBlocks &A, bool pivoting, const DenseFactors &F, DenseReport *report, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  if (A.block > dense_largest_block) return cudaErrorInvalidValue;
  if (A.block <= dense_warp_block) return launch_dense_factor_small(A, pivoting, F, report, stream);
  launch(A, pivoting, F, report, stream);
  return cudaGetLastError();
}

cudaError_t launch_dense_solve(const DenseFactors &F, bool transpose, const Scalar *x, Scalar *y, cudaStream_t stream)
{
  if (!F.count) return cudaSuccess;
  dense_solve_kernel<<<static_cast<unsigned>(F.count), (F.block + 31) / 32 * 32, 0, stream>>>(F, transpose, x, y);
  return cudaGetLastError();
}

} // namespace heptane
