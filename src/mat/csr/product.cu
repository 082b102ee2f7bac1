/*
   Products of whole compressed-row matrices with rows of similar lengths.
*/
#include "product.hpp"
#include "../../device/launch.hpp"

namespace heptane
{

namespace
{

constexpr int threads = 256; /* guess */

/*
   Computes  z[k] = (A x)_k, or y[k] + sign (A x)_k with y
   Threads   LANES per row, adjacent lanes process adjacent entries
   Bytes     per entry sizeof(Scalar) + 4, per row 4 + sizeof(Scalar), with y one more; x gathered
   Order     deterministic: each lane ascending, lanes by a fixed butterfly
*/
template <int LANES>
__global__ void __launch_bounds__(threads) csr_product_kernel(CsrMatrix A, const Scalar *__restrict__ x, Scalar sign, const Scalar *y, Scalar *z)
{
  const int  k    = static_cast<int>((blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x) / LANES);
  const int  lane = threadIdx.x % LANES;
  const bool mine = k < A.rows;
  Scalar     sum  = mine ? csr_lane_sum(A, x, k, lane, LANES) : Scalar(0);

#pragma unroll
  for (int d = LANES / 2; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (mine && lane == 0) z[k] = y ? y[k] + sign * sum : sum;
}

} // namespace

cudaError_t launch_csr_product(const CsrMatrix &A, int lanes, const Scalar *x, Scalar sign, const Scalar *y, Scalar *z, cudaStream_t stream)
{
  const auto launch = [&](auto kernel) {
    kernel<<<blocks_for(static_cast<std::size_t>(A.rows) * lanes, threads), threads, 0, stream>>>(A, x, sign, y, z);
    return cudaGetLastError();
  };

  if (!A.rows) return cudaSuccess;
  switch (lanes) {
  case 1:
    return launch(csr_product_kernel<1>);
  case 2:
    return launch(csr_product_kernel<2>);
  case 4:
    return launch(csr_product_kernel<4>);
  case 8:
    return launch(csr_product_kernel<8>);
  case 16:
    return launch(csr_product_kernel<16>);
  default:
    return launch(csr_product_kernel<32>);
  }
}

} // namespace heptane
