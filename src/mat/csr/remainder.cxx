/*
   Index arrays of a remainder where they are needed, and the products around csr_row().
*/
#include "remainder.hpp"
#include "../../device/memory.hpp"
#include "csr_groups.hpp"
#include <algorithm>

namespace heptane
{

Remainder::~Remainder()
{
  PetscCallAbort(PETSC_COMM_SELF, Free());
}

PetscErrorCode Remainder::Free()
{
  PetscFunctionBegin;
  for (IndexArrays *a : {&on_device, &tr_on_device}) {
    PetscCall(DeviceFree(&a->row));
    PetscCall(DeviceFree(&a->ptr));
    PetscCall(DeviceFree(&a->col));
    PetscCall(DeviceFree(&a->perm));
    PetscCall(DeviceFree(&a->piece_ptr));
    PetscCall(DeviceFree(&a->first));
    PetscCall(DeviceFree(&a->owner));
    PetscCall(DeviceFree(&a->sums));
    PetscCall(DeviceFree(&a->ready));
    a->pieces   = 0;
    a->any_long = false;
  }
  for (int **a : {&whole.group, &whole.row, &whole.ptr, &whole.long_row, &whole.first}) PetscCall(DeviceFree(a));
  PetscCall(DeviceFree(&whole.sums));
  PetscCall(DeviceFree(&mask_on_device));
  PetscCall(DeviceFree(&base_on_device));
  mask.clear();
  base.clear();
  tr_row.clear();
  tr_ptr.clear();
  tr_col.clear();
  tr_perm.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool any_long_row(const std::vector<int> &begins)
{
  for (std::size_t k = 0; k + 1 < begins.size(); k++)
    if (begins[k + 1] - begins[k] > csr_long) return true;
  return false;
}

PetscErrorCode Remainder::Reset(const std::vector<int> &rows, const std::vector<int> &begins, const std::vector<int> &columns, int n)
{
  PetscFunctionBegin;
  PetscCall(Free());
  row  = &rows;
  ptr  = &begins;
  col  = &columns;
  cols = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where a row is long, or all. ptr: of the list */
PetscErrorCode Remainder::MakePieces(const std::vector<int> &begins, bool all, IndexArrays *a)
{
  std::vector<int> piece, first, owner;

  PetscFunctionBegin;
  a->any_long = any_long_row(begins);
  if (a->first || (!a->any_long && !all)) PetscFunctionReturn(PETSC_SUCCESS);
  for (std::size_t k = 0; k + 1 < begins.size(); k++) {
    first.push_back((int)piece.size());
    for (int p = begins[k]; p < begins[k + 1]; p += csr_piece) {
      piece.push_back(p);
      owner.push_back((int)k);
    }
  }
  first.push_back((int)piece.size());
  a->pieces = (int)piece.size();
  piece.push_back(begins.back());
  PetscCall(DeviceCopyOf(piece.data(), piece.size(), &a->piece_ptr));
  PetscCall(DeviceCopyOf(first.data(), first.size(), &a->first));
  PetscCall(DeviceCopyOf(owner.data(), owner.size(), &a->owner));
  PetscCall(DeviceMalloc((std::size_t)a->pieces, &a->sums));
  PetscCall(DeviceCalloc(begins.size() - 1, &a->ready));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CsrPieces Remainder::PiecesOf(const CsrRows &R, const IndexArrays &a) const
{
  CsrPieces P;

  P.list       = R;
  P.list.count = a.pieces;
  P.list.ptr   = a.piece_ptr;
  P.first      = a.first;
  P.owner      = a.owner;
  P.sums       = a.sums;
  P.ready      = a.ready;
  return P;
}

PetscErrorCode Remainder::Pieces(const Scalar *values, bool all, CsrPieces *P)
{
  CsrRows R = {};

  PetscFunctionBegin;
  *P = CsrPieces();
  PetscCall(Rows(Where::device, values, &R));
  if (R.count && all) PetscCall(MakePieces(*ptr, true, &on_device));
  if (R.count && (all || on_device.any_long)) *P = PiecesOf(R, on_device);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::Rows(Where where, const Scalar *values, CsrRows *R)
{
  PetscFunctionBegin;
  R->values = values;
  R->count  = (int)row->size();
  R->perm   = NULL;
  if (where == Where::host) {
    R->row = row->data();
    R->ptr = ptr->data();
    R->col = col->data();
  } else {
    if (R->count && !on_device.row) {
      PetscCall(DeviceCopyOf(row->data(), row->size(), &on_device.row));
      PetscCall(DeviceCopyOf(ptr->data(), ptr->size(), &on_device.ptr));
      PetscCall(DeviceCopyOf(col->data(), col->size(), &on_device.col));
      PetscCall(MakePieces(*ptr, false, &on_device));
    }
    R->row = on_device.row;
    R->ptr = on_device.ptr;
    R->col = on_device.col;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::ByRow(Where where, const Scalar *values, int rows, RemainderRows *R)
{
  CsrRows list = {};

  PetscFunctionBegin;
  *R = RemainderRows();
  if (row->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (mask.empty()) {
    const std::size_t words = (rows + 31) / 32;
    int               below = 0;

    mask.assign(words, 0);
    base.resize(words);
    for (int r : *row) mask[r / 32] |= std::uint32_t(1) << r % 32;
    for (std::size_t w = 0; w < words; w++) {
      base[w] = below;
      below += count_bits(mask[w]);
    }
    longest = 0;
    for (std::size_t k = 0; k < row->size(); k++) longest = std::max(longest, (*ptr)[k + 1] - (*ptr)[k]);
  }
  PetscCall(Rows(where, values, &list));
  R->mask    = mask.data();
  R->base    = base.data();
  R->ptr     = list.ptr;
  R->col     = list.col;
  R->values  = list.values;
  R->longest = longest;
  if (where == Where::device) {
    if (!mask_on_device) {
      PetscCall(DeviceCopyOf(mask.data(), mask.size(), &mask_on_device));
      PetscCall(DeviceCopyOf(base.data(), base.size(), &base_on_device));
    }
    R->mask = mask_on_device;
    R->base = base_on_device;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By columns: with the rows' values, so that there is nothing to update when these change */
PetscErrorCode Remainder::Columns(Where where, const Scalar *values, CsrRows *R)
{
  const std::size_t n = col->size();

  PetscFunctionBegin;
  if (tr_ptr.empty()) {
    std::vector<int> count(cols + 1, 0);

    for (int c : *col) count[c + 1]++;
    for (int c = 0; c < cols; c++) {
      if (count[c + 1]) {
        tr_row.push_back(c);
        tr_ptr.push_back(count[c]);
      }
      count[c + 1] += count[c];
    }
    tr_ptr.push_back((int)n);
    tr_col.resize(n);
    tr_perm.resize(n);
    for (std::size_t k = 0; k < row->size(); k++) {
      for (int p = (*ptr)[k]; p < (*ptr)[k + 1]; p++) {
        const int q = count[(*col)[p]]++;
        tr_col[q]   = (*row)[k];
        tr_perm[q]  = p;
      }
    }
  }
  R->values = values;
  R->count  = (int)tr_row.size();
  R->row    = tr_row.data();
  R->ptr    = tr_ptr.data();
  R->col    = tr_col.data();
  R->perm   = tr_perm.data();
  if (where == Where::device) {
    if (R->count && !tr_on_device.row) {
      PetscCall(DeviceCopyOf(tr_row.data(), tr_row.size(), &tr_on_device.row));
      PetscCall(DeviceCopyOf(tr_ptr.data(), tr_ptr.size(), &tr_on_device.ptr));
      PetscCall(DeviceCopyOf(tr_col.data(), tr_col.size(), &tr_on_device.col));
      PetscCall(DeviceCopyOf(tr_perm.data(), tr_perm.size(), &tr_on_device.perm));
      PetscCall(MakePieces(tr_ptr, false, &tr_on_device));
    }
    R->row  = tr_on_device.row;
    R->ptr  = tr_on_device.ptr;
    R->col  = tr_on_device.col;
    R->perm = tr_on_device.perm;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::Add(Where where, const CsrRows &R, const IndexArrays &a, const Scalar *x, Scalar *z)
{
  PetscFunctionBegin;
  (void)a;
  if (where == Where::host) csr_rows_add_host(R, x, z);
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    if (a.any_long) PetscCallCUDA(launch_csr_pieces_add(R, PiecesOf(R, a), x, z, stream));
    else PetscCallCUDA(launch_csr_rows_add(R, (int)col->size(), x, z, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MultAdd(Where where, const Scalar *values, const Scalar *x, Scalar *z)
{
  CsrRows R;

  PetscFunctionBegin;
  PetscCall(Rows(where, values, &R));
  if (R.count) PetscCall(Add(where, R, on_device, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MultTransposeAdd(Where where, const Scalar *values, const Scalar *x, Scalar *z)
{
  CsrRows R;

  PetscFunctionBegin;
  if (row->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Columns(where, values, &R));
  PetscCall(Add(where, R, tr_on_device, x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MakeWhole()
{
  PetscFunctionBegin;
  if (whole.group) PetscFunctionReturn(PETSC_SUCCESS);
  const CsrCuts          c     = csr_cuts(*row, *ptr);
  const std::vector<int> group = csr_groups(c.ptr);

  whole.cuts      = (int)c.row.size();
  whole.long_rows = (int)c.long_row.size();
  whole.groups    = (int)group.size() - 1;
  whole.uneven    = csr_groups_uneven(c.ptr, group);
  if (whole.long_rows) { /* else the list's own rows and beginnings do */
    PetscCall(DeviceCopyOf(c.row.data(), c.row.size(), &whole.row));
    PetscCall(DeviceCopyOf(c.ptr.data(), c.ptr.size(), &whole.ptr));
    PetscCall(DeviceCopyOf(c.long_row.data(), c.long_row.size(), &whole.long_row));
    PetscCall(DeviceCopyOf(c.first.data(), c.first.size(), &whole.first));
    PetscCall(DeviceMalloc((std::size_t)c.first.back(), &whole.sums));
  }
  PetscCall(DeviceCopyOf(group.data(), group.size(), &whole.group));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Remainder::MultAll(const Scalar *values, int rows, const Scalar *x, const Scalar *y, Scalar *z)
{
  CsrRows R;

  PetscFunctionBegin;
  PetscCall(Rows(Where::device, values, &R));
  PetscCall(MakeWhole());
  const bool add = y || R.count < rows; /* rows without entries are not in the list */
  if (add) PetscCall(StartWith(Where::device, y, z, (std::size_t)rows));
#if PetscDefined(HAVE_CUDA)
  CsrRows      all = R, long_rows = {};
  CsrPieces    cuts = {};
  cudaStream_t stream;

  if (whole.long_rows) {
    all.count       = whole.cuts;
    all.row         = whole.row;
    all.ptr         = whole.ptr;
    long_rows.count = whole.long_rows;
    long_rows.row   = whole.long_row;
    cuts.first      = whole.first;
    cuts.sums       = whole.sums;
  }
  PetscCall(PetscGetCurrentCUDAStream(&stream));
  PetscCallCUDA(launch_csr_groups(all, whole.group, whole.groups, whole.uneven, add, x, z, whole.sums, stream));
  PetscCallCUDA(launch_csr_add_pieces(long_rows, cuts, add, z, stream));
#else
  (void)x;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StartWith(Where where, const Scalar *y, Scalar *z, std::size_t n)
{
  PetscFunctionBegin;
  if (y == z || !n) PetscFunctionReturn(PETSC_SUCCESS);
  if (where == Where::host) {
    if (y) PetscCall(PetscArraycpy(z, y, n));
    else PetscCall(PetscArrayzero(z, n));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    if (y) PetscCallCUDA(cudaMemcpyAsync(z, y, n * sizeof(Scalar), cudaMemcpyDeviceToDevice, stream));
    else PetscCallCUDA(cudaMemsetAsync(z, 0, n * sizeof(Scalar), stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
