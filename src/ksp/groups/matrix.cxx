/*
   Windows have the entries of each process, one process after the other, first of its block on the diagonal, then of the
   other block. MatSetValuesCOO() moves the values from there into the format of the leader's matrix. The pattern, once,
   is sent through the same memory: columns in place of values, lengths of rows in place of the vectors.
*/
#include "matrix.hpp"
#include "../../comm/peer_memory.hpp"
#include "../../mat/aij/entries.hpp"
#include "../../sys/collective.hpp"
#include "../../sys/composed.hpp"
#include <algorithm>
#include <new>
#include <numeric>

namespace heptane
{

namespace
{

constexpr char grouped_name[] = "HeptaneGroupedMat";

/* Numbers that hold n values or n indices, in whole lines */
std::size_t lines_of(PetscInt n)
{
  return ((std::size_t)n * (sizeof(PetscInt) > sizeof(Scalar) ? 2 : 1) + 15) / 16 * 16;
}

} // namespace

/* Compressed rows of the leader's blocks, the second one with global columns, and the place of each entry of the window
   in one of them; -1: it is in the other one */
struct GroupedMat::LeaderRows {
  std::vector<PetscInt> ptr[2], col[2], place[2];
};

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

PetscErrorCode GroupedMat::PatternOf(Mat A, bool settings, Stamp *pattern)
{
  const PetscInt *garray;
  DerivedMat     *m;
  PetscBool       bound;
  Mat             Ad, Ao;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  PetscCall(DerivedGet(A, &m));
  PetscCall(MatBoundToCPU(A, &bound));
  *pattern = Stamp::Of(((PetscObject)A)->id, A->data, A->nonzerostate, A->rmap->bs, A->cmap->bs);
  if (settings) *pattern << bound << m->settings_changed;
  for (Mat block : {Ad, Ao}) *pattern << ((PetscObject)block)->id << block->nonzerostate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::IsNew(const std::shared_ptr<ProcessGroup> &of, Mat A, bool gpu, bool *is) const
{
  Stamp now;

  PetscFunctionBegin;
  PetscCall(PatternOf(A, true, &now));
  *is = group != of || made_for != now || (gpu && !asked_device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and entries of all members, unless there are too many */
PetscErrorCode GroupedMat::Counts(Mat A)
{
  PetscCount entries;

  PetscFunctionBegin;
  PetscCall(EntriesCount(A, &entries));
  counts.resize(group->Size());
  const Rows local = {A->rmap->n, (PetscInt)PetscMin(entries, (PetscCount)PETSC_INT_MAX)};
  PetscCall(CollectiveGather(group->Members(), &local, sizeof(local), counts.data()));
  entries = 0;
  all     = {};
  for (int m = 0; m < group->Size(); m++) {
    if (m == group->Rank()) before = {all.rows, (PetscInt)entries};
    all.rows += counts[m].rows;
    entries += counts[m].entries;
  }
  if (entries >= PETSC_INT_MAX) refusal = "more entries in a group than PetscInt counts";
  all.entries = (PetscInt)entries;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns and lengths of rows of all members are in the window on return */
PetscErrorCode GroupedMat::SendPattern(Mat A)
{
  const PetscInt *garray;
  Mat             block[2];
  Csr             P;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &garray));
  for (int k = 0; k < 2; k++) {
    PetscCall(heptane::PatternOf(block[k], &P));
    for (PetscInt r = 0; r < P.rows; r++) Lengths(k)[before.rows + r] = P.ptr[r + 1] - P.ptr[r];
  }
  PetscCall(EntriesColumns(A, Columns() + before.entries));
  PetscCall(CollectiveBarrier(group->Members()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leader: rows of its matrix; first: the first row of the group */
void GroupedMat::ReadPattern(PetscInt first, LeaderRows *rows) const
{
  const PetscInt *const col = Columns();
  PetscInt              row = 0, begin = 0, e, o; /* entries of a process from `begin`, of its row from e and from o */

  for (int k = 0; k < 2; k++) {
    rows->ptr[k].assign(1, 0);
    rows->ptr[k].reserve((std::size_t)all.rows + 1);
    rows->place[k].assign((std::size_t)all.entries, -1);
  }
  rows->col[0].reserve((std::size_t)all.entries);
  const auto add = [&](PetscInt entry) {
    const int k = col[entry] < first || col[entry] >= first + all.rows;

    rows->place[k][entry] = (PetscInt)rows->col[k].size();
    rows->col[k].push_back(k ? col[entry] : col[entry] - first);
  };

  for (const Rows &m : counts) {
    const PetscInt first_of_it = first + row, end = row + m.rows;

    e = begin;
    o = std::accumulate(Lengths(0) + row, Lengths(0) + end, e);
    for (; row < end; row++) { /* columns ascend in both blocks */
      const PetscInt end_e = e + Lengths(0)[row], end_o = o + Lengths(1)[row];

      while (o < end_o && col[o] < first_of_it) add(o++);
      while (e < end_e) add(e++);
      while (o < end_o) add(o++);
      for (int k = 0; k < 2; k++) rows->ptr[k].push_back((PetscInt)rows->col[k].size());
    }
    begin += m.entries;
  }
}

/* A sequential matrix with these rows and any values */
static PetscErrorCode MakeBlock(MPI_Comm comm, PetscInt cols, PetscInt row_block, PetscInt col_block, const std::vector<PetscInt> &ptr,
                                std::vector<PetscInt> &col, Mat *block)
{
  std::vector<PetscInt> length;

  PetscFunctionBegin;
  PetscCall(MatCreate(comm, block));
  PetscCall(MatSetSizes(*block, (PetscInt)ptr.size() - 1, cols, (PetscInt)ptr.size() - 1, cols));
  PetscCall(MatSetBlockSizes(*block, row_block, col_block));
  PetscCall(MatSetType(*block, MATSEQAIJ));
  PetscCall(DerivedPreallocateRows(*block, ptr.data(), &length));
  col.push_back(0); /* PETSc does not like a null pointer */
  PetscCall(MatSeqAIJSetColumnIndices(*block, col.data()));
  PetscCall(MatSetOption(*block, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::MakeInner(Mat A, LeaderRows *leader)
{
  std::vector<PetscInt> &others = leader->col[1];
  DerivedMat            *from, *to;
  PetscMPIInt            size;
  PetscInt               rows, cols, ghosts = (PetscInt)others.size(), *garray;
  PetscBool              bound;
  Mat                    block[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(group->Peers(), &size));
  PetscCall(DerivedGet(A, &from));
  PetscCall(MatGetBlockSizes(A, &rows, &cols));
  PetscCall(PetscOptionsPushCreateViewerOff(PETSC_TRUE)); /* -mat_view shows the program's matrix only */
  PetscCall(MakeBlock(size == 1 ? group->Peers() : PETSC_COMM_SELF, all.rows, rows, cols, leader->ptr[0], leader->col[0], &block[0]));
  if (size == 1) inner = block[0];
  else {
    PetscCall(PetscMalloc1(others.size() + 1, &garray));
    std::copy(others.begin(), others.end(), garray);
    PetscCall(PetscSortRemoveDupsInt(&ghosts, garray));
    for (PetscInt &c : others) c = (PetscInt)(std::lower_bound(garray, garray + ghosts, c) - garray);
    PetscCall(MakeBlock(PETSC_COMM_SELF, ghosts, rows, 1, leader->ptr[1], others, &block[1]));
    PetscCall(MatCreateMPIAIJWithSeqAIJ(group->Peers(), A->rmap->N, A->cmap->N, block[0], block[1], garray, &inner));
  }
  PetscCall(DerivedInstall(inner, from->cls));
  PetscCall(DerivedGet(inner, &to));
  to->settings  = from->cls->copy_settings(from->settings.get());
  to->shortcuts = (PetscBool)(to->shortcuts && from->shortcuts);
  PetscCall(MatBoundToCPU(A, &bound));
  if (bound) PetscCall(MatBindToCPU(inner, PETSC_TRUE));
  PetscCall(DerivedPlaceCOO(inner, all.entries, leader->place[0].data(), leader->place[1].data()));
  PetscCall(PetscOptionsPopCreateViewerOff());
  PetscCall(MatPropagateSymmetryOptions(A, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::Make(const std::shared_ptr<ProcessGroup> &now, Mat A, bool device)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)A);
  LeaderRows     rows;

  PetscFunctionBegin;
  PetscCall(Free());
  group        = now;
  asked_device = device;
  PetscCall(PatternOf(A, true, &made_for));
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
  PetscCall(SendPattern(A));
  if (group->Leads()) {
    try {
      ReadPattern(A->rmap->rstart - before.rows, &rows);
    } catch (const std::bad_alloc &) {
      refusal = "no memory is left for the rows of a group";
    }
  }
  PetscCall(PeerAgree(comm, &refusal)); /* the memory may be written again */
  if (group->Leads() && refusal.empty()) PetscCall(MakeInner(A, &rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::SendValues(Mat A, unsigned *flags)
{
  const PetscInt *garray;
  Mat             block[2];
  bool            done = false;

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &block[0], &block[1], &garray));
  const auto  state = [&] { return DerivedStamp(A) << ((PetscObject)block[0])->state << ((PetscObject)block[1])->state; };
  const Stamp now   = state();

  if (now == sent) PetscFunctionReturn(PETSC_SUCCESS);
  *flags |= groups_new_values | (received_state != ((PetscObject)A)->state ? groups_counted_values : 0u);
  if (there) PetscCall(EntriesValues(A, Where::device, Values(*there) + before.entries, &done)); /* to the leader's GPU */
  if (there) PetscCall(Quiet());                                                                 /* which reads them */
  LeftOnHost()[group->Rank()] = !done;
  if (!done) PetscCall(EntriesValues(A, Where::host, Values(*host) + before.entries, &done));
  sent = state();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On a GPU values that processes have left on the host are copied to the other ones */
PetscErrorCode GroupedMat::ReceiveValues(unsigned flags)
{
  Scalar  *values = Values(there ? *there : *host);
  PetscInt first = 0, end = 0; /* entries left on the host, of consecutive processes */

  PetscFunctionBegin;
  if (!(flags & groups_new_values)) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t m = 0; there && m < counts.size(); m++) {
    if (!LeftOnHost()[m]) first = end + counts[m].entries;
    end += counts[m].entries;
    if (end > first && (m + 1 == counts.size() || !LeftOnHost()[m + 1])) PetscCall(Copy(values + first, Values(*host) + first, end - first, true));
    LeftOnHost()[m] = 0;
  }
  PetscCall(PetscOptionsPushCreateViewerOff(PETSC_TRUE)); /* as at its creation */
  PetscCall(MatSetValuesCOO(inner, values, INSERT_VALUES));
  PetscCall(PetscOptionsPopCreateViewerOff());
  if (flags & groups_counted_values) changes++;
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
  received_state = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

GroupedMat::~GroupedMat()
{
  PetscCallAbort(PETSC_COMM_SELF, Free());
}

} // namespace heptane
