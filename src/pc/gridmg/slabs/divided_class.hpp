/*
   The class of divided hierarchies: see divided.hpp. One for both precisions.
*/
#pragma once

#include "../exchange/peers.hpp"
#include "../hierarchy/scale.hpp"
#include "../reduced/reduced.hpp"
#include "divided.hpp"
#include "divided_remainder.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "../device/device.hpp"
#endif

namespace heptane
{

template <class Real>
class DividedHierarchy final : public GridDivided {
public:
  ~DividedHierarchy() override;
  PetscErrorCode Plan(MPI_Comm c, const GridOptions &options, int divided, GridDistribution *distribution) override;
  PetscErrorCode Factor(GridReport *report, GridDistribution *distribution) override;
  PetscErrorCode Apply(Vec x, Vec y) override;
  PcPasses      *Passes() override;
  PetscErrorCode Reduced(ReducedCg **reduced, std::string *why) override;
  PetscErrorCode Check() override { return peers->Check(); }
  PetscErrorCode Reconnect() override;

  const GridPlan            &Planned() const override { return plan; }
  const GridDivision        &Divided() const override { return division; }
  const std::string         &Remarks() const override { return remark; }
  bool                       OnDevice() const override { return where == Where::device; }
  bool                       ByNccl() const override { return peers && peers->ByNccl(); }
  std::vector<GridLevelView> View() const override;
  int                        Launches() const override { return launches; }

private:
  PetscErrorCode  Means(GridDistribution *distribution);
  void            Choose(const GridOptions &options, int divided, GridDistribution *distribution);
  PetscErrorCode  Worth(GridDistribution *distribution);
  GridDividedCost Cost() const;
  PetscErrorCode  Place(const GridOptions &options, GridDistribution *distribution);
  PetscErrorCode  Prepare();
  void            Strides();
  PetscErrorCode  SetScale();
  PetscErrorCode  Renumber();
  PetscErrorCode  Fill(bool with_reduced, GridReport *report, GridDistribution *distribution);
  PetscErrorCode  SlabLevels(bool with_reduced, GridReport *report);
  PetscErrorCode  FromOthers(bool with_reduced, GridReport *report, bool *usable);
  PetscErrorCode  Between(GridStream stream);
  PetscErrorCode  Remark();
  double          Flops() const;
  bool            HasSlab() const { return rank < division.processes(); }
#if PetscDefined(HAVE_CUDA)
  /* The application as launches */
  struct OfCycle final : public PcPasses {
    DividedHierarchy *of = nullptr;
    cudaError_t       Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const override;
    Stamp             Signature() const override { return Stamp::Of(of->number, of->piece.in); }
    int               Launches() const override { return of->launches; }
    double            Flops() const override { return of->Flops(); }
  };

  PetscErrorCode LaunchBetween(cudaStream_t stream);
  PetscErrorCode Record();
#endif

  MPI_Comm                         comm = MPI_COMM_NULL;
  PetscMPIInt                      rank = 0, size = 1;
  Where                            where = Where::host;
  GridPieces                       all;
  const GridPlan                  &plan     = all.plan; /* of the whole grid */
  GridDivision                    &division = all.division;
  std::vector<GridStage>           stages;
  GridMatrix                       matrix; /* of the box, without its values */
  GridScale                        scaling;
  GridDividedRemainder<Real>       remainder;
  GridPiece<Real>                  piece;
  GridSystem<Real>                &slab = piece.slab, &coarse = piece.coarse;
  std::unique_ptr<GridPeers<Real>> peers;
  std::uint64_t                    number   = 0; /* unique number of the plan */
  int                              launches = 0;
  GridReducedCg<Real>              reduced;
  /* from these values; used with them; made by the set-up */
  bool        reduced_made = false, reduced_used = false, factored_reduced = false;
  std::string why_not, remark;
#if PetscDefined(HAVE_CUDA)
  OfCycle                 passes;
  cudaGraphExec_t         graph = nullptr; /* all kernels between the vectors of the solver */
  bool                    begun = false;   /* it has run once as launches */
  GridDevice<Real>        executor;        /* of the undivided levels */
  Buffer<GridLevel<Real>> slab_levels;
  Buffer<GridReport>      report_of{2};
#endif
};

} // namespace heptane
