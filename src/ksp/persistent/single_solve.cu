/*
   Chooses and launches the persistent kernels with copies in single precision.
*/
#include "../../mat/bdiagh/fused/fused.hpp"
#include "../../mat/bdiagh/fused/persistent_single.hpp"
#include "device.hpp"
#include "single_update.cuh"
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace heptane
{

namespace
{

using Tuning = BdiaghSinglePersistentTuning;

/* Kernels of a method for the form of the copy; none: null */
using Kernels = BdiaghKernels<BdiaghSingleKernel>;

Kernels kernels_of(const FusedSinglePersistent &V, FoldForm form)
{
  const std::string whole = V.method, method = whole.substr(0, whole.find(' '));

  if (method == "cg" && form == FoldForm::upper) return of_ranks(V) ? bdiagh_kernels_of<BdiaghSingleCgRanks>() : bdiagh_kernels_of<BdiaghSingleCg>();
  if (method == "bcgs" && form == FoldForm::unit) return of_ranks(V) ? bdiagh_kernels_of<BdiaghSingleBcgsRanks>() : bdiagh_kernels_of<BdiaghSingleBcgs>();
  return {};
}

/*
   Blocks of a kernel with `bytes` bytes of shared memory that can be resident on the device, and the kernel's limit of
   shared memory: determined once, since a solve needs them before every launch
*/
cudaError_t find_resident(const BdiaghSingleKernel &kernel, const BdiaghPersistentDevice &device, int bytes, int *resident)
{
  struct Found {
    const void *kernel;
    int         device, bytes, resident;
  };
  static std::vector<Found> all;
  int                       most = bytes; /* launches with other sizes stay possible */

  for (const Found &f : all) {
    if (f.kernel != kernel.kernel || f.device != device.number) continue;
    most = std::max(most, f.bytes);
    if (f.bytes != bytes) continue;
    *resident = f.resident;
    return cudaSuccess;
  }
  cudaError_t err = cudaFuncSetAttribute(kernel.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  if (!err) err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(resident, kernel.kernel, kernel.threads, static_cast<std::size_t>(bytes));
  *resident *= device.processors;
  if (!err) all.push_back({kernel.kernel, device.number, bytes, *resident});
  return err;
}

/* Converts the diagonals to the kernels' form; false: not the diagonals of a seven-point grid */
bool take_diagonals(const BdiaghDiagonalsOf<Single> &D, FoldForm form, BdiaghSinglePersistent &P)
{
  constexpr int distances = BdiaghSinglePersistent::distances;
  const bool    upper     = form == FoldForm::upper;
  const int     first     = upper ? 0 : distances; /* first diagonal above the main one */
  const auto    values    = [&](int r) { return D.values + r * D.ld; };

  if (D.block != 1 || D.rows < 1 || D.rows != D.cols || D.ndiag != first + distances) return false;
  for (int k = 0; k < distances; k++) {
    P.offset[k] = D.offset[first + k];
    if (!upper && D.offset[distances - 1 - k] != -P.offset[k]) return false;
  }
  if (P.offset[1] > Tuning::max_margin || P.offset[1] >= D.rows) return false;
  for (int k = 0; k < 4; k++) P.near[k] = upper ? (k < 2 ? nullptr : values(k - 2)) : values(k + 1);
  P.far[0] = values(upper ? distances - 1 : 0);
  P.far[1] = values(D.ndiag - 1);
  P.shift  = upper ? P.offset[2] : 0;
  return true;
}

/* Sets the data of a kernel that makes updates itself; false: the matrix in double precision has other diagonals */
bool take_updates(const FusedSinglePersistent &V, BdiaghSinglePersistent &P)
{
  constexpr int        N = BdiaghSingleUpdates::diagonals, half = N / 2;
  BdiaghSingleUpdates &U = P.update;

  U.on           = with_updates(V);
  U.state        = MixedState();
  U.state.most   = V.most;
  U.state.factor = V.factor;
  if (!U.on) return true;
  const auto              &of     = static_cast<const FusedUpdatingPersistent &>(V);
  const BdiaghFused *const matrix = dynamic_cast<const BdiaghFused *>(of.matrix);

  if (!matrix || matrix->HasRemainder() || of.r0 /* no kernel of BiCGStab makes updates */) return false;
  const BdiaghDiagonals &D = matrix->Diagonals();
  if (D.block != 1 || D.rows != P.n || D.cols != P.n || D.ndiag != N) return false;
  for (int k = 0; k < N; k++)
    if (D.offset[k] != (k < half ? -P.offset[half - 1 - k] : k > half ? P.offset[k - half - 1] : 0)) return false;
  U.matrix    = D;
  U.norm_of_r = of.norm_of_r;
  U.rhs       = of.rhs;
  U.inverse   = of.inverse;
  U.x         = of.x;
  U.kept      = of.kept;
  U.residual  = of.residual;
  U.state     = of.state;
  U.test      = of.test;
  U.result    = of.result;
  return true;
}

/* For blocks of unequal size: partners of any block */
std::vector<int> partners_of(const BdiaghSinglePersistent &P, const BdiaghCut &cut)
{
  constexpr int n = BdiaghSinglePersistent::distances;
  int           offset[2 * n];

  for (int k = 0; k < n; k++) {
    offset[n - 1 - k] = -P.offset[k];
    offset[n + k]     = P.offset[k];
  }
  return bdiagh_cut_partners(cut, offset, 2 * n);
}

/* The blocks that hold columns of a block's rows */
void find_partners(BdiaghSinglePersistent &P, const BdiaghCut &cut)
{
  P.partners = 0;
  if (cut.edge) {
    const std::vector<int> partner = partners_of(P, cut);

    P.partners = static_cast<int>(partner.size());
    std::copy(partner.begin(), partner.end(), P.partner);
    return;
  }
  for (const int k : P.offset) {
    for (const int block : {k / P.chunk, k / P.chunk + (k % P.chunk != 0)}) {
      for (const int signed_block : {-block, block})
        if (block && std::find(P.partner, P.partner + P.partners, signed_block) == P.partner + P.partners) P.partner[P.partners++] = signed_block;
    }
  }
}

/* How a solve would be launched; kernel null: not */
struct Launch {
  BdiaghSinglePersistent    P;
  BdiaghCut                 cut    = {};
  const BdiaghSingleKernel *kernel = nullptr;
  /* resident: largest number of resident blocks; bytes: of shared memory */
  int blocks = 0, resident = 0, bytes = 0;
};

/*
   Several ranks: fewer rows for blocks whose rows other ranks need, if the remaining blocks have room for more: see
   solve.cu
*/
void ends(const PeerGrid &grid, int blocks, Launch *L)
{
  const BdiaghSingleKernel &K     = *L->kernel;
  const int                 below = grid.rank > 0 ? L->P.offset[2] : 0, above = grid.rank < grid.ranks - 1 ? L->P.offset[2] : 0;
  const BdiaghCut           cut =
    bdiagh_cut(L->P.n, blocks, Tuning::row_multiple, below, above, std::max(K.rows / BdiaghPersistentTuning::edge_part, 1) * K.threads, K.rows * K.threads);

  if (!cut.edge || partners_of(L->P, cut).size() > std::size(L->P.partner)) return;
  L->P.chunk = cut.chunk;
  L->cut     = cut;
}

/* Cuts the rows into `blocks` blocks; grid: of several ranks, else null */
cudaError_t cut(const Kernels &kernels, const BdiaghPersistentDevice &device, int blocks, const PeerGrid *grid, Launch *L)
{
  BdiaghSinglePersistent &P    = L->P;
  const int               rows = std::max((P.n + blocks - 1) / blocks, Tuning::min_rows);

  P.chunk   = (rows + Tuning::row_multiple - 1) / Tuning::row_multiple * Tuning::row_multiple;
  L->cut    = bdiagh_even_cut(P.n, P.chunk);
  L->kernel = nullptr;
  for (const BdiaghSingleKernel *K = kernels.kernels; K < kernels.kernels + kernels.number && !L->kernel; K++)
    if (P.chunk <= K->rows * K->threads && K->singles(P) <= (device.shared - K->shared) / static_cast<int>(sizeof(Single))) L->kernel = K;
  if (!L->kernel) return cudaSuccess;
  if (grid) ends(*grid, blocks, L);
  L->bytes = L->kernel->singles(P) * static_cast<int>(sizeof(Single));
  return find_resident(*L->kernel, device, L->bytes, &L->resident);
}

cudaError_t plan_launch(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const FusedSinglePersistent &V, Launch *L, FusedResident *answer)
{
  const PeerGrid *const  grid    = of_ranks(V) ? &static_cast<const FusedUpdatingPersistent &>(V).ranks->grid : nullptr;
  const Kernels          kernels = kernels_of(V, form);
  BdiaghPersistentDevice device;

  *answer = FusedResident();
  if (!kernels.kernels || !take_diagonals(D, form, L->P)) return cudaSuccess;
  if (cudaError_t err = bdiagh_persistent_device(&device)) return err;
  if (!device.cooperative) return cudaSuccess;
  L->P.n = D.rows;
  L->P.v = V;
  if (!take_updates(V, L->P)) return cudaSuccess;
  if (cudaError_t err = cut(kernels, device, device.processors, grid, L)) return err;
  answer->most_blocks = L->resident;
  if (!L->kernel || V.blocks > L->resident) return cudaSuccess;
  if (V.blocks)
    if (cudaError_t err = cut(kernels, device, V.blocks, grid, L)) return err;
  if (!L->kernel) return cudaSuccess;
  L->blocks      = L->cut.blocks;
  answer->blocks = L->blocks;
  answer->fits   = L->blocks <= L->resident && (!grid || L->blocks <= PeerGrid::most_blocks) &&
                 GridReduce<Tuning::threads>::bytes(L->blocks) <= FusedPersistent::barrier_bytes;
  return cudaSuccess;
}

} // namespace

cudaError_t bdiagh_persistent_single_fits(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const FusedSinglePersistent &V, FusedResident *answer)
{
  Launch L;

  return plan_launch(D, form, V, &L, answer);
}

cudaError_t launch_bdiagh_persistent_single(const BdiaghDiagonalsOf<Single> &D, FoldForm form, const FusedSinglePersistent &V, FusedScalars *S,
                                            const FusedReduction &reduction, cudaStream_t stream, bool *launched)
{
  Launch                        L;
  FusedResident                 answer;
  BdiaghSinglePersistentOfRanks of_all;
  void                         *arguments[] = {&L.P};

  *launched = false;
  if (cudaError_t err = plan_launch(D, form, V, &L, &answer)) return err;
  if (!answer.fits) return cudaSuccess;
  L.P.scalars        = S;
  L.P.update.sums    = reduction.sums;
  L.P.history        = reduction.history;
  L.P.history_length = reduction.history_length;
  find_partners(L.P, L.cut);
  if (of_ranks(V)) {
    static_cast<BdiaghSinglePersistent &>(of_all) = L.P;
    of_all.ranks                                  = *static_cast<const FusedUpdatingPersistent &>(V).ranks;
    of_all.cut                                    = L.cut;
    arguments[0]                                  = &of_all;
  }
  if (cudaError_t err = cudaMemsetAsync(V.barrier, 0, GridReduce<Tuning::threads>::bytes(L.blocks), stream)) return err;
  const cudaError_t err =
    cudaLaunchCooperativeKernel(L.kernel->kernel, dim3(L.blocks), dim3(L.kernel->threads), arguments, static_cast<std::size_t>(L.bytes), stream);
  if (err == cudaErrorCooperativeLaunchTooLarge || err == cudaErrorLaunchOutOfResources || err == cudaErrorNotSupported) {
    /* handled: part of the device may be in use by other processes, which the occupancy does not show */
    (void)cudaGetLastError();
    return cudaSuccess;
  }
  *launched = err == cudaSuccess;
  return err ? err : cudaGetLastError();
}

} // namespace heptane
