/*
   MatSetPreallocationCOO() and MatSetValuesCOO() of matrices derived from AIJ: values are stored directly in the
   format, on the device if products run there; the compressed rows are updated when a host operation needs them.
*/
#include "derived.hpp"
#include "../../device/on_stream.hpp"
#include "../../metrics/metrics.hpp"
#include "../../sys/events.hpp"
#include <petscdevice.h>
#if PetscDefined(HAVE_CUDA)
  #include "../coo/kernels.hpp"
#endif
#include <algorithm>

namespace heptane
{

namespace
{

Stamp layouts_of(const DerivedMat *m)
{
  return Stamp::Of(m->diag->Layout(), m->off ? m->off->Layout() : 0);
}

/* The sequential pattern, in one pass instead of PETSc's sort, without a permutation. in_place: entry k is
   compressed-row entry k */
PetscErrorCode PreallocateSeq(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[], PetscBool *in_place)
{
  PetscInt             *ptr, *col;
  std::vector<PetscInt> length;

  PetscFunctionBegin;
  PetscCall(CooPattern(A->rmap->n, A->cmap->n, n, i, j, &ptr, &col));
  PetscCall(DerivedPreallocateRows(A, ptr, &length));
  PetscCall(MatSeqAIJSetColumnIndices(A, col ? col : const_cast<PetscInt *>(j))); /* copied */
  *in_place = (PetscBool)!col;
  PetscCall(PetscFree(col));
  PetscCall(PetscFree(ptr));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE)); /* as PETSc's own */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Determines the entries for other processes and the entries received: exchanges indices now, values later with the
   same star forest */
PetscErrorCode ExchangeRemote(Mat A, PetscCount n, const PetscInt i[], const PetscInt j[], CooPlan *plan, std::vector<PetscInt> &ri, std::vector<PetscInt> &rj)
{
  const PetscLayout     rmap = A->rmap;
  MPI_Comm              comm;
  PetscMPIInt           size, owner;
  std::vector<PetscInt> si, sj, count, offset;
  PetscSFNode          *remote;
  PetscInt              total;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm((PetscObject)A, &comm));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (PetscCount k = 0; k < n; k++) {
    if (i[k] < 0 || j[k] < 0 || (i[k] >= rmap->rstart && i[k] < rmap->rend)) continue;
    PetscCheck(k <= PETSC_INT_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "More than %" PetscInt_FMT " COO entries on one process with entries for other processes: use more processes, or --with-64-bit-indices",
               PETSC_INT_MAX);
    plan->send.push_back(static_cast<PetscInt>(k));
    si.push_back(i[k]);
    sj.push_back(j[k]);
  }
  plan->sends = static_cast<PetscInt>(plan->send.size());
  total       = plan->sends;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &total, 1, MPIU_INT, MPI_MAX, comm));
  if (!total) PetscFunctionReturn(PETSC_SUCCESS);

  /* place of this process's entries among those each owner receives, in rank order: deterministic */
  std::vector<PetscInt> first(size, 0);
  count.assign(size, 0);
  offset.assign(size, 0);
  for (PetscInt row : si) {
    PetscCall(PetscLayoutFindOwner(rmap, row, &owner));
    count[owner]++;
  }
  PetscCallMPI(MPI_Exscan(count.data(), offset.data(), size, MPIU_INT, MPI_SUM, comm));
  {
    std::vector<PetscInt> sum(size);
    PetscMPIInt           rank;
    PetscCallMPI(MPI_Comm_rank(comm, &rank));
    if (!rank) std::fill(offset.begin(), offset.end(), 0);
    PetscCallMPI(MPIU_Allreduce(count.data(), sum.data(), size, MPIU_INT, MPI_SUM, comm));
    plan->receives = sum[rank];
  }
  PetscCall(PetscMalloc1(plan->sends, &remote));
  for (PetscInt k = 0; k < plan->sends; k++) {
    PetscCall(PetscLayoutFindOwner(rmap, si[k], &owner));
    remote[k].rank  = owner;
    remote[k].index = offset[owner] + first[owner]++;
  }
  PetscCall(PetscSFCreate(comm, &plan->sf));
  PetscCall(PetscSFSetFromOptions(plan->sf));
  PetscCall(PetscSFSetGraph(plan->sf, plan->receives, plan->sends, NULL, PETSC_OWN_POINTER, remote, PETSC_OWN_POINTER));
  ri.resize(plan->receives);
  rj.resize(plan->receives);
  PetscCall(PetscSFReduceBegin(plan->sf, MPIU_INT, si.data(), ri.data(), MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(plan->sf, MPIU_INT, si.data(), ri.data(), MPI_REPLACE));
  PetscCall(PetscSFReduceBegin(plan->sf, MPIU_INT, sj.data(), rj.data(), MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(plan->sf, MPIU_INT, sj.data(), rj.data(), MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Places of entries among the compressed rows of both blocks; -1 in the block that does not contain the entry, or if it
   is ignored */
PetscErrorCode FindPlaces(Mat A, const DerivedMat *m, const Csr &D, const Csr &O, PetscCount n, const PetscInt i[], const PetscInt j[], PetscInt in_diag[],
                          PetscInt in_off[])
{
  const PetscInt rstart = A->rmap->rstart, rend = A->rmap->rend, cstart = A->cmap->rstart, cend = A->cmap->rend;
  PetscInt       hint_diag = -1, hint_off = -1;

  PetscFunctionBegin;
  for (PetscCount k = 0; k < n; k++) {
    const PetscInt row = i[k] - rstart;

    in_diag[k] = -1;
    if (in_off) in_off[k] = -1;
    if (i[k] < rstart || i[k] >= rend || j[k] < 0) continue;
    if (j[k] >= cstart && j[k] < cend) {
      hint_diag = in_diag[k] = csr_find(D, row, j[k] - cstart, hint_diag);
    } else if (in_off) {
      const PetscInt *end = m->garray + O.cols, *g = std::lower_bound(m->garray, end, j[k]);
      if (g != end && *g == j[k]) hint_off = in_off[k] = csr_find(O, row, static_cast<PetscInt>(g - m->garray), hint_off);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The maps of a plan; null places: entry k is compressed-row entry k */
PetscErrorCode BuildMaps(DerivedMat *m, PetscCount n, const PetscInt in_diag[], const PetscInt in_off[], CooPlan *plan)
{
  Csr D, O;

  PetscFunctionBegin;
  plan->leads_into = layouts_of(m);
  PetscCall(m->diag->Pattern(&D));
  PetscCall(plan->diag.Build(*m->diag, D, n, in_diag));
  if (!m->off) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(m->off->Pattern(&O));
  PetscCall(plan->off.Build(*m->off, O, n, in_off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BuildPlan(Mat A, DerivedMat *m, PetscBool in_place, PetscCount n, const PetscInt i[], const PetscInt j[], const std::vector<PetscInt> &ri,
                         const std::vector<PetscInt> &rj, CooPlan *plan)
{
  const PetscCount all = n + (PetscCount)ri.size();
  Csr              D, O;
  PetscInt        *in_diag = NULL, *in_off = NULL;

  PetscFunctionBegin;
  if (!in_place) {
    PetscCall(m->diag->Pattern(&D));
    if (m->off) PetscCall(m->off->Pattern(&O));
    PetscCall(PetscMalloc1(all, &in_diag));
    if (m->off) PetscCall(PetscMalloc1(all, &in_off));
    PetscCall(FindPlaces(A, m, D, O, n, i, j, in_diag, in_off));
    PetscCall(FindPlaces(A, m, D, O, all - n, ri.data(), rj.data(), in_diag + n, PetscSafePointerPlusOffset(in_off, n)));
  }
  PetscCall(BuildMaps(m, in_place ? n : all, in_diag, in_off, plan));
  PetscCall(PetscFree(in_diag));
  PetscCall(PetscFree(in_off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The caller's values in this memory space; copied if the caller has them in the other */
PetscErrorCode Stage(CooPlan *plan, Where where, const PetscScalar *v, const Scalar **out)
{
  const std::size_t n  = (std::size_t)plan->entries;
  PetscMemType      mt = PETSC_MEMTYPE_HOST;
  Scalar           *staged;

  PetscFunctionBegin;
  *out = v;
  if (!v || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscGetMemType(v, &mt));
  if ((where == Where::device) == (bool)PetscMemTypeDevice(mt)) PetscFunctionReturn(PETSC_SUCCESS);
  plan->staged.Resize(n);
  PetscCall(plan->staged.Memory(where, &staged));
  if (where == Where::device) PetscCall(CopyToDevice(staged, v, n));
  else PetscCall(CopyToHost(staged, v, n));
  *out = staged;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends the values of this process's entries to the owners of their rows */
PetscErrorCode SendRemote(CooPlan *plan, Where where, const Scalar *v)
{
  const PetscMemType mt = where == Where::device ? PETSC_MEMTYPE_CUDA : PETSC_MEMTYPE_HOST;
  Scalar            *send, *receive;

  PetscFunctionBegin;
  if (!plan->sf) PetscFunctionReturn(PETSC_SUCCESS);
  plan->send_buffer.Resize((std::size_t)PetscMax(plan->sends, 1));
  plan->receive_buffer.Resize((std::size_t)PetscMax(plan->receives, 1));
  PetscCall(plan->send_buffer.Memory(where, &send));
  PetscCall(plan->receive_buffer.Memory(where, &receive));
  if (where == Where::host) {
    for (PetscInt k = 0; k < plan->sends; k++) send[k] = v ? v[plan->send[k]] : Scalar(0);
  } else {
    const std::int64_t *from;

    if (plan->wide_send.State() == Valid::nowhere) plan->wide_send.Take(std::vector<std::int64_t>(plan->send.begin(), plan->send.end()));
    PetscCall(plan->wide_send.Read(where, &from));
    const MetricsPass metrics(true, [&] { return DeclaredPass{"values gathered for other processes", (8. + 2. * sizeof(Scalar)) * plan->sends}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_gather(v, from, (std::size_t)plan->sends, send, stream); }));
  }
  PetscCall(PetscSFReduceWithMemTypeBegin(plan->sf, MPIU_SCALAR, mt, send, mt, receive, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(plan->sf, MPIU_SCALAR, send, receive, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyMap(LocalPart *part, CooMap *map, Where where, const CooSource &source, InsertMode mode)
{
  Scalar *values;

  PetscFunctionBegin;
  PetscCall(part->ValuesChange(where, (PetscBool)(mode != ADD_VALUES), &values));
  PetscCall(map->Apply(where, source, (PetscBool)(mode == ADD_VALUES), values));
  PetscCall(part->ValuesWritten(where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrepareBlocks(Mat A, DerivedMat *m)
{
  PetscFunctionBegin;
  PetscCall(DerivedPrepareParts(A, m));
  for (LocalPart *part : {m->diag, m->off})
    if (part) PetscCall(part->Complete());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The format's values are zeros; the compressed rows are updated on access */
PetscErrorCode ZeroFormat(Mat A, DerivedMat *m)
{
  Scalar *values;

  PetscFunctionBegin;
  for (LocalPart *part : {m->diag, m->off}) {
    if (!part) continue;
    PetscCall(part->ValuesChange(DerivedWhere(A, m), PETSC_TRUE, &values));
    PetscCall(part->ValuesWritten(DerivedWhere(A, m)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DerivedPlaceCOO(Mat A, PetscCount n, const PetscInt in_diag[], const PetscInt in_off[])
{
  DerivedMat *m;
  auto        plan = std::make_shared<CooPlan>();

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(PrepareBlocks(A, m));
  plan->entries = n;
  PetscCall(BuildMaps(m, n, in_diag, in_off, plan.get()));
  PetscCall(ZeroFormat(A, m));
  m->coo = std::move(plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedSetPreallocationCOO(Mat A, PetscCount n, PetscInt i[], PetscInt j[])
{
  DerivedMat           *m;
  std::vector<PetscInt> ri, rj;
  PetscInt             *ki = i, *kj = j;
  PetscBool             in_place = PETSC_FALSE;
  PetscObjectState      before   = A->nonzerostate;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  m->coo.reset();
  if (A->structure_only) {
    PetscCall((*(PetscErrorCode(*)(Mat, PetscCount, PetscInt[], PetscInt[]))m->base_prealloc_coo)(A, n, i, j));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  auto plan     = std::make_shared<CooPlan>();
  plan->entries = n;
  if (!m->mpi) {
    PetscCall(PreallocateSeq(A, n, i, j, &in_place));
  } else { /* PETSc's changes the indices */
    PetscCall(PetscMalloc2(n, &ki, n, &kj));
    PetscCall(PetscArraycpy(ki, i, n));
    PetscCall(PetscArraycpy(kj, j, n));
    PetscCall((*(PetscErrorCode(*)(Mat, PetscCount, PetscInt[], PetscInt[]))m->base_prealloc_coo)(A, n, i, j));
    PetscCall(DerivedCountPattern(A, before));
    if (!m->ignore_remote) PetscCall(ExchangeRemote(A, n, ki, kj, plan.get(), ri, rj));
  }
  PetscCall(PrepareBlocks(A, m));
  PetscCall(BuildPlan(A, m, in_place, n, ki, kj, ri, rj, plan.get()));
  PetscCall(ZeroFormat(A, m));
  if (m->mpi) PetscCall(PetscFree2(ki, kj));
  else m->diag->ExpectPatternCount(1); /* MatSetPreallocationCOO() counts a change of pattern on return */
  PetscCall(PetscInfo(A, "COO values go into the format by: %s\n", plan->diag.Kind()));
  m->coo = std::move(plan);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DerivedSetValuesCOO(Mat A, const PetscScalar v[], InsertMode mode)
{
  DerivedMat *m;
  CooSource   source;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedPrepareParts(A, m));
  CooPlan    *plan  = m->coo.get();
  const Where where = DerivedWhere(A, m);
  PetscCheck(plan && plan->leads_into == layouts_of(m), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "The pattern or the format's options changed since MatSetPreallocationCOO(): call it again");
  PetscCall(PetscLogEventBegin(MAT_FormatCOO, A, 0, 0, 0));
  if (where == Where::device) PetscCall(PetscLogGpuTimeBegin());
  PetscCall(Stage(plan, where, v, &source.v));
  PetscCall(SendRemote(plan, where, source.v));
  source.received = plan->receive_buffer.At(where);
  source.n        = (std::size_t)plan->entries;
  PetscCall(ApplyMap(m->diag, &plan->diag, where, source, mode));
  if (m->off) PetscCall(ApplyMap(m->off, &plan->off, where, source, mode));
  if (where == Where::device) PetscCall(PetscLogGpuTimeEnd());
  PetscCall(PetscLogEventEnd(MAT_FormatCOO, A, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
