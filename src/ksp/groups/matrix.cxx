/*
   The leader's matrix: two blocks of compressed rows with values in the window, where each process writes the values of
   its rows. Entries in columns of the group are in the first block.
*/
#include "matrix.hpp"
#include "../../comm/peer_memory.hpp"
#include "../../sys/composed.hpp"
#include <algorithm>

namespace heptane
{

namespace
{

constexpr char grouped_name[] = "HeptaneGroupedMat", storage_name[] = "HeptaneGroupedStorage";

enum : char { left, right, outside }; /* of the process's columns within the group, or of another group */

/* Pattern of a block in compressed rows */
struct Pattern {
  PetscInt        rows = 0;
  const PetscInt *ptr = nullptr, *col = nullptr;
};

PetscErrorCode GetPattern(Mat block, Pattern *P)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatGetRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &P->rows, &P->ptr, &P->col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A block of an AIJ matrix has no compressed rows");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RestorePattern(Mat block, Pattern *P)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(MatRestoreRowIJ(block, 0, PETSC_FALSE, PETSC_FALSE, &P->rows, &P->ptr, &P->col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   Visits the entries of both blocks in the leader's order: in each row the entries in columns of the group, ascending, and
   separately the entries in columns of other groups. from_d, from_o: entries [k, k + n) of a block
*/
template <class D, class O>
void for_all_entries(const Pattern &d, const Pattern &o, const std::vector<char> &side, D &&from_d, O &&from_o)
{
  for (PetscInt r = 0, end; r < d.rows; r = end) {
    end = r + 1;
    if (o.ptr[r] == o.ptr[end]) { /* consecutive rows with columns of their process only */
      while (end < d.rows && o.ptr[end] == o.ptr[end + 1]) end++;
      from_d(d.ptr[r], d.ptr[end] - d.ptr[r]);
      continue;
    }
    for (PetscInt k = o.ptr[r]; k < o.ptr[end]; k++)
      if (side[o.col[k]] == left) from_o(false, k);
    from_d(d.ptr[r], d.ptr[end] - d.ptr[r]);
    for (PetscInt k = o.ptr[r]; k < o.ptr[end]; k++)
      if (side[o.col[k]] != left) from_o(side[o.col[k]] == outside, k);
  }
}

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

/* Which columns off the process's own are the group's */
void GroupedMat::Classify(Mat A, const PetscInt garray[], PetscInt ghosts)
{
  side.resize(ghosts);
  for (PetscInt k = 0; k < ghosts; k++) side[k] = garray[k] < first || garray[k] >= first + all.rows ? outside : garray[k] < A->cmap->rstart ? left : right;
}

/* Rows and entries of all members, unless there are too many */
PetscErrorCode GroupedMat::Counts(Mat A, std::vector<Rows> *of)
{
  const int       size = group->Size(), rank = group->Rank();
  const PetscInt *garray, *range;
  PetscMPIInt     of_all;
  Mat             Ad, Ao;
  Pattern         d, o;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &of_all));
  PetscCall(MatGetOwnershipRanges(A, &range));
  first    = range[of_all - rank];
  all      = {};
  all.rows = range[of_all - rank + size] - first;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  PetscCall(GetPattern(Ad, &d));
  PetscCall(GetPattern(Ao, &o));
  Classify(A, garray, Ao->cmap->n);
  local = {d.rows, 0, 0};
  for_all_entries(
    d, o, side, [&](PetscInt, PetscInt n) { local.diag += n; }, [&](bool to_off, PetscInt) { (to_off ? local.off : local.diag)++; });
  PetscCall(RestorePattern(Ad, &d));
  PetscCall(RestorePattern(Ao, &o));
  of->resize(size);
  PetscCallMPI(MPI_Allgather(&local, sizeof(local), MPI_BYTE, of->data(), sizeof(local), MPI_BYTE, group->Members()));
  long long diagonal = 0, others = 0;

