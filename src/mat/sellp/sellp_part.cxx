/*
   The products of a block in slices: slices first, then the rows put aside on top.
*/
#include "sellp_part.hpp"
#include "../aij/derived.hpp"
#include "sellp_host.hpp"

namespace heptane
{

SellpPart::SellpPart(Mat outer, PetscBool off) : layout(std::make_shared<const SellpLayout>()), off_process(off)
{
  DerivedMat *m;

  PetscCallAbort(PETSC_COMM_SELF, DerivedGet(outer, &m));
  limits = std::static_pointer_cast<const SellpLimits>(m->settings);
}

static bool same_layout(const SellpLayout &a, const SellpLayout &b)
{
  return a.rows == b.rows && a.cols == b.cols && a.block == b.block && a.slice == b.slice && a.window == b.window && a.own_length == b.own_length &&
         a.nnz == b.nnz && a.slice_ptr == b.slice_ptr && a.length == b.length && a.place == b.place && a.col == b.col && a.rem_row == b.rem_row &&
         a.rem_ptr == b.rem_ptr && a.rem_col == b.rem_col;
}

PetscErrorCode SellpPart::Analyse(const Csr &A, bool *same)
{
  auto found = std::make_shared<const SellpLayout>(sellp_find_layout(A, block->rmap->bs == block->cmap->bs ? block->rmap->bs : 1, off_process, *limits));

  PetscFunctionBegin;
  PetscCheck(found->fit != SellpFit::bad_block, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "-mat_sellp_block_size %" PetscInt_FMT " does not divide the local sizes %" PetscInt_FMT " x %" PetscInt_FMT
             ": use 0 to have it found, or choose local sizes with MatSetSizes()",
             limits->block, A.rows, A.cols);
  PetscCheck(found->fit != SellpFit::too_large, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " rows, %" PetscInt_FMT " columns, %" PetscInt_FMT
             " nonzeros on one process are more than this format counts in 32 bits: use more processes",
             A.rows, A.cols, A.nnz());
  if (!off_process) {
    if (found->refused_block)
      PetscCall(PetscInfo(block, "Blocks of size %d are not used: they would store %.3f values a nonzero\n", found->refused_block, found->refused_fill));
    PetscCall(PetscInfo(block, "Block size %d, slices of %d, %d threads a row, sorted in windows of %d, %.2f %% padding, %zu nonzeros put aside\n",
                        found->block, found->slice, found->threads, found->window, 100 * found->padding(), found->remainder_values()));
  }
  *same  = same_layout(*found, *layout);
  layout = found;
  PetscCall(remainder.Reset(layout->rem_row, layout->rem_ptr, layout->rem_col, layout->cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::CopyLayout(const LocalPart &other)
{
  PetscFunctionBegin;
  layout = static_cast<const SellpPart &>(other).layout;
  PetscCall(remainder.Reset(layout->rem_row, layout->rem_ptr, layout->rem_col, layout->cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Fill(const Csr &A, const Scalar a[], Scalar values[]) const
{
  PetscFunctionBegin;
  sellp_fill(*layout, A, a, values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Extract(const Csr &A, const Scalar values[], Scalar a[]) const
{
  PetscFunctionBegin;
  sellp_extract(*layout, A, values, a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

LocalPart::Groups SellpPart::SlotGroups() const
{
  Groups g;

  g.columns = layout->block_columns();
  g.stride  = layout->slice_rows();
  g.width   = layout->block;
  return g;
}

/* The class is host_only (matsellp.cxx): nobody asks for the device */
PetscErrorCode SellpPart::Slices(Where where, SellpSlices *S)
{
  const SellpLayout &L = *layout;

  PetscFunctionBegin;
  PetscCheck(where == Where::host, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Products with slices run on the host");
  PetscCall(Values(where, &S->values));
  S->rows      = L.rows;
  S->cols      = L.cols;
  S->block     = L.block;
  S->slice     = L.slice;
  S->threads   = L.threads;
  S->window    = L.window;
  S->cells     = L.cells;
  S->slices    = L.slices;
  S->slice_ptr = L.slice_ptr.data();
  S->col       = L.col.data();
  S->length    = L.own_length ? L.length.data() : NULL;
  S->place     = L.place.empty() ? NULL : L.place.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Mult(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  SellpSlices S;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  if (S.slices) sellp_mult_host(S, x, y, z);
  else PetscCall(StartWith(where, y, z, S.rows));
  PetscCall(remainder.MultAdd(where, S.values + layout->slice_values(), x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::MultTranspose(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  SellpSlices S;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  PetscCall(StartWith(where, y, z, S.cols));
  if (S.slices) sellp_mult_transpose_add_host(S, x, z);
  PetscCall(remainder.MultTransposeAdd(where, S.values + layout->slice_values(), x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Diagonal(Where where, Scalar *d)
{
  const SellpLayout &L = *layout;
  SellpSlices        S;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  if (S.slices) sellp_diagonal_host(S, d);
  else PetscCall(StartWith(where, NULL, d, L.rows));
  for (std::size_t k = 0; k < L.rem_row.size(); k++)
    for (int p = L.rem_ptr[k]; p < L.rem_ptr[k + 1]; p++)
      if (L.rem_col[p] == L.rem_row[k]) d[L.rem_row[k]] = S.values[L.slice_values() + p];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::DiagonalBlocks(Where where, Scalar *d)
{
  const SellpLayout &L = *layout;
  SellpSlices        S;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  sellp_diagonal_blocks_host(S, d);
  for (std::size_t k = 0; k < L.rem_row.size(); k++)
    for (int p = L.rem_ptr[k]; p < L.rem_ptr[k + 1]; p++)
      if (L.rem_col[p] / L.block == L.rem_row[k] / L.block) d[(std::size_t)L.rem_row[k] * L.block + L.rem_col[p] % L.block] = S.values[L.slice_values() + p];
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
