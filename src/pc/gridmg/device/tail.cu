/*
   The last levels of a cycle in one launch of a few thread blocks; tail.cuh has the work of a block.
*/
#include "../../../device/chained_launch.cuh"
#include "../../../device/launch.hpp"
#include "device.hpp"
#include "tail.cuh"

namespace heptane
{

namespace
{

constexpr int threads = GridTuning::threads, tail_threads = 32 * GridTuning::tail_warps;

__device__ __forceinline__ unsigned shared_address(const void *p)
{
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

__device__ __forceinline__ void load_shared(float &v, unsigned at)
{
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v) : "r"(at));
}
__device__ __forceinline__ void load_shared(double &v, unsigned at)
{
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(at));
}
#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ void load_cluster(float &v, unsigned at)
{
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(at));
}
__device__ __forceinline__ void load_cluster(double &v, unsigned at)
{
  asm volatile("ld.shared::cluster.f64 %0, [%1];" : "=d"(v) : "r"(at));
}
#endif

/* Primitives of a warp, and access to a single block: see tail_warp.cuh */
template <class Real>
struct OneBlock {
  unsigned room, arrived; /* shared addresses: the memory of the block, and the barrier of its bulk copies */

  __device__ __forceinline__ Real     Up(Real v, int by) const { return __shfl_up_sync(~0u, v, by); }
  __device__ __forceinline__ Real     Down(Real v, int by) const { return __shfl_down_sync(~0u, v, by); }
  __device__ __forceinline__ Real     Of(Real v, int lane) const { return __shfl_sync(~0u, v, lane); }
  __device__ __forceinline__ int      Rank() const { return 0; }
  __device__ __forceinline__ unsigned Base(int, unsigned n) const { return room + n * static_cast<unsigned>(sizeof(Real)); }
  __device__ __forceinline__ Real     Load(unsigned base, int k) const
  {
    Real v;

    load_shared(v, base + k * static_cast<unsigned>(sizeof(Real)));
    return v;
  }
  /* By bulk copy, asynchronous: meanwhile threads find neighbours and wait for the previous kernel */
  template <int THREADS>
  __device__ __forceinline__ void CopyAsync(Real *to, const Real *from, std::size_t n) const
  {
#if __CUDA_ARCH__ >= 900
    constexpr unsigned piece = 32768;
    const unsigned     bytes = static_cast<unsigned>(n * sizeof(Real));

    if (threadIdx.x != 0) return;
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(arrived) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(arrived), "r"(bytes) : "memory");
    for (unsigned at = 0; at < bytes; at += piece)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to) + at),
                   "l"(reinterpret_cast<const char *>(from) + at), "r"(bytes - at < piece ? bytes - at : piece), "r"(arrived)
                   : "memory");
#else
    grid_copy<THREADS>(to, from, n);
#endif
  }
  __device__ __forceinline__ void WaitCopies() const
  {
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n\t.reg .pred done;\n\tagain:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t@!done bra again;\n\t}" ::"r"(arrived)
                 : "memory");
#endif
  }
  __device__ __forceinline__ void Together() const
  {
    __syncthreads();
  }
  __device__ __forceinline__ OneBlock Alone() const
  {
    return *this;
  }
};

/* ... or to several blocks, which access each other's shared memory */
template <class Real>
struct Cluster : OneBlock<Real> {
#if __CUDA_ARCH__ >= 900
  __device__ __forceinline__ int Rank() const
  {
    int rank;

    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
  }
  __device__ __forceinline__ unsigned Base(int block, unsigned n) const
  {
    unsigned at;

    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(at) : "r"(OneBlock<Real>::Base(0, n)), "r"(block));
    return at;
  }
  __device__ __forceinline__ Real Load(unsigned base, int k) const
  {
    Real v;

    load_cluster(v, base + k * static_cast<unsigned>(sizeof(Real)));
    return v;
  }
  __device__ __forceinline__ void Together() const
  {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
  }
#endif
  __device__ __forceinline__ OneBlock<Real> Alone() const
  {
    return *this;
  }
};

/*
   Computes  steps of the last levels, one unknown per cell, in sequence: see rows/tail.hpp
   Threads   T.blocks blocks; a warp per line
   Bytes     sizeof(Real) per coefficient of the levels, entry of x of the first, and entry of b that it reads
   Order     deterministic: along the cells of a lane, between lanes a fixed tree
*/
template <int CELLS, class Real, class Blocks>
__global__ void __launch_bounds__(tail_threads) grid_tail_kernel(const __grid_constant__ GridTail<Real> T)
{
  extern __shared__ GridQuad    room[];
  __shared__ unsigned long long arrived;
  Blocks                        blocks;

  let_successor_begin();
  blocks.room    = shared_address(room);
  blocks.arrived = shared_address(&arrived);
  grid_run_tail<CELLS, GridTuning::tail_warps>(T, room, blocks, [] { await_predecessor(); });
}

