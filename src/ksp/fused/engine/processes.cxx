/*
   Sums between processes, and the choice of their way.
*/
#include "processes.hpp"
#include "../../../sys/collective.hpp"
#include "device_passes.hpp"
#include <cinttypes>

namespace heptane
{

PetscErrorCode MpiSums::Add(int k, int, Scalar sums[]) const
{
  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, k, MPIU_SCALAR, MPIU_SUM, PetscObjectComm((PetscObject)operands.ksp)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device fused products never go by MPI */
bool MpiSums::Takes(const FusedOperator &op) const
{
  return !operands.OnDevice() && !(op.Exchange() && op.Exchange()->ByNccl());
}

PetscErrorCode MpiSums::AfterPass(DevicePasses &passes, int k, int at) const
{
  PetscFunctionBegin;
  PetscCall(passes.FetchSums(k, at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LinkSums::Add(int k, int at, Scalar sums[]) const
{
  const PeerSums P = link.Sums();

  PetscFunctionBegin;
  for (int j = 0; j < k; j++) peer_publish(P, at + j, (double)sums[j]);
  for (int j = 0; j < k; j++) sums[j] = (Scalar)peer_total(P, at + j);
  PetscCall(link.Check());
  PetscFunctionReturn(PETSC_SUCCESS);
}

const int *LinkSums::Flag(int of_halo) const
{
  const PeerLink *of = of_halo ? Halo() : &link;

  return of ? of->Window().Failed() : nullptr;
}

/*
   The halo's flag is that of the matrix, which other solvers use too: the failure of the halo is noted even if the
   error is that of the sums.
*/
PetscErrorCode LinkSums::Check(const int flags[2]) const
{
  PetscFunctionBegin;
  if (Halo()) Halo()->Know(flags[1]);
  PetscCall(link.Check(flags[0]));
  if (Halo()) PetscCall(Halo()->Check(flags[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LinkSums::Check() const
{
  int flags[2] = {0, 0};

  PetscFunctionBegin;
  PetscCall(link.Window().HasFailed(&flags[0]));
  if (Halo()) PetscCall(Halo()->Window().HasFailed(&flags[1]));
  PetscCall(Check(flags));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LinkSums::Fail() const
{
  PetscFunctionBegin;
  PetscCall(link.Fail());
  if (Halo()) PetscCall(Halo()->Fail());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NcclSums::Add(int k, int, Scalar sums[]) const
{
  PetscFunctionBegin;
  PetscCall(link->Sum(sums, sums, k, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NcclSums::AfterPass(DevicePasses &passes, int k, int at) const
{
  PetscFunctionBegin;
  (void)passes, (void)k, (void)at;
#if PetscDefined(HAVE_CUDA)
  const FusedReduction &red = passes.Reduction();

  PetscCall(link->Sum(red.local_sums + at, red.sums + at, k, passes.stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedProcesses::Link()
{
  const bool     device = operands.OnDevice();
  const Where    side   = device ? Where::device : Where::host;
  const MPI_Comm comm   = PetscObjectComm((PetscObject)operands.ksp);

  PetscFunctionBegin;
  PetscCall(PeerOptionsGet(side, &peers));
  const Stamp now = Stamp::Of(peers.wanted, peers.nccl, peers.may_share, peers.seconds, device);
  if (link_for == now) PetscFunctionReturn(PETSC_SUCCESS);
  link     = PeerLink();
  link_for = now;
  nccl.reset();
  why_mpi.clear();
  why_not_nccl.clear();
  if (peers.wanted) PetscCall(link.Create(comm, side, PeerLists(), peers.seconds, &why_mpi, device));
  if (peers.nccl && !link.Usable()) PetscCall(NcclLink::Get(comm, side, peers.seconds, &nccl, &why_not_nccl));
  if (!why_mpi.empty()) PetscCall(PetscInfo(operands.ksp, "Sums not from memory to memory: %s\n", why_mpi.c_str()));
  if (!why_not_nccl.empty()) PetscCall(PetscInfo(operands.ksp, "Sums not by NCCL: %s\n", why_not_nccl.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory in which a wait of some process has failed is not used again */
PetscErrorCode FusedProcesses::Reconnect()
{
  FusedExchange *const halo   = operands.Matrix() ? operands.Matrix()->Exchange() : nullptr;
  PetscBool            broken = (PetscBool)(link.Failed() || (nccl && nccl->Failed()) || (halo && halo->Broken()));

  PetscFunctionBegin;
  if (!peers.wanted && !peers.nccl) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)operands.ksp), &broken, 1, MPI_C_BOOL, MPI_LOR));
  if (!broken) PetscFunctionReturn(PETSC_SUCCESS);
  link_for.Clear(); /* all processes complete their exchanges here before any of them allocates new memory */
  PetscCall(Link());
  if (halo) PetscCall(halo->Reconnect());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Either every synchronization between processes is by NCCL, or none is: a wait in MPI has no time limit, and would not
   end if NCCL has failed on another process.
*/
PetscErrorCode FusedProcesses::NcclTakesAll(bool *all) const
{
  const PC     pc = operands.ksp->pc;
  PetscBool    takes;
  MatNullSpace null[2];
  PetscErrorCode (*by_its_own)(PC, PetscBool, PetscBool *);

  PetscFunctionBegin;
  *all = nccl && operands.Matrix() && by_nccl.Takes(*operands.Matrix());
  if (!*all) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &takes, PCNONE, PCJACOBI, PCPBJACOBI, ""));
  PetscCall(MatGetNullSpace(operands.Amat, &null[0]));
  PetscCall(MatGetTransposeNullSpace(operands.Amat, &null[1]));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, pc_by_nccl_name, &by_its_own));
  if (by_its_own && !null[0] && !null[1]) PetscCall((*by_its_own)(pc, (PetscBool)operands.OnDevice(), &takes)); /* MPI adds where one is removed */
  *all = takes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedProcesses::Choose()
{
  bool all = false;

  PetscFunctionBegin;
  sums = &alone;
  if (operands.Processes() == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Reconnect());
  PetscCall(NcclTakesAll(&all));
  if (all) sums = &by_nccl;
  else if (link.Usable()) sums = &by_link;
  else sums = &by_mpi;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string FusedProcesses::WhyNotNccl() const
{
  return nccl && sums == &by_mpi ? "no fused products, or the preconditioner is called between the passes" : why_not_nccl;
}

bool FusedProcesses::Counts() const
{
  return operands.Processes() > 1 && peers.check && link.Usable();
}

/* A pass that one process has left out shows in the solve that it belongs to, not in the next one */
PetscErrorCode FusedProcesses::CheckCounts() const
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)operands.ksp);
  std::uint64_t  least[PeerWindow::counters], most[PeerWindow::counters];

  PetscFunctionBegin;
  PetscCall(link.Window().Counted(comm, least, most));
  for (int k = 0; k < PeerWindow::counters; k++)
    PetscCheck(least[k] == most[k], comm, PETSC_ERR_PLIB, "Processes have counted from %" PRIu64 " to %" PRIu64 " of sum %d: one has left out a pass", least[k],
               most[k], k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
