/*
   The leader's matrix is filled by COO: the entries of each process, one process after the other, first of its block on
   the diagonal, then of the other one. One call moves the values from the window into the format of the leader.
*/
#include "matrix.hpp"
#include "../../comm/peer_memory.hpp"
#include "../../sys/composed.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

namespace
{

constexpr char grouped_name[] = "HeptaneGroupedMat";

std::size_t lines_of(PetscInt n)
{
  return ((std::size_t)n + 15) / 16 * 16;
}

} // namespace

PetscErrorCode GroupedMat::Of(Mat A, std::shared_ptr<GroupedMat> *grouped)
{
  std::shared_ptr<GroupedMat> *composed;

  PetscFunctionBegin;
  PetscCall(ComposedQuery(A, grouped_name, &composed));
  if (!composed || (*composed)->owner != ((PetscObject)A)->id) { /* copied with the header of another matrix */
    composed           = new std::shared_ptr<GroupedMat>(std::make_shared<GroupedMat>());
    (*composed)->owner = ((PetscObject)A)->id;
    PetscCall(Compose(A, grouped_name, composed));
  }
  *grouped = *composed;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::WhyNot(Mat A, std::string *why)
{
  DerivedMat *m = NULL;
  PetscBool   same;

  PetscFunctionBegin;
  PetscCall(DerivedQuery(A, &m));
  if (!m || !m->mpi) *why = std::string("a matrix of type ") + ((PetscObject)A)->type_name;
  else if (!A->assembled) *why = "the matrix is not assembled";
  else {
    PetscCall(PetscLayoutCompare(A->rmap, A->cmap, &same));
    if (!same) *why = "rows and columns are divided differently";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Settings of the format too */
Stamp GroupedMat::PatternOf(Mat A, Mat Ad, Mat Ao)
{
  DerivedMat *m;
  PetscBool   bound;

  PetscCallAbort(PETSC_COMM_SELF, DerivedGet(A, &m));
  PetscCallAbort(PETSC_COMM_SELF, MatBoundToCPU(A, &bound));
  Stamp stamp = Stamp::Of(((PetscObject)A)->id, A->data, A->nonzerostate, bound, A->rmap->bs, A->cmap->bs, m->settings_changed);

  for (Mat block : {Ad, Ao}) stamp << ((PetscObject)block)->id << block->nonzerostate;
  return stamp;
}

bool GroupedMat::IsNew(const std::shared_ptr<ProcessGroup> &of, Mat A) const
{
  Mat             Ad, Ao;
  const PetscInt *garray;

  PetscCallAbort(PETSC_COMM_SELF, MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  return group != of || made_for != PatternOf(A, Ad, Ao);
}

/* Rows and entries of all members, unless there are too many */
PetscErrorCode GroupedMat::Counts(Mat A)
{
  const int       size = group->Size(), rank = group->Rank();
  const PetscInt *garray;
  long long       entries = 0;
  Mat             Ad, Ao;
  Csr             d, o;
  Rows            local;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  PetscCall(heptane::PatternOf(Ad, &d));
  PetscCall(heptane::PatternOf(Ao, &o));
  entries = (long long)d.nnz() + o.nnz();
  local   = {d.rows, (PetscInt)PetscMin(entries, (long long)PETSC_MPI_INT_MAX)};
  counts.resize(size);
  PetscCallMPI(MPI_Allgather(&local, sizeof(local), MPI_BYTE, counts.data(), sizeof(local), MPI_BYTE, group->Members()));
  entries = 0;
  all     = {};
  for (int m = 0; m < size; m++) {
    if (m == rank) before = {all.rows, (PetscInt)entries};
    all.rows += counts[m].rows;
    entries += counts[m].entries;
  }
  if (entries >= PETSC_MPI_INT_MAX) refusal = "more entries in a group than 32 bits count";
  all.entries = (PetscInt)entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns of all entries to the leader */
PetscErrorCode GroupedMat::SendPattern(Mat A, std::vector<PetscInt> entries[2])
{
  const PetscInt       *garray;
  Mat                   Ad, Ao;
  Csr                   block[2];
  std::vector<PetscInt> local[2];
  std::vector<int>      number, at;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  PetscCall(heptane::PatternOf(Ad, &block[0]));
  PetscCall(heptane::PatternOf(Ao, &block[1]));
  for (auto &list : local) list.reserve((std::size_t)counts[group->Rank()].entries);
  for (const Csr &P : block)
    for (PetscInt r = 0; r < P.rows; r++)
      for (PetscInt k = P.ptr[r]; k < P.ptr[r + 1]; k++) {
        local[0].push_back(A->rmap->rstart + r);
        local[1].push_back(&P == block ? A->cmap->rstart + P.col[k] : garray[P.col[k]]);
      }
  for (const Rows &m : counts) {
    at.push_back(at.empty() ? 0 : at.back() + number.back());
    number.push_back((int)m.entries);
  }
  for (int k = 0; k < 2; k++) {
    if (group->Leads()) entries[k].resize((std::size_t)all.entries + 1); /* PETSc does not like a null pointer */
    PetscCallMPI(
      MPI_Gatherv(local[k].data(), (int)local[k].size(), MPIU_INT, entries[k].data(), number.data(), at.data(), MPIU_INT, group->Leader(), group->Members()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::MakeInner(Mat A, std::vector<PetscInt> entries[2])
{
  DerivedMat *from, *to;
  PetscMPIInt size;
  PetscInt    rows, cols;
  PetscBool   bound;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(group->Peers(), &size));
  PetscCall(DerivedGet(A, &from));
  PetscCall(MatGetBlockSizes(A, &rows, &cols));
  PetscCall(MatCreate(group->Peers(), &inner));
  PetscCall(MatSetSizes(inner, all.rows, all.rows, A->rmap->N, A->cmap->N));
  PetscCall(MatSetBlockSizes(inner, rows, cols));
  PetscCall(MatSetType(inner, size == 1 ? from->cls->seq_name : from->cls->mpi_name));
  PetscCall(DerivedGet(inner, &to));
  to->settings  = from->cls->copy_settings(from->settings.get());
  to->shortcuts = (PetscBool)(to->shortcuts && from->shortcuts);
  PetscCall(MatBoundToCPU(A, &bound));
  if (bound) PetscCall(MatBindToCPU(inner, PETSC_TRUE));
  PetscCall(PetscOptionsPushCreateViewerOff(PETSC_TRUE)); /* -mat_view shows the program's matrix only */
  PetscCall(MatSetPreallocationCOO(inner, all.entries, entries[0].data(), entries[1].data()));
  PetscCall(PetscOptionsPopCreateViewerOff());
  PetscCall(MatPropagateSymmetryOptions(A, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::Make(const std::shared_ptr<ProcessGroup> &now, Mat A, bool device)
{
  const MPI_Comm        comm = PetscObjectComm((PetscObject)A);
  std::vector<PetscInt> entries[2];
  const PetscInt       *garray;
  Mat                   Ad, Ao;

  PetscFunctionBegin;
  PetscCall(Free());
  group = now;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  made_for     = PatternOf(A, Ad, Ao);
  asked_device = device;
  PetscCall(Counts(A));
  PetscCall(PeerAgree(comm, &refusal));
  if (!refusal.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  value_lines             = lines_of(all.entries);
  lines                   = lines_of(all.rows);
  const std::size_t bytes = sizeof(Scalar) * (value_lines + 2 * lines);

  PetscCall(group->Window(Where::host, bytes + sizeof(int) * counts.size(), &host, &refusal));
  PetscCall(PeerAgree(comm, &refusal));
  if (!refusal.empty()) host.reset();
  if (!refusal.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MakeDeviceWindow(A, bytes, device));
  PetscCall(SendPattern(A, entries));
  if (group->Leads()) PetscCall(MakeInner(A, entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From formats that are up to date on the device to the leader's GPU */
PetscErrorCode GroupedMat::SendFromDevice(Mat A, const Mat block[2], bool *done)
{
  DerivedMat *m;
  Scalar     *to = Values(*there) + before.entries;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &m));
  *done = m->diag && m->off; /* else the formats have not been used */
  if (*done) PetscCall(DerivedPrepareParts(A, m));
  for (int k = 0; k < 2 && *done; k++) {
    LocalPart *const part = k ? m->off : m->diag;
    PetscBool        taken;
    Csr              P;

    PetscCall(heptane::PatternOf(block[k], &P));
    PetscCall(part->TakeRows(to, &taken));
    to += P.nnz();
    *done = taken;
  }
#if PetscDefined(HAVE_CUDA)
  cudaStream_t stream;

  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(cudaStreamSynchronize(stream)); /* the leader reads */
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::SendFromHost(const Mat block[2])
{
  Scalar *to = Values(*host) + before.entries;

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    const PetscScalar *a;
    Csr                P;

    PetscCall(heptane::PatternOf(block[k], &P));
    PetscCall(MatSeqAIJGetArrayRead(block[k], &a));
    to = std::copy_n(a, P.nnz(), to);
    PetscCall(MatSeqAIJRestoreArrayRead(block[k], &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::SendValues(Mat A, bool *new_values, bool *counted)
{
  const PetscInt *garray;
  Mat             block[2];
  bool            done = false;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &garray));
  const auto  state = [&] { return DerivedStamp(A) << ((PetscObject)block[0])->state << ((PetscObject)block[1])->state; };
  const Stamp now   = state();

  *new_values = now != sent;
  *counted    = *new_values && (sent_state != ((PetscObject)A)->state);
  if (!*new_values) PetscFunctionReturn(PETSC_SUCCESS);
  if (there) PetscCall(SendFromDevice(A, block, &done));
  if (!done) PetscCall(SendFromHost(block));
  LeftOnHost()[group->Rank()] = !done;
  sent                        = state();
  sent_state                  = ((PetscObject)A)->state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a GPU values that processes have left on the host are copied to the other ones */
PetscErrorCode GroupedMat::ReceiveValues(bool counted)
{
  Scalar  *values = Values(there ? *there : *host);
  PetscInt first = 0, end = 0; /* entries left on the host, of consecutive processes */

  PetscFunctionBegin;
  for (std::size_t m = 0; there && m < counts.size(); m++) {
    if (!LeftOnHost()[m]) first = end + counts[m].entries;
    end += counts[m].entries;
    if (end > first && (m + 1 == counts.size() || !LeftOnHost()[m + 1])) PetscCall(Copy(values + first, Values(*host) + first, end - first, true));
    LeftOnHost()[m] = 0;
  }
  PetscCall(PetscOptionsPushCreateViewerOff(PETSC_TRUE)); /* as at its creation */
  PetscCall(MatSetValuesCOO(inner, values, INSERT_VALUES));
  PetscCall(PetscOptionsPopCreateViewerOff());
  if (counted) changes++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::Free()
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&inner));
  host.reset();
  there.reset();
  vectors_there = false;
  refusal.clear();
  made_for.Clear();
  ForgetSent();
  PetscFunctionReturn(PETSC_SUCCESS);
}

GroupedMat::~GroupedMat()
{
  PetscCallAbort(PETSC_COMM_SELF, Free());
}

} // namespace heptane
