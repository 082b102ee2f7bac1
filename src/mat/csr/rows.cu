/*
   Compressed-row products on the device.
*/
#include "pieces.cuh"
#include "../../device/launch.hpp"
#include "../../metrics/metrics.hpp"

namespace heptane
{

namespace
{

constexpr int threads = 256; /* guess: the rows are few or the call is bound by the gathers of x */

/*
   Computes  z[row[k]] += sum over the entries of row k
   Threads   LANES per row, adjacent lanes process adjacent entries
   Bytes     per entry sizeof(Scalar) + 4 (+ 4 with perm), per row 8 + 2 sizeof(Scalar), x gathered
   Order     deterministic: each lane ascending, lanes by a fixed butterfly
*/
template <int LANES>
__global__ void __launch_bounds__(threads) csr_rows_add_kernel(CsrRows A, const Scalar *__restrict__ x, Scalar *__restrict__ z)
{
  const int  k    = static_cast<int>((blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x) / LANES);
  const int  lane = threadIdx.x % LANES;
  const bool mine = k < A.count;
  Scalar     sum  = mine ? csr_row(A, x, k, lane, LANES) : Scalar(0);

#pragma unroll
  for (int d = LANES / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (mine && lane == 0) z[A.row[k]] += sum;
}

/*
   Computes  sums[k] = sum over the entries of piece k
   Threads   a warp per piece
   Bytes     per entry sizeof(Scalar) + 4 (+ 4 with perm), x gathered
   Order     deterministic: each lane ascending, lanes by a fixed butterfly
*/
__global__ void __launch_bounds__(threads) csr_piece_sums_kernel(CsrRows A, const Scalar *__restrict__ x, Scalar *__restrict__ sums)
{
  const int k    = static_cast<int>((blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x) / 32);
  const int lane = threadIdx.x % 32;

  if (k >= A.count) return;
  Scalar sum = csr_row(A, x, k, lane, 32);
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (lane == 0) sums[k] = sum;
}

/*
   Computes  z[row[k]] += sum of the pieces of row k
   Threads   a warp per row
   Bytes     per piece sizeof(Scalar), per row 12 + 2 sizeof(Scalar)
   Order     deterministic: as csr_piece_sums_kernel
*/
__global__ void __launch_bounds__(threads) csr_add_pieces_kernel(CsrRows A, CsrPieces P, Scalar *__restrict__ z)
{
  const int k    = static_cast<int>((blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x) / 32);
  const int lane = threadIdx.x % 32;

  if (k >= A.count) return;
  const Scalar sum = csr_pieces_sum(P, k, lane);
  if (lane == 0) z[A.row[k]] += sum;
}

template <int LANES>
cudaError_t launch(const CsrRows &A, const Scalar *x, Scalar *z, cudaStream_t stream)
{
  csr_rows_add_kernel<LANES><<<blocks_for(static_cast<std::size_t>(A.count) * LANES, threads), threads, 0, stream>>>(A, x, z);
  return cudaGetLastError();
}

/*
   Computes  csr_gather_row() of every row
   Threads   one per row
   Bytes     4 per entry, 2 sizeof(Scalar) per entry of a diagonal block
   Order     none: every place has one entry
*/
__global__ void csr_gather_kernel(CsrRows A, int b, std::size_t ld, Scalar *d)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;

  if (k < A.count) csr_gather_row(A, k, b, ld, d);
}

} // namespace

cudaError_t launch_csr_rows_add(const CsrRows &A, int entries, const Scalar *x, Scalar *z, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  const int mean = entries / A.count;
  if (mean >= 24) return launch<32>(A, x, z, stream);
  if (mean >= 12) return launch<16>(A, x, z, stream);
  if (mean >= 6) return launch<8>(A, x, z, stream);
  if (mean >= 3) return launch<4>(A, x, z, stream);
  return launch<1>(A, x, z, stream);
}

cudaError_t launch_csr_pieces_add(const CsrRows &A, const CsrPieces &P, const Scalar *x, Scalar *z, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  csr_piece_sums_kernel<<<blocks_for(static_cast<std::size_t>(P.list.count) * 32, threads), threads, 0, stream>>>(P.list, x, P.sums);
  const MetricsPass metrics(true, [&] {
    return DeclaredPass{"pieces of long rows added", sizeof(Scalar) * (1. * P.list.count + 2. * A.count) + 12. * A.count};
  });
  csr_add_pieces_kernel<<<blocks_for(static_cast<std::size_t>(A.count) * 32, threads), threads, 0, stream>>>(A, P, z);
  return cudaGetLastError();
}

cudaError_t launch_csr_gather_blocks(const CsrRows &A, int b, std::size_t ld, Scalar *d, cudaStream_t stream)
{
  constexpr int threads = 128; /* a guess; lists are short */

  if (!A.count) return cudaSuccess;
  csr_gather_kernel<<<blocks_for(A.count, threads), threads, 0, stream>>>(A, b, ld, d);
  return cudaGetLastError();
}

} // namespace heptane
