/*
   Chooses and launches the persistent kernels: which diagonals are near, the rows per block, the contents of shared
   memory.
*/
#include "device.hpp"
#include "../../mat/bdiagh/fused/symmetric.hpp"
#include "lists.hpp"
#include "ranks.cuh"
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <string>

namespace heptane
{

namespace
{

using Tuning = BdiaghPersistentTuning;

/* The number of rows of a block is a multiple of this, and of whole cells */
int multiple_of(int block)
{
  return std::lcm(Tuning::row_multiple, block);
}

/* Rows a block so that `blocks` of them cover n */
int chunk_of(int n, int blocks, int block)
{
  return round_up_to(std::max((n + blocks - 1) / blocks, Tuning::min_rows), multiple_of(block));
}

/*
   Renumbers the diagonals: main, near, far. recurred: the two with the farthest columns are far; otherwise all beyond
   max_margin. Each column of block diagonals counts as a diagonal.
*/
void classify(const BdiaghDiagonals &A, bool recurred, BdiaghPersistent &P)
{
  const int b = A.block;
  int       order[Tuning::max_diagonals];

  for (int k = 0; k < A.ndiag; k++) order[k] = k;
  std::stable_sort(order, order + A.ndiag, [&](int a, int b) { return std::abs(A.offset[a]) < std::abs(A.offset[b]); });
  P.near  = recurred ? std::max(A.ndiag - Tuning::max_recurred, std::min(A.ndiag, 1))
                     : static_cast<int>(std::count_if(order, order + A.ndiag, [&](int k) { return b * std::abs(A.offset[k]) <= Tuning::max_margin; }));
  P.far   = A.ndiag - P.near;
  P.below = P.above = 0;
  for (int k = 0; k < A.ndiag; k++) {
    const int offset = A.offset[order[k]] * b;
    for (int s = 0; s < b; s++) {
      P.diagonal[k * b + s] = A.values + (static_cast<std::size_t>(order[k]) * b + s) * A.ld;
      P.offset[k * b + s]   = offset + s;
    }
    if (k < P.near) {
      P.below = std::max(P.below, -offset);
      P.above = std::max(P.above, offset);
    }
  }
  P.near *= b;
  P.far *= b;
}

/*
   The blocks that hold columns of a block's rows, and vice versa. With blocks of unequal size (see ends()) the partners
   of all blocks
*/
void find_partners(BdiaghPersistent &P, const BdiaghCut &cut)
{
  if (cut.edge) {
    const std::vector<int> partner = bdiagh_cut_partners(cut, P.offset, P.near + P.far);

    P.partners = static_cast<int>(partner.size());
    std::copy(partner.begin(), partner.end(), P.partner);
    return;
  }
  P.partners = 0;
  for (int k = 0; k < P.near + P.far; k++) {
    for (int sign = -1; sign <= 1; sign += 2) {
      const long long first = 1LL * sign * P.offset[k];
      const int       lower = static_cast<int>(first >= 0 ? first / P.chunk : -((-first + P.chunk - 1) / P.chunk));
      for (int block = lower; block <= lower + (first % P.chunk != 0); block++) {
        if (block && std::find(P.partner, P.partner + P.partners, block) == P.partner + P.partners) P.partner[P.partners++] = block;
      }
    }
  }
}

struct Choice {
  const BdiaghPersistentKernel *kernel = nullptr;
  std::size_t                   shared = 0; /* bytes, dynamic */
};

/* Input of the choice of a kernel */
struct Problem {
  const BdiaghDiagonals &A;
  int                    main_diagonal;
  BdiaghRemainderPlans  *remainder; /* null: none */
  int                    shared;    /* bytes that a block can have */
};

BdiaghWindow window_of(const BdiaghPersistent &P, const BdiaghCut &cut)
{
  return {cut, P.below, P.above};
}

/*
   Whether the near diagonals are in pairs, as the symmetric form of a kernel requires: adjacent rows first, of both
   pairs the lower one first
*/
bool in_pairs(const BdiaghPersistent &P)
{
  return P.offset[1] == -1 && P.offset[2] == 1 && P.offset[4] > 1 && P.offset[3] == -P.offset[4];
}

/* Whether the shared memory holds a block's part, the remainder's entries too if kept is not 0 */
bool fits_shared(const BdiaghPersistentKernel &K, const Problem &problem, const BdiaghRemainderSizes &most, int kept, BdiaghPersistent &P, Choice *choice)
{
  const std::size_t window          = static_cast<std::size_t>(P.below) + P.chunk + P.above + most.extras;
  const std::size_t scalars         = K.windows * window + 1ul * K.vectors * P.chunk + K.further;
  const std::size_t block_remainder = K.remainder ? (bdiagh_remainder_bytes(most, kept) + sizeof(Scalar) - 1) / sizeof(Scalar) : 0;
  const std::size_t limit           = (problem.shared - K.shared) / sizeof(Scalar);

  if (scalars + block_remainder > limit) return false;
  const int diagonals = static_cast<int>((limit - scalars - block_remainder) / (1ul * K.rows * K.threads));
  P.units             = K.units >= 0 ? K.units : K.rows * std::min(problem.A.ndiag, diagonals);
  if (K.recurred && P.units < K.rows * problem.A.ndiag) return false;
  const std::size_t half   = K.symmetric && in_pairs(P) ? 1ul * K.rows * K.threads + P.offset[4] : 0; /* BdiaghPersistentBlock::half() */
  const std::size_t matrix = std::max(1ul * P.units * K.threads + half, 1ul * (K.symmetric ? K.whole_units : 0) * K.threads);
  if (scalars + block_remainder + matrix > limit) return false;
  P.remainder.most = most;
  P.remainder.kept = kept;
  choice->kernel   = &K;
  choice->shared   = (scalars + block_remainder + matrix) * sizeof(Scalar);
  return true;
}

/* The first kernel whose registers and shared memory hold a block's part of P->chunk rows at most */
Choice choose(const BdiaghPersistentKernel *kernels, int number, const Problem &problem, const BdiaghCut &cut, BdiaghPersistent &P)
{
  const BdiaghDiagonals &A = problem.A;
  Choice                 choice;

  for (const BdiaghPersistentKernel *K = kernels; K < kernels + number && !choice.kernel; K++) {
    BdiaghRemainderSizes most;
    if (P.chunk > K->threads * K->rows || K->block != A.block) continue;
    classify(A, K->recurred, P);
    if (K->near >= 0 && (K->near != P.near || K->far != P.far || (problem.main_diagonal < 0 && K->block == 1))) continue;
    if (problem.remainder) most = problem.remainder->Plan(window_of(P, cut)).most;
    if (most.entries > Tuning::remainder_entries || (K->recurred && P.below + P.above + most.extras > K->threads)) continue;
    if (!fits_shared(*K, problem, most, most.entries, P, &choice) && problem.remainder) (void)fits_shared(*K, problem, most, 0, P, &choice);
  }
  return choice;
}

/* Uploads the plan of the remainder; *there is false if device memory is exhausted */
cudaError_t bring_remainder(const BdiaghResidentMatrix &matrix, const BdiaghCut &cut, BdiaghPersistent &P, cudaStream_t stream, bool *there)
{
  *there = true;
  if (!matrix.remainder) return cudaSuccess;
  P.remainder.values = matrix.remainder_values;
  cudaError_t err    = matrix.remainder->View(window_of(P, cut), stream, &P.remainder);
  if (err != cudaErrorMemoryAllocation) return err;
  *there = false;
  (void)cudaGetLastError(); /* handled */
  return cudaSuccess;
}

cudaError_t resident_blocks(const Choice &choice, const BdiaghPersistentDevice &device, int *blocks)
{
  cudaError_t err = cudaFuncSetAttribute(choice.kernel->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(choice.shared));

  *blocks = 0;
  if (!err) err = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, choice.kernel->kernel, choice.kernel->threads, choice.shared);
  *blocks *= device.processors;
  return err;
}

/* How a solve would be launched */
struct Launch {
  BdiaghPersistent P;
  Choice           choice;
  BdiaghCut        cut    = {};
  int              blocks = 0, resident = 0; /* resident: largest number of resident blocks; 0: unknown */
  std::size_t      barrier = 0;              /* bytes of it that are used */
};

using Kernels = BdiaghKernels<BdiaghPersistentKernel>; /* none: null */

Kernels kernels_of(const FusedPersistent &V, bool remainder, int block)
{
  const std::string method = V.method;

  if (block > 1) {
    if (method != "bcgs" || remainder) return {};
    return V.ranks ? bdiagh_kernels_of<BdiaghBcgsBlocksRanks>() : bdiagh_kernels_of<BdiaghBcgsBlocks>();
  }
  if (method == "cg") {
    if (remainder) return V.ranks ? bdiagh_kernels_of<BdiaghCgRanksRemainder>() : bdiagh_kernels_of<BdiaghCgRemainder>();
    return V.ranks ? bdiagh_kernels_of<BdiaghCgRanks>() : bdiagh_kernels_of<BdiaghCg>();
  }
  if (method == "bcgs") {
    if (remainder) return V.ranks ? bdiagh_kernels_of<BdiaghBcgsRanksRemainder>() : bdiagh_kernels_of<BdiaghBcgsRemainder>();
    return V.ranks ? bdiagh_kernels_of<BdiaghBcgsRanks>() : bdiagh_kernels_of<BdiaghBcgs>();
  }
  if (method == "cg_one_sum" && !remainder) return V.ranks ? bdiagh_kernels_of<BdiaghCgOneSumRanks>() : bdiagh_kernels_of<BdiaghCgOneSum>();
  return {};
}

bool has_kernel_for(const BdiaghResidentMatrix &matrix, const FusedPersistent &V)
{
  const BdiaghDiagonals &A = matrix.A;

  if (!kernels_of(V, matrix.remainder != nullptr, A.block).kernels || A.rows != A.cols || A.rows < 1 || A.block * A.ndiag > Tuning::max_diagonals) return false;
  if (A.block > 1) return V.pc.matrix == FusedPc::scaled_unit;
  if (V.pc.form == FusedPc::none) return true;
  return applies(V.pc, FusedPc::point) && (V.pc.source == FusedPc::given || matrix.main_diagonal >= 0);
}

/*
   Several ranks: fewer rows for the blocks whose rows are columns of other ranks, as far as diagonals show, if the
   kernel exchanges vectors and the remaining blocks have room for more. A row that is sent and has off-rank columns
   costs twice the time, and its block would delay all blocks.
*/
void ends(const Kernels &kernels, const Problem &problem, const PeerGrid &grid, int blocks, Launch *L)
{
  const BdiaghPersistentKernel &K     = *L->choice.kernel;
  const int                    *first = problem.A.offset, *end = first + problem.A.ndiag;
  BdiaghPersistent              P = L->P;

  if (K.recurred || first == end) return;
  const int multiple = multiple_of(K.block), edge = std::max(K.rows / Tuning::edge_part, 1) * K.threads / multiple * multiple,
            below     = grid.rank > 0 ? K.block * std::max(-*std::min_element(first, end), 0) : 0,
            above     = grid.rank < grid.ranks - 1 ? K.block * std::max(*std::max_element(first, end), 0) : 0;
  const BdiaghCut cut = bdiagh_cut(P.n, blocks, multiple, below, above, edge, K.rows * K.threads);
  if (!cut.edge) return;
  P.chunk             = cut.chunk;
  const Choice choice = choose(kernels.kernels, kernels.number, problem, cut, P);
  if (choice.kernel != &K || bdiagh_cut_partners(cut, P.offset, P.near + P.far).size() > std::size(P.partner)) return;
  L->P      = P;
  L->choice = choice;
  L->cut    = cut;
}

/*
   The kernel for rows cut into `blocks` blocks, and the number of them that can be resident; none: L->choice.kernel is
   null
*/
cudaError_t cut(const BdiaghResidentMatrix &matrix, const FusedPersistent &V, const BdiaghPersistentDevice &device, int blocks, Launch *L)
{
  const Kernels kernels = kernels_of(V, matrix.remainder != nullptr, matrix.A.block);
  const Problem problem = {matrix.A, matrix.main_diagonal, matrix.remainder, device.shared};

  L->P.chunk = chunk_of(L->P.n, blocks, matrix.A.block);
  L->cut     = bdiagh_even_cut(L->P.n, L->P.chunk);
  L->choice  = choose(kernels.kernels, kernels.number, problem, L->cut, L->P);
  if (V.ranks && L->choice.kernel) ends(kernels, problem, V.ranks->grid, blocks, L);
  return L->choice.kernel ? resident_blocks(L->choice, device, &L->resident) : cudaSuccess;
}

/*
   Plans a launch, and whether it fits; most_blocks: blocks that can be resident, if V.blocks does not set their number
*/
cudaError_t plan_launch(const BdiaghResidentMatrix &matrix, const FusedPersistent &V, cudaStream_t stream, Launch *L, FusedResident *answer)
{
  BdiaghPersistentDevice device;
  bool                   there;

  *answer = FusedResident();
  if (!has_kernel_for(matrix, V)) return cudaSuccess;
  if (cudaError_t err = bdiagh_persistent_device(&device)) return err;
  if (!device.cooperative) return cudaSuccess;
  if (matrix.remainder && (!Tuning::with_remainder || matrix.remainder->Entries() / device.processors > Tuning::remainder_entries)) return cudaSuccess;

  L->P.n = matrix.A.rows;
  L->P.v = V;
  if (cudaError_t err = cut(matrix, V, device, device.processors, L)) return err;
  if (!L->choice.kernel) return cudaSuccess;
  answer->most_blocks = L->resident;
  if (V.blocks > L->resident) return cudaSuccess;
  if (V.blocks) {
    if (cudaError_t err = cut(matrix, V, device, V.blocks, L)) return err;
    if (!L->choice.kernel) return cudaSuccess;
  }
  L->blocks = L->cut.blocks;
  if (L->blocks > L->resident || (V.ranks && L->blocks > PeerGrid::most_blocks)) return cudaSuccess;
  answer->blocks = L->blocks;
  if (cudaError_t err = bring_remainder(matrix, L->cut, L->P, stream, &there)) return err;
  L->P.published = reinterpret_cast<TaggedPart *>(static_cast<char *>(V.barrier) + GridReduce<32>::bytes(L->blocks));
  L->barrier     = GridReduce<32>::bytes(L->blocks);
  if (matrix.remainder && !L->choice.kernel->recurred) L->barrier += sizeof(TaggedPart) * BdiaghPersistent::published_sets * L->P.remainder.exported_rows;
  if (L->barrier > FusedPersistent::barrier_bytes) return cudaSuccess;
  answer->fits = there;
  return cudaSuccess;
}

/* Sets the symmetry flag that kernels with a symmetric form read; computed once per matrix version */
cudaError_t compare_pairs(const BdiaghPersistent &P, std::uint64_t version, cudaStream_t stream)
{
  const FusedPersistent &V = P.v;

  if (version && *V.uneven_of == version) return cudaSuccess;
  cudaError_t err = cudaMemsetAsync(V.uneven, !in_pairs(P), sizeof(int), stream);
  if (!err && in_pairs(P))
    err = launch_bdiagh_pairs_differ({P.diagonal[1], P.diagonal[2], P.offset[2]}, {P.diagonal[3], P.diagonal[4], P.offset[4]}, P.n, V.uneven, stream);
  if (!err) *V.uneven_of = version;
  return err;
}

} // namespace