/*
   Computes  the coefficients of the last levels as the blocks of grid_tail_kernel() have them
   Threads   one per real; blockIdx.y: of which block
   Bytes     2 sizeof(Real) per coefficient
   Order     none
*/
template <int CELLS, class Real>
__global__ void __launch_bounds__(threads) grid_tail_image_kernel(const __grid_constant__ GridTail<Real> T)
{
  const std::size_t n = blockIdx.x * static_cast<std::size_t>(threads) + threadIdx.x;

  if (n < T.image_of()) T.image[blockIdx.y * T.image_of() + n] = grid_tail_coefficient<CELLS>(T, T.level, static_cast<int>(blockIdx.y), n);
}

/* Calls f(kernel, launch) for lines of K cells, after setting the attributes of the kernel. Blocks with distributed
   shared memory form a cluster. */
template <class Real, class F>
cudaError_t with_tail_launch(const GridTail<Real> &T, int K, cudaStream_t stream, F f)
{
  return with_lane_cells(K, [&](auto cells) {
    const auto          kernel       = T.blocks > 1 ? grid_tail_kernel<cells(), Real, Cluster<Real>> : grid_tail_kernel<cells(), Real, OneBlock<Real>>;
    cudaLaunchAttribute attribute[2] = {};
    cudaLaunchConfig_t  launch       = {};
    cudaError_t         err          = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(grid_tail_bytes(T)));

    attribute[0].id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    attribute[1].id                                         = cudaLaunchAttributeClusterDimension;
    attribute[1].val.clusterDim.x                           = static_cast<unsigned>(T.blocks);
    attribute[1].val.clusterDim.y = attribute[1].val.clusterDim.z = 1;
    launch.gridDim                                                = static_cast<unsigned>(T.blocks);
    launch.blockDim                                               = tail_threads;
    launch.dynamicSmemBytes                                       = grid_tail_bytes(T);
    launch.stream                                                 = stream;
    launch.attrs                                                  = attribute;
    launch.numAttrs                                               = T.blocks > 1 ? 2 : 1;
    if (err == cudaSuccess && T.blocks > 8) err = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    return err != cudaSuccess ? err : f(kernel, launch);
  });
}

} // namespace

template <class Real>
bool grid_tail_runs(const GridTail<Real> &T, int K)
{
  const cudaError_t err = with_tail_launch(T, K, nullptr, [&](auto kernel, cudaLaunchConfig_t launch) {
    int most = 0;

    launch.attrs++; /* the cluster only */
    launch.numAttrs--;
    const cudaError_t err = cudaOccupancyMaxActiveClusters(&most, kernel, &launch);

    return err == cudaSuccess && most < 1 ? cudaErrorInvalidConfiguration : err;
  });

  if (err != cudaSuccess) (void)cudaGetLastError(); /* devices without clusters: not an error */
  return err == cudaSuccess;
}

template <class Real>
cudaError_t launch_grid_tail(const GridTail<Real> &T, int K, cudaStream_t stream)
{
  return with_tail_launch(T, K, stream, [&](auto kernel, auto launch) { return cudaLaunchKernelEx(&launch, kernel, T); });
}

template <class Real>
cudaError_t launch_grid_tail_image(const GridTail<Real> &T, int K, cudaStream_t stream)
{
  return with_lane_cells(K, [&](auto cells) {
    grid_tail_image_kernel<cells()><<<dim3(blocks_for(T.image_of(), threads), static_cast<unsigned>(T.blocks)), threads, 0, stream>>>(T);
    return cudaGetLastError();
  });
}

#define HEPTANE_GRID_TAIL(Real) \
  template bool        grid_tail_runs<Real>(const GridTail<Real> &, int); \
  template cudaError_t launch_grid_tail<Real>(const GridTail<Real> &, int, cudaStream_t); \
  template cudaError_t launch_grid_tail_image<Real>(const GridTail<Real> &, int, cudaStream_t);
HEPTANE_GRID_TAIL(float)
HEPTANE_GRID_TAIL(double)
#undef HEPTANE_GRID_TAIL

} // namespace heptane
