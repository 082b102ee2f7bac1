/*
   The products of a block in the block-diagonal format: diagonals first, then the remainder on top, on the host or on the device.
*/
#include "bdiagh_part.hpp"
#include "../../device/memory.hpp"
#include "../aij/csr_library.hpp"
#include "../aij/derived.hpp"
#include "bdiagh_fused.hpp"
#include "bdiagh_host.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_spmv.hpp"
#endif
#include <algorithm>

namespace heptane
{

BdiaghPart::BdiaghPart(Mat outer, PetscBool off) : layout(std::make_shared<const BdiaghLayout>()), off_process(off)
{
  DerivedMat *m;

  PetscCallAbort(PETSC_COMM_SELF, DerivedGet(outer, &m));
  settings = std::static_pointer_cast<const BdiaghSettings>(m->settings);
}

BdiaghPart::~BdiaghPart()
{
  PetscCallAbort(PETSC_COMM_SELF, FreeDeviceIndices());
}

PetscErrorCode BdiaghPart::FreeDeviceIndices()
{
  PetscFunctionBegin;
  library.reset();
  for (IndexArrays *a : {&on_device, &tr_on_device}) {
    PetscCall(DeviceFree(&a->row));
    PetscCall(DeviceFree(&a->ptr));
    PetscCall(DeviceFree(&a->col));
    PetscCall(DeviceFree(&a->perm));
  }
  tr_row.clear();
  tr_ptr.clear();
  tr_col.clear();
  tr_perm.clear();
  PetscCall(DeviceFree(&rem_mask_on_device));
  PetscCall(DeviceFree(&rem_base_on_device));
  rem_mask.clear();
  rem_base.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool same_layout(const BdiaghLayout &a, const BdiaghLayout &b)
{
  return a.rows == b.rows && a.cols == b.cols && a.block == b.block && a.ndiag == b.ndiag && a.ld == b.ld && a.nnz == b.nnz &&
         std::equal(a.offset, a.offset + a.ndiag, b.offset) && a.rem_row == b.rem_row && a.rem_ptr == b.rem_ptr && a.rem_col == b.rem_col;
}

PetscErrorCode BdiaghPart::Analyse(const Csr &A, bool *same)
{
  const BdiaghLimits &limits = settings->limits;
  auto found = std::make_shared<const BdiaghLayout>(bdiagh_find_layout(A, block->rmap->bs == block->cmap->bs ? block->rmap->bs : 1, off_process, limits));

  PetscFunctionBegin;
  PetscCheck(found->fit != BdiaghFit::bad_block, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "-mat_bdiagh_block_size %" PetscInt_FMT " does not divide the local sizes %" PetscInt_FMT " x %" PetscInt_FMT
             ": use 0 to have it found, or choose local sizes with MatSetSizes()",
             limits.block, A.rows, A.cols);
  PetscCheck(found->fit != BdiaghFit::too_large, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " rows, %" PetscInt_FMT " columns, %" PetscInt_FMT
             " nonzeros on one process are more than this format counts in 32 bits: use more processes",
             A.rows, A.cols, A.nnz());
  if (found->fit == BdiaghFit::fill || found->fit == BdiaghFit::remainder) {
    PetscCheck(
      !settings->strict, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
      "The pattern is not made of block diagonals (with block size %d: %.2f stored values a nonzero, limit %g; %.1f %% of the nonzeros off them, limit %g %%): use -mat_type sellp, or raise -mat_bdiagh_max_fill or -mat_bdiagh_max_remainder, or leave -mat_bdiagh_strict off",
      found->block, found->found_fill, (double)limits.max_fill, 100 * found->found_remainder, 100 * (double)limits.max_remainder);
    PetscCall(PetscInfo(
      block,
      "Not made of block diagonals (block size %d, fill %.2f, %.1f %% off the diagonals): stored in compressed rows; the type sellp is meant for such matrices\n",
      found->block, found->found_fill, 100 * found->found_remainder));
  } else if (!off_process) {
    PetscCall(PetscInfo(block, "%d block diagonals of block size %d, fill %.3f, %.2f %% of the nonzeros in the remainder\n", found->ndiag, found->block,
                        found->found_fill, 100 * found->found_remainder));
  }
  *same  = same_layout(*found, *layout);
  layout = found;
  PetscCall(FreeDeviceIndices());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::CopyLayout(const LocalPart &other)
{
  PetscFunctionBegin;
  layout = static_cast<const BdiaghPart &>(other).layout;
  PetscCall(FreeDeviceIndices());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Offsets(const PetscInt *out[])
{
  PetscFunctionBegin;
  offsets.assign(layout->offset, layout->offset + layout->ndiag);
  *out = offsets.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Fill(const Csr &A, const Scalar a[], Scalar values[]) const
{
  PetscFunctionBegin;
  bdiagh_fill(*layout, A, a, values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Extract(const Csr &A, const Scalar values[], Scalar a[]) const
{
  PetscFunctionBegin;
  bdiagh_extract(*layout, A, values, a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

LocalPart::Groups BdiaghPart::SlotGroups() const
{
  Groups g;

  g.columns = layout->ndiag;
  g.stride  = layout->ld;
  g.width   = layout->block;
  return g;
}

PetscErrorCode BdiaghPart::Diagonals(Where where, BdiaghDiagonals *D)
{
  const BdiaghLayout &L = *layout;

  PetscFunctionBegin;
  PetscCall(Values(where, &D->values));
  D->rows  = L.rows;
  D->cols  = L.cols;
  D->block = L.block;
  D->ndiag = L.ndiag;
  D->ld    = L.ld;
  std::copy(L.offset, L.offset + L.ndiag, D->offset);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::RemainderRows(Where where, CsrRows *R)
{
  const BdiaghLayout &L = *layout;

  PetscFunctionBegin;
  PetscCall(Values(where, &R->values));
  R->values += L.diagonal_values();
  R->count = (int)L.rem_row.size();
  R->perm  = NULL;
  if (where == Where::host) {
    R->row = L.rem_row.data();
    R->ptr = L.rem_ptr.data();
    R->col = L.rem_col.data();
  } else {
    if (R->count && !on_device.row) {
      PetscCall(DeviceCopyOf(L.rem_row.data(), L.rem_row.size(), &on_device.row));
      PetscCall(DeviceCopyOf(L.rem_ptr.data(), L.rem_ptr.size(), &on_device.ptr));
      PetscCall(DeviceCopyOf(L.rem_col.data(), L.rem_col.size(), &on_device.col));
    }
    R->row = on_device.row;
    R->ptr = on_device.ptr;
    R->col = on_device.col;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The remainder by columns: with the rows' values, so that there is nothing to update when these change */
PetscErrorCode BdiaghPart::RemainderColumns(Where where, CsrRows *R)
{
  const BdiaghLayout &L = *layout;
  const std::size_t   n = L.rem_col.size();

  PetscFunctionBegin;
  if (tr_ptr.empty()) {
    std::vector<int> count(L.cols + 1, 0);

    for (int c : L.rem_col) count[c + 1]++;
    for (int c = 0; c < L.cols; c++) {
      if (count[c + 1]) {
        tr_row.push_back(c);
        tr_ptr.push_back(count[c]);
      }
      count[c + 1] += count[c];
    }
    tr_ptr.push_back((int)n);
    tr_col.resize(n);
    tr_perm.resize(n);
    for (std::size_t k = 0; k < L.rem_row.size(); k++) {
      for (int p = L.rem_ptr[k]; p < L.rem_ptr[k + 1]; p++) {
        const int q = count[L.rem_col[p]]++;
        tr_col[q]   = L.rem_row[k];
        tr_perm[q]  = p;
      }
    }
  }
  PetscCall(Values(where, &R->values));
  R->values += L.diagonal_values();
  R->count = (int)tr_row.size();
  R->row   = tr_row.data();
  R->ptr   = tr_ptr.data();
  R->col   = tr_col.data();
  R->perm  = tr_perm.data();
  if (where == Where::device) {
    if (R->count && !tr_on_device.row) {
      PetscCall(DeviceCopyOf(tr_row.data(), tr_row.size(), &tr_on_device.row));
      PetscCall(DeviceCopyOf(tr_ptr.data(), tr_ptr.size(), &tr_on_device.ptr));
      PetscCall(DeviceCopyOf(tr_col.data(), tr_col.size(), &tr_on_device.col));
      PetscCall(DeviceCopyOf(tr_perm.data(), tr_perm.size(), &tr_on_device.perm));
    }
    R->row  = tr_on_device.row;
    R->ptr  = tr_on_device.ptr;
    R->col  = tr_on_device.col;
    R->perm = tr_on_device.perm;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::AddRemainder(Where where, const CsrRows &R, std::size_t entries, const Scalar *x, Scalar *z)
{
  PetscFunctionBegin;
  if (where == Where::host) csr_rows_add_host(R, x, z);
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_csr_rows_add(R, (int)entries, x, z, stream));
  }
#else
  (void)entries;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = y, or 0 where y is null: what a product without diagonals adds to */
PetscErrorCode BdiaghPart::StartWith(Where where, const Scalar *y, Scalar *z, std::size_t n)
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

PetscErrorCode BdiaghPart::Mult(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  const BdiaghLayout &L = *layout;
  CsrRows             R;

  PetscFunctionBegin;
  if (L.ndiag) {
    BdiaghDiagonals D;

    PetscCall(Diagonals(where, &D));
    if (where == Where::host) bdiagh_mult_host(D, x, y, z);
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;
      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(launch_bdiagh_mult(D, x, y, z, stream));
    }
#endif
  } else if (where == Where::device && !off_process && L.nnz) {
    if (!library) { /* everything lies in the remainder: the library's product */
      std::vector<int> ptr(L.rows + 1, 0);

      PetscCall(RemainderRows(where, &R));
      for (int k = 0; k < R.count; k++) ptr[L.rem_row[k] + 1] = L.rem_ptr[k + 1] - L.rem_ptr[k];
      for (int row = 0; row < L.rows; row++) ptr[row + 1] += ptr[row];
      library = std::make_unique<CsrLibrary>();
      PetscCall(library->SetUp(L.rows, L.cols, ptr.data(), on_device.col, const_cast<Scalar *>(R.values)));
    }
    PetscCall(RemainderRows(where, &R)); /* brings the values there */
    if (y) PetscCall(StartWith(where, y, z, L.rows));
    PetscCall(library->Mult(x, z, (PetscBool)(y != NULL)));
    PetscFunctionReturn(PETSC_SUCCESS);
  } else PetscCall(StartWith(where, y, z, L.rows));
  if (!L.rem_row.empty()) {
    PetscCall(RemainderRows(where, &R));
    PetscCall(AddRemainder(where, R, L.rem_col.size(), x, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::MultTranspose(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  const BdiaghLayout &L = *layout;
  CsrRows             R;

  PetscFunctionBegin;
  if (L.ndiag) {
    BdiaghDiagonals D;

    PetscCall(Diagonals(where, &D));
    if (where == Where::host) bdiagh_mult_transpose_host(D, x, y, z);
#if PetscDefined(HAVE_CUDA)
    else {
      cudaStream_t stream;
      PetscCall(PetscGetCurrentCUDAStream(&stream));
      PetscCallCUDA(launch_bdiagh_mult_transpose(D, x, y, z, stream));
    }
#endif
  } else PetscCall(StartWith(where, y, z, L.cols));
  if (!L.rem_row.empty()) {
    PetscCall(RemainderColumns(where, &R));
    PetscCall(AddRemainder(where, R, L.rem_col.size(), x, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Diagonal(Where where, Scalar *d)
{
  const int       r = layout->main_diagonal();
  BdiaghDiagonals D;

  PetscFunctionBegin;
  if (!layout->rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(where, &D));
  if (where == Where::host) {
    for (int row = 0; row < D.rows; row++) d[row] = bdiagh_diagonal(D, r, row);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_bdiagh_diagonal(D, r, d, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::DiagonalBlocks(Where where, Scalar *d)
{
  const int       r = layout->main_diagonal();
  BdiaghDiagonals D;

  PetscFunctionBegin;
  PetscCall(Diagonals(where, &D));
  if (where == Where::host) {
    for (int row = 0; row < D.rows; row++)
      for (int s = 0; s < D.block; s++) d[(std::size_t)row * D.block + s] = bdiagh_diagonal_block(D, r, row, s);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_bdiagh_diagonal_blocks(D, r, d, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The remainder for those who come by the number of a row */
PetscErrorCode BdiaghPart::RemainderByRow(Where where, BdiaghRemainder *R)
{
  const BdiaghLayout &L = *layout;
  CsrRows             rows;

  PetscFunctionBegin;
  *R = BdiaghRemainder();
  if (L.rem_row.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (rem_mask.empty()) {
    const std::size_t words = (L.rows + 31) / 32;
    int               below = 0;

    rem_mask.assign(words, 0);
    rem_base.resize(words);
    for (int row : L.rem_row) rem_mask[row / 32] |= std::uint32_t(1) << row % 32;
    for (std::size_t w = 0; w < words; w++) {
      rem_base[w] = below;
      below += count_bits(rem_mask[w]);
    }
  }
  PetscCall(RemainderRows(where, &rows));
  R->mask   = rem_mask.data();
  R->base   = rem_base.data();
  R->ptr    = rows.ptr;
  R->col    = rows.col;
  R->values = rows.values;
  if (where == Where::device) {
    if (!rem_mask_on_device) {
      PetscCall(DeviceCopyOf(rem_mask.data(), rem_mask.size(), &rem_mask_on_device));
      PetscCall(DeviceCopyOf(rem_base.data(), rem_base.size(), &rem_base_on_device));
    }
    R->mask = rem_mask_on_device;
    R->base = rem_base_on_device;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Fused(Where where, FusedOperator **op)
{
  const BdiaghLayout &L = *layout;
  BdiaghDiagonals     D;
  BdiaghRemainder     R;

  PetscFunctionBegin;
  *op = nullptr;
  if (!L.ndiag || L.rows != L.cols) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(where, &D));
  PetscCall(RemainderByRow(where, &R));
  fused =
    std::make_unique<BdiaghFused>(D, L.main_diagonal(), R, L.product_bytes() - sizeof(Scalar) * (1.0 * L.rows + L.cols), 2.0 * L.nnz, where == Where::device);
  *op = fused.get();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