cudaError_t bdiagh_persistent_fits(const BdiaghResidentMatrix &matrix, const FusedPersistent &V, cudaStream_t stream, FusedResident *answer)
{
  Launch L;

  return plan_launch(matrix, V, stream, &L, answer);
}

cudaError_t launch_bdiagh_persistent(const BdiaghResidentMatrix &matrix, const FusedPersistent &V, FusedScalars *S, const FusedReduction &reduction,
                                     cudaStream_t stream, bool *launched)
{
  Launch                  L;
  FusedResident           answer;
  BdiaghPersistentOfRanks of_ranks;
  void                   *arguments[] = {&L.P};

  *launched = false;
  if (cudaError_t err = plan_launch(matrix, V, stream, &L, &answer)) return err;
  if (!answer.fits) return cudaSuccess;
  L.P.scalars        = S;
  L.P.history        = reduction.history;
  L.P.history_length = reduction.history_length;
  find_partners(L.P, L.cut);
  if (V.ranks) {
    static_cast<BdiaghPersistent &>(of_ranks) = L.P;
    of_ranks.ranks                            = *V.ranks;
    of_ranks.cut                              = L.cut;
    arguments[0]                              = &of_ranks;
  }
  const BdiaghPersistentKernel &kernel = *L.choice.kernel;
  if (kernel.symmetric)
    if (cudaError_t err = compare_pairs(L.P, matrix.version, stream)) return err;
  if (cudaError_t err = cudaMemsetAsync(V.barrier, 0, L.barrier, stream)) return err;
  const cudaError_t err = cudaLaunchCooperativeKernel(kernel.kernel, dim3(L.blocks), dim3(kernel.threads), arguments, L.choice.shared, stream);
  if (err == cudaErrorCooperativeLaunchTooLarge || err == cudaErrorLaunchOutOfResources || err == cudaErrorNotSupported) {
    /* handled: part of the device may be in use by other processes, which the occupancy does not show */
    (void)cudaGetLastError();
    return cudaSuccess;
  }
  *launched = err == cudaSuccess;
  return err ? err : cudaGetLastError();
}

} // namespace heptane
