/*
   The values of a vector in the columns of other processes: on the host, or, by NCCL, in the stream of the passes.
*/
#include "../../../metrics/metrics.hpp"
#include "halo.hpp"
#include <algorithm>
#include <iterator>
#if PetscDefined(HAVE_CUDA)
  #include "../../../pass/product/received.hpp"
#endif

namespace heptane
{

/* u, if NCCL can send its rows from there, else null */
template <class T>
static const Scalar *sent_as_it_is(const NcclHalo &nccl, const T *u)
{
  if constexpr (std::is_same_v<T, Scalar>) return nccl.InRuns() ? u : nullptr;
  return nullptr;
}

template <class T>
PetscErrorCode Halo::ReceiveAs(MPI_Datatype type, const T *u)
{
  Scalar *to = ghost.At(Where::host);

  PetscFunctionBegin;
  if (link.Usable() && side == Where::host) {
    const PeerHalo      H     = link.Halo();
    const std::uint64_t round = peer_round(H);

    peer_push(H, round, u, 0, 1);
    for (int j = 0; j < H.ghosts; j++) to[j] = (Scalar)peer_ghost(H, round, j);
    peer_end_round(H, round);
    PetscCall(link.Check());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (nccl.Usable() && side == Where::host) {
    const Scalar *const as_it_is = sent_as_it_is(nccl, u);

    for (std::size_t k = 0; k < nccl.Sends() && !as_it_is; k++) nccl.Sent()[k] = static_cast<Scalar>(u[nccl.Rows()[k]]);
    PetscCall(nccl.Exchange(as_it_is, nullptr));
    std::copy_n(nccl.Received(), nccl.Ghosts(), to);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::vector<T> columns(number.size()); /* in the order of sf */
  PetscCall(PetscSFBcastWithMemTypeBegin(sf, type, PETSC_MEMTYPE_HOST, u, PETSC_MEMTYPE_HOST, columns.data(), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, type, u, columns.data(), MPI_REPLACE));
  for (std::size_t k = 0; k < number.size(); k++) to[number[k]] = static_cast<Scalar>(columns[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
template <class T>
PetscErrorCode Halo::ReceiveInStream(const FusedProductOf<T> &P, const FusedScalars *S, const RemainderRows &of_rows, cudaStream_t stream) const
{
  const bool formed = P.v || std::any_of(std::begin(P.other_q), std::end(P.other_q), [](const T *q) { return q != nullptr; });
  /* CG's product only: BiCGStab with a packed halo needs 74 us per iteration, without 89 (two H200, 1.0M rows) */
  const Scalar *const as_it_is = formed || P.sums != sum_yu ? nullptr : sent_as_it_is(nccl, P.q);
  FusedHalo           taken;

  PetscFunctionBegin;
  if (!as_it_is) {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"halo: values for other processes", 24. * static_cast<double>(nccl.Sends())}; });

    PetscCallCUDA(launch_halo_pack(P, S, nccl.Rows(), static_cast<int>(nccl.Sends()), nccl.Sent(), stream));
  }
  PetscCall(nccl.Exchange(as_it_is, stream));
  if (!shared.Any()) PetscFunctionReturn(PETSC_SUCCESS);
  taken.rows = of_rows;
  Take(&taken);
  const MetricsPass metrics(true, [&] { return DeclaredPass{"halo: sums of rows with many columns", 20. * static_cast<double>(Entries())}; });

  PetscCallCUDA(launch_halo_shared(taken, received, nccl.Received(), stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}
template PetscErrorCode Halo::ReceiveInStream(const FusedProductOf<Scalar> &, const FusedScalars *, const RemainderRows &, cudaStream_t) const;
template PetscErrorCode Halo::ReceiveInStream(const FusedProductOf<Single> &, const FusedScalars *, const RemainderRows &, cudaStream_t) const;
#endif

PetscErrorCode Halo::Receive(const Scalar *u)
{
  PetscFunctionBegin;
  PetscCall(ReceiveAs(MPIU_SCALAR, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Halo::Receive(const Single *u)
{
  PetscFunctionBegin;
  PetscCall(ReceiveAs(std::is_same_v<Single, float> ? MPI_FLOAT : MPI_DOUBLE, u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