  before = {};
  for (int m = 0; m < size; m++) {
    if (m == rank) before = {before.rows, (PetscInt)diagonal, (PetscInt)others};
    if (m < rank) before.rows += (*of)[m].rows;
    diagonal += (*of)[m].diag;
    others += (*of)[m].off;
  }
  if (diagonal > PETSC_MPI_INT_MAX || others > PETSC_MPI_INT_MAX) refusal = "more entries in a group than 32 bits count";
  all.diag = (PetscInt)diagonal;
  all.off  = (PetscInt)others;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row lengths and columns of both blocks to the leader: of the first one columns within the group */
PetscErrorCode GroupedMat::SendPattern(Mat A, const std::vector<Rows> &of)
{
  const PetscInt       *garray;
  Mat                   Ad, Ao;
  Pattern               d, o;
  std::vector<PetscInt> length[2], col[2];

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  PetscCall(GetPattern(Ad, &d));
  PetscCall(GetPattern(Ao, &o));
  const PetscInt shift = A->cmap->rstart - first;

  for_all_entries(
    d, o, side,
    [&](PetscInt k, PetscInt n) {
      for (PetscInt e = k; e < k + n; e++) col[0].push_back(d.col[e] + shift);
    },
    [&](bool to_off, PetscInt k) { col[to_off].push_back(to_off ? garray[o.col[k]] : garray[o.col[k]] - first); });
  for (int block = 0; block < 2; block++) length[block].assign(d.rows, 0);
  for (PetscInt r = 0; r < d.rows; r++) {
    length[0][r] = d.ptr[r + 1] - d.ptr[r];
    for (PetscInt k = o.ptr[r]; k < o.ptr[r + 1]; k++) length[side[o.col[k]] == outside][r]++;
  }
  PetscCall(RestorePattern(Ad, &d));
  PetscCall(RestorePattern(Ao, &o));
  for (int block = 0; block < 2; block++) {
    std::vector<PetscInt> &ptr = storage->ptr[block], &to = storage->col[block];
    std::vector<int>       rows, rows_at, entries, entries_at;
    int                    row = 0, entry = 0;

    for (const Rows &m : of) {
      rows.push_back((int)m.rows), rows_at.push_back(row);
      entries.push_back((int)(block ? m.off : m.diag)), entries_at.push_back(entry);
      row += rows.back(), entry += entries.back();
    }
    if (group->Leads()) {
      ptr.assign((std::size_t)all.rows + 1, 0);
      to.assign((std::size_t)entry + 1, 0); /* PETSc does not like a null pointer */
    }
    PetscCallMPI(MPI_Gatherv(length[block].data(), (int)local.rows, MPIU_INT, group->Leads() ? ptr.data() + 1 : nullptr, rows.data(), rows_at.data(), MPIU_INT,
                             group->Leader(), group->Members()));
    PetscCallMPI(MPI_Gatherv(col[block].data(), entries[group->Rank()], MPIU_INT, to.data(), entries.data(), entries_at.data(), MPIU_INT, group->Leader(),
                             group->Members()));
    if (group->Leads())
      for (PetscInt r = 0; r < all.rows; r++) ptr[r + 1] += ptr[r];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As block sizes and settings of A are; the block of other columns has columns of its own */
static PetscErrorCode CopySettings(Mat A, Mat inner)
{
  DerivedMat *from, *to;
  PetscInt    rows, cols;
  PetscBool   bound;

  PetscFunctionBegin;
  PetscCall(DerivedGet(A, &from));
  PetscCall(DerivedInstall(inner, from->cls));
  PetscCall(DerivedGet(inner, &to));
  to->settings  = from->cls->copy_settings(from->settings.get());
  to->shortcuts = (PetscBool)(to->shortcuts && from->shortcuts);
  PetscCall(MatGetBlockSizes(A, &rows, &cols));
  PetscCall(MatSetBlockSizes(inner, rows, cols));
  PetscCall(MatPropagateSymmetryOptions(A, inner));
  PetscCall(MatBoundToCPU(A, &bound));
  if (bound) PetscCall(MatBindToCPU(inner, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::MakeInner(Mat A)
{
  Storage    &S = *storage;
  PetscMPIInt size;
  PetscInt    rows, cols;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(group->Peers(), &size));
  PetscCall(MatGetBlockSizes(A, &rows, &cols));
  if (size == 1) PetscCall(MatCreateSeqAIJWithArrays(group->Peers(), all.rows, all.rows, S.ptr[0].data(), S.col[0].data(), diag, &inner));
  else {
    const PetscInt *garray;
    Mat             Ad, Ao, blocks[2];
    PetscInt        n = A->rmap->N;

    PetscCall(MatCreateMPIAIJWithSplitArrays(group->Peers(), all.rows, all.rows, n, n, S.ptr[0].data(), S.col[0].data(), diag, S.ptr[1].data(), S.col[1].data(),
                                             off, &inner));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
    PetscCall(MatMPIAIJGetSeqAIJ(inner, &blocks[0], &blocks[1], &garray));
    PetscCall(MatSetBlockSizes(blocks[0], rows, cols));
    PetscCall(MatGetBlockSizes(Ao, &rows, &cols));
    PetscCall(PetscLayoutSetBlockSize(blocks[1]->rmap, rows));
    if (blocks[1]->cmap->n % cols == 0) PetscCall(PetscLayoutSetBlockSize(blocks[1]->cmap, cols));
  }
  PetscCall(Compose(inner, storage_name, new std::shared_ptr<Storage>(storage)));
  PetscCall(CopySettings(A, inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::Make(const std::shared_ptr<ProcessGroup> &of, Mat A, bool device)
{
  const MPI_Comm    comm = PetscObjectComm((PetscObject)A);
  std::vector<Rows> rows;
  const PetscInt   *garray;
  Mat               Ad, Ao;

  PetscFunctionBegin;
  PetscCall(Free());
  group = of;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  made_for     = PatternOf(A, Ad, Ao);
  asked_device = device;
  PetscCall(Counts(A, &rows));
  PetscCall(PeerAgree(comm, &refusal));
  if (!refusal.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const std::size_t of_diag = lines_of(all.diag), of_off = lines_of(all.off);

  lines   = lines_of(all.rows);
  storage = std::make_shared<Storage>();
  PetscCall(group->Window(Where::host, sizeof(Scalar) * (of_diag + of_off + 2 * lines), &storage->window, &refusal));
  PetscCall(PeerAgree(comm, &refusal));
  if (!refusal.empty()) storage.reset();
  if (!refusal.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MakeDeviceWindow(comm, device));
  diag              = reinterpret_cast<Scalar *>(storage->window->At());
  off               = diag + of_diag;
  vectors[rhs]      = off + of_off;
  vectors[solution] = vectors[rhs] + lines;
  PetscCall(SendPattern(A, rows));
  if (!group->Leads()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(storage->window->Pin());
  PetscCall(MakeInner(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::SendValues(Mat A, bool *new_values, bool *counted)
{
  const PetscInt    *garray;
  Mat                Ad, Ao;
  Pattern            d, o;
  const PetscScalar *ad, *ao;
  Scalar            *to[2] = {diag + before.diag, off + before.off};

  PetscFunctionBegin;
  PetscCall(MatMPIAIJGetSeqAIJ(A, &Ad, &Ao, &garray));
  const Stamp now = DerivedStamp(A) << ((PetscObject)Ad)->state << ((PetscObject)Ao)->state;

  *new_values = now != sent;
  *counted    = *new_values && (sent_state != ((PetscObject)A)->state);
  if (!*new_values) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetPattern(Ad, &d));
  PetscCall(GetPattern(Ao, &o));
  PetscCall(MatSeqAIJGetArrayRead(Ad, &ad));
  PetscCall(MatSeqAIJGetArrayRead(Ao, &ao));
  for_all_entries(
    d, o, side, [&](PetscInt k, PetscInt n) { to[0] = std::copy_n(ad + k, n, to[0]); }, [&](bool to_off, PetscInt k) { *to[to_off]++ = ao[k]; });
  PetscCall(MatSeqAIJRestoreArrayRead(Ao, &ao));
  PetscCall(MatSeqAIJRestoreArrayRead(Ad, &ad));
  PetscCall(RestorePattern(Ad, &d));
  PetscCall(RestorePattern(Ao, &o));
  sent       = DerivedStamp(A) << ((PetscObject)Ad)->state << ((PetscObject)Ao)->state;
  sent_state = ((PetscObject)A)->state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::ReceiveValues(bool counted)
{
  const PetscInt *garray;
  PetscScalar    *a;
  PetscMPIInt     size;
  Mat             blocks[2] = {inner, NULL};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(group->Peers(), &size));
  if (size > 1) PetscCall(MatMPIAIJGetSeqAIJ(inner, &blocks[0], &blocks[1], &garray));
  for (Mat block : blocks) {
    if (!block) continue;
    PetscCall(MatSeqAIJGetArray(block, &a)); /* restoring it tells PETSc that values are new */
    PetscCall(MatSeqAIJRestoreArray(block, &a));
  }
  if (size > 1 && counted) PetscCall(PetscObjectStateIncrease((PetscObject)inner));
  if (counted) changes++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GroupedMat::Free()
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&inner));
  storage.reset();
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
