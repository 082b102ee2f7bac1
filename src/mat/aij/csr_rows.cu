/*
   Compressed-row products on the device.
*/
#include "csr_rows.hpp"
#include "../../device/block_reduce.cuh"
#include "../../device/launch.hpp"

namespace heptane
{

namespace
{

constexpr int long_threads = 512, long_row = 1024; /* guess: from such a mean length on a row keeps a block busy */
constexpr int threads = 256;                       /* guess: the rows are few or the call is bound by the gathers of x */

/*
   Computes  z[row[k]] += sum over the entries of row k
   Threads   LANES a row, neighbouring lanes take neighbouring entries
   Bytes     an entry sizeof(Scalar) + 4 (+ 4 with perm), a row 8 + 2 sizeof(Scalar), x gathered
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
   Computes  as csr_rows_add_kernel
   Threads   a block a row
   Bytes     as there
   Order     deterministic: each thread ascending, then the fixed tree of block_sums()
*/
__global__ void __launch_bounds__(long_threads) csr_long_rows_add_kernel(CsrRows A, const Scalar *__restrict__ x, Scalar *__restrict__ z)
{
  Scalar sum[1] = {csr_row(A, x, blockIdx.x, threadIdx.x, long_threads)};

  block_sums<long_threads>(sum);
  if (threadIdx.x == 0) z[A.row[blockIdx.x]] += sum[0];
}

template <int LANES>
cudaError_t launch(const CsrRows &A, const Scalar *x, Scalar *z, cudaStream_t stream)
{
  csr_rows_add_kernel<LANES><<<blocks_for(static_cast<std::size_t>(A.count) * LANES, threads), threads, 0, stream>>>(A, x, z);
  return cudaGetLastError();
}

} // namespace

cudaError_t launch_csr_rows_add(const CsrRows &A, int entries, const Scalar *x, Scalar *z, cudaStream_t stream)
{
  if (!A.count) return cudaSuccess;
  const int mean = entries / A.count;
  if (mean >= long_row) {
    csr_long_rows_add_kernel<<<static_cast<unsigned>(A.count), long_threads, 0, stream>>>(A, x, z);
    return cudaGetLastError();
  }
  if (mean >= 24) return launch<32>(A, x, z, stream);
  if (mean >= 12) return launch<16>(A, x, z, stream);
  if (mean >= 6) return launch<8>(A, x, z, stream);
  if (mean >= 3) return launch<4>(A, x, z, stream);
  return launch<1>(A, x, z, stream);
}

} // namespace heptane
