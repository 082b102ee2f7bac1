/*
   The last levels of a cycle with several unknowns per cell in one launch of a few thread blocks, around what these do in gridmg_block_tail.cuh.
*/
#include "../../device/chained_launch.cuh"
#include "gridmg_block_tail.cuh"
#include "gridmg_device.hpp"
#include "gridmg_launch.cuh"

namespace heptane
{

namespace
{

/* One block that does all: see gridmg_block_tail.cuh */
struct OneBlock {
  __device__ __forceinline__ int      Rank() const { return 0; }
  __device__ __forceinline__ int      Count() const { return 1; }
  __device__ __forceinline__ int      Threads() const { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ void     Together() const { __syncthreads(); }
  __device__ __forceinline__ GridLane Lane() const { return lane_of_warp(); }
  template <class Real>
  __device__ __forceinline__ Real Sum(Real part) const
  {
    return sum_of_warp(part);
  }
  /* What is left of a warp has no rows */
  __device__ __forceinline__ int Warp() const { return threadIdx.x / 32 < blockDim.x / 32 ? static_cast<int>(threadIdx.x / 32) : INT_MAX / 2; }
  __device__ __forceinline__ int Warps() const { return static_cast<int>(blockDim.x / 32); }
  __device__ __forceinline__ int Group() const { return Warp(); }
  __device__ __forceinline__ int Groups() const { return Warps(); }
};

/* ... or several of a cluster, which run together; what one stores the others see after Together() */
struct Cluster : OneBlock {
#if __CUDA_ARCH__ >= 900
  __device__ __forceinline__ int Rank() const
  {
    int rank;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  __device__ __forceinline__ int Count() const
  {
    return static_cast<int>(gridDim.x);
  }
  __device__ __forceinline__ void Together() const
  {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
  }
  __device__ __forceinline__ int Group() const
  {
    return Warp() + Rank() * Warps();
  }
  __device__ __forceinline__ int Groups() const
  {
    return Count() * Warps();
  }
#endif
};

/*
   Computes  steps of the last levels, several unknowns per cell, one after the other
   Threads   T.blocks blocks, each as grid_block_lines_kernel() has them
   Bytes     as the kernels of the steps
   Order     as the kernels of the steps
*/
template <int B, class Real, class Blocks>
__global__ void __launch_bounds__((GridBlockShape<B, Real>::threads)) grid_block_tail_kernel(const __grid_constant__ GridBlockTail<Real> T)
{
  __shared__ GridBlockScan<B, Real> scan;

  wait_for_predecessor();
  grid_run_block_tail(T, scan, Blocks());
}

/* f(kernel, launch) for lines of K cells */
template <class Real, class F>
cudaError_t with_block_tail_launch(int B, int blocks, int K, cudaStream_t stream, F f)
{
  cudaError_t err = cudaErrorNotSupported;

  with_unknowns(B, [&](auto b) {
    if constexpr (b() > 1) {
      cudaLaunchAttribute attribute[2] = {};
      cudaLaunchConfig_t  launch       = {};

      attribute[0].id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
      attribute[0].val.programmaticStreamSerializationAllowed = 1;
      attribute[1].id                                         = cudaLaunchAttributeClusterDimension;
      attribute[1].val.clusterDim.x                           = static_cast<unsigned>(blocks);
      attribute[1].val.clusterDim.y = attribute[1].val.clusterDim.z = 1;
      launch.gridDim                                                = static_cast<unsigned>(blocks);
      launch.blockDim                                               = static_cast<unsigned>(GridTuning::block_columns * GridBlockShape<b(), Real>::chunks(K));
      launch.stream                                                 = stream;
      launch.attrs                                                  = attribute;
      launch.numAttrs                                               = blocks > 1 ? 2 : 1;
      err = blocks > 1 ? f(grid_block_tail_kernel<b(), Real, Cluster>, launch) : f(grid_block_tail_kernel<b(), Real, OneBlock>, launch);
    }
  });
  return err;
}

} // namespace

template <class Real>
int grid_block_tail_blocks(int B, int K)
{
  int most = 0, threads = 0;

  const cudaError_t err = with_block_tail_launch<Real>(B, GridTuning::tail_blocks, K, nullptr, [&](auto kernel, cudaLaunchConfig_t launch) {
    threads = static_cast<int>(launch.blockDim.x);
    launch.attrs++; /* the cluster alone */
    launch.numAttrs--;
    return cudaOccupancyMaxActiveClusters(&most, kernel, &launch);
  });
  if (err != cudaSuccess) (void)cudaGetLastError(); /* devices without: that is an answer */
  return threads < 32 ? 0 : err == cudaSuccess && most > 0 ? GridTuning::tail_blocks : 1;
}

template <class Real>
cudaError_t launch_grid_block_tail(int B, const GridBlockTail<Real> &T, int K, cudaStream_t stream)
{
  return with_block_tail_launch<Real>(B, T.blocks, K, stream, [&](auto kernel, auto launch) { return cudaLaunchKernelEx(&launch, kernel, T); });
}

#define HEPTANE_GRID_BLOCK_TAIL(Real) \
  template int         grid_block_tail_blocks<Real>(int, int); \
  template cudaError_t launch_grid_block_tail<Real>(int, const GridBlockTail<Real> &, int, cudaStream_t);
HEPTANE_GRID_BLOCK_TAIL(float)
HEPTANE_GRID_BLOCK_TAIL(double)
#undef HEPTANE_GRID_BLOCK_TAIL

} // namespace heptane
