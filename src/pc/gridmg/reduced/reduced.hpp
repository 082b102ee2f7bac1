/*
   CG without red columns on a hierarchy: memory, set-up and the passes of ReducedCg, on the host or on the device.
*/
#pragma once

#include "../../../device/buffer.hpp"
#include "../../../metrics/metrics.hpp"
#include "../../../pass/offers/reduced_cg.hpp"
#include "../exchange/pieces.hpp"
#include "../rows/reduced_rows.hpp"
#include "../rows/system.hpp"
#include <string>

namespace heptane
{

template <class Real>
class GridDevice;
template <class Real>
class GridPeers;

/* The reason why this plan does not support it; empty: it does */
template <class Real>
std::string grid_reduced_why_not(const GridSystem<Real> &S);

/*
   A slab in CG: with overlap rows, and all vectors in the numbering of the slab. Vectors of the solver are copied there
   at the start and back at the end. Valid overlap rows: 4 of z on black columns, which the neighbours send once per
   iteration; 3 of z on red columns, 2 of which are computed; 1 of w, p, x and r, and of x after the first half sweep.
   These suffice for own rows of the next coarser right-hand side, which is sent to all processes; coarser levels are
   replicated. An iteration has four synchronisations: this right-hand side, and the three sums. Several divided levels
   also exchange overlap rows, see grid_coarse_stages().
*/
template <class Real>
struct GridReducedSlab {
  GridPeers<Real>       *others = nullptr; /* null: the hierarchy is whole */
  const GridPiece<Real> *piece  = nullptr;
  GridRows               rows;
  std::vector<GridStage> coarse; /* between the restriction of the finest level and its correction */
};

template <class Real>
class GridReducedCg final : public ReducedCg {
public:
  /* From the values of the matrix; arrays that `of` points to must keep their addresses. Synchronises with the device
     once, for the report. */
  PetscErrorCode SetUp(const GridMatrix &A, const GridSystem<Real> &of, const GridDevice<Real> *device, std::string *why);
  void           SetSlab(const GridReducedSlab<Real> &of) { slab = of; }
  void           SetNumber(std::uint64_t of_plan) { number = of_plan; }
  /* For a set-up that also fills these arrays, after SetUp() for the plan */
  const GridReduced<Real> &Arrays() const { return R; }
  /* The reason why a set-up with this report cannot be used; empty: it can */
  static std::string WhyNot(const GridReport &report) { return report.count[grid_singular] ? "there are singular lines" : ""; }

  Stamp  Signature() const override { return Stamp::Of(number, R.r, R.exact.coef); }
  int    Launches() const override { return launches; }
  double Flops() const override { return flops; }
  void   HostStart(const Scalar *r) override;
  void   HostCycle(bool of_z, Scalar sums[4]) override;
  Scalar HostProduct(Scalar b) override;
  Scalar HostUpdate(Scalar a) override;
  void   HostFinish(const Scalar *from, bool zero, Scalar *x, Scalar *r) override;
#if PetscDefined(HAVE_CUDA)
  cudaError_t LaunchStart(const Scalar *r, const FusedReduction &, cudaStream_t) override;
  cudaError_t LaunchCycle(bool of_z, int at, const FusedReduction &, cudaStream_t) override;
  cudaError_t LaunchProduct(const FusedState &, const FusedReduction &, cudaStream_t) override;
  cudaError_t LaunchUpdate(bool norm, const FusedState &, const FusedReduction &, cudaStream_t) override;
  cudaError_t LaunchFinish(const Scalar *from, bool zero, Scalar *x, Scalar *r, cudaStream_t) override;
#endif

private:
  bool Divided() const
  {
    return slab.others != nullptr;
  }
  PetscErrorCode Allocate(Where where, bool *got);
#if PetscDefined(HAVE_CUDA)
  PetscErrorCode DeviceSetUp(const GridMatrix &A, GridReport *report);
  FusedReduction Sums(const FusedReduction &red) const;
  cudaError_t    LaunchCoarse(int *kernels, cudaStream_t stream);
  cudaError_t    LaunchSums(int count, int at, const FusedReduction &red, cudaStream_t stream, bool with_z = false);
  DeclaredPass   Cost(const char *text, int scalars, int reals, double more_reals) const;
#endif

  GridReducedSlab<Real>   slab;
  GridSystem<Real>        S; /* with x of the finest level in this object, because the preconditioner may be applied between the half sweeps */
  const GridDevice<Real> *device = nullptr;
  GridReduced<Real>       R;
  std::uint64_t           number   = 0;
  int                     launches = 0;
  double                  flops    = 0;
  Buffer<Scalar>          memory, partial; /* partial: sums of blocks, which may be more than in other passes */
  Buffer<Real>            z_memory, x_memory;
  Buffer<GridReport>      report_of{1};
};

} // namespace heptane
