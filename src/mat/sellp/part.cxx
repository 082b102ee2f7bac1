/*
   A block in slices: its layout, values, diagonal and offer to the solvers, and its products: slices first, then the
   rows put aside, which are its remainder.
*/
#include "part.hpp"
#include "../../device/on_stream.hpp"
#include "../../device/row_shares.hpp"
#include "../../metrics/metrics.hpp"
#include "../aij/derived.hpp"
#include "format/change.hpp"
#include "format/host.hpp"
#include "format/shape.hpp"
#include "fused/fused.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "format/spmv.hpp"
#endif
#include <algorithm>

namespace heptane
{

SellpPart::SellpPart(Mat outer, PetscBool off) : LocalPart(std::make_shared<const SellpLayout>()), limits(DerivedSettings<SellpLimits>(outer)), off_process(off)
{}

SellpPart::~SellpPart() = default;

void SellpPart::Forget()
{
  const SellpLayout &L = LayoutData();

  arrays = std::make_shared<LayoutArrays>();
  arrays->head.Refer(L.head);
  arrays->index.Refer(L.index);
  arrays->place.Refer(L.place);
}

PetscErrorCode SellpPart::Analyse(const Csr &A, std::shared_ptr<const FormatLayout> *out)
{
  auto found = std::make_shared<const SellpLayout>(sellp_find_layout(A, GivenBlockSize(block), off_process, *limits));

  PetscFunctionBegin;
  PetscCall(CheckSizes(A, "sellp", limits->block, found->fit != SellpFit::bad_block, found->fit != SellpFit::too_large));
  if (found->repeated) PetscCall(PetscInfo(block, "A row has the same column twice: stored in compressed rows\n"));
  else if (!off_process) {
    if (found->refused_block)
      PetscCall(PetscInfo(block, "Blocks of size %d are not used: they would store %.3f values per nonzero\n", found->refused_block, found->refused_fill));
    PetscCall(PetscInfo(block, "Block size %d, slices of %d, sorted in windows of %d, %.2f %% padding, %zu nonzeros in the remainder\n", found->block,
                        found->slice, found->window, 100 * found->padding(), found->remainder_values()));
  }
  *out = std::move(found);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Slices(Where where, SellpSlices *S)
{
  const Scalar *values;

  PetscFunctionBegin;
  PetscCall(Values(where, &values));
  PetscCall(Shape(where, values, S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Shape(Where where, const Scalar *values, SellpSlices *S)
{
  const SellpLayout &L = LayoutData();

  PetscFunctionBegin;
  sellp_shape(L, S);
  S->values = values;
  S->head   = NULL;
  S->index  = NULL;
  S->place  = NULL;
  if (!L.slices) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(arrays->head.Read(where, &S->head));
  PetscCall(arrays->index.Read(where, &S->index));
  PetscCall(arrays->place.Read(where, &S->place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
/* Threads per row, if its blocks are wide and rows few */
static int SharesOf(const SellpLayout &L)
{
  if (L.block <= compiled_blocks || !L.slices) return 1;
  return row_shares(L.slice_rows() * L.slices, L.block_columns() / L.slices * L.block);
}
#endif

PetscErrorCode SellpPart::Mult(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  SellpSlices S;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
#if PetscDefined(HAVE_CUDA)
  if (S.slices && where == Where::device) { /* the rows put aside in the same launch */
    const Scalar  *first = S.values + format->format_values();
    SellpRemainder remainder_arrays;
    RemainderRows  by_row;
    cudaStream_t   stream;
    const int      shares = SharesOf(LayoutData());
    PetscCall(remainder->Pieces(first, true, &remainder_arrays.pieces));
    PetscCall(remainder->ByRow(where, first, S.rows, &by_row));
    remainder_arrays.mask = by_row.mask;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(shares > 1 ? launch_sellp_mult_wide(S, shares, remainder_arrays, x, y, z, stream)
                             : launch_sellp_mult(S, LayoutData().mix(), remainder_arrays, x, y, z, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (S.slices) sellp_mult_host(S, x, y, z);
  else PetscCall(StartWith(where, y, z, S.rows));
  PetscCall(remainder->MultAdd(where, S.values + format->format_values(), x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::MultTranspose(Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  SellpSlices S;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  if (!S.slices || where == Where::host) {
    PetscCall(StartWith(where, y, z, S.cols));
    if (S.slices) sellp_mult_transpose_add_host(S, x, z);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    LayoutArrays &a = *arrays;
    cudaStream_t  stream;

    if (!a.by_scalar_columns && !a.tr_row.ValidAt(where)) {
      const SellpTranspose T = sellp_transpose(LayoutData());

      a.by_scalar_columns = sellp_by_scalar_columns(LayoutData(), T);
      if (a.by_scalar_columns) a.columns.ResetColumns(sellp_scalar_columns(LayoutData(), T));
      else {
        PetscCall(a.tr_ptr.Assign(where, T.ptr));
        PetscCall(a.tr_block.Assign(where, T.block));
        PetscCall(a.tr_row.Assign(where, T.row));
      }
    }
    if (a.by_scalar_columns) {
      PetscCall(a.columns.MultTransposeAll(S.values, Version(), x, y, z));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_sellp_mult_transpose(S, {a.tr_ptr.At(where), a.tr_block.At(where), a.tr_row.At(where)}, x, y, z, stream));
  }
#endif
  PetscCall(remainder->MultTransposeAdd(where, S.values + format->format_values(), x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Diagonal(Where where, Scalar *d)
{
  SellpSlices   S;
  CsrRows       R;
  const Scalar *rem;
  PetscBool     done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  PetscCall(RemainderValues(where, &rem));
  PetscCall(remainder->Rows(where, rem, &R));
  if (where == Where::host || R.count) PetscCall(TakeDiagonal(where, d, &done)); /* the host would search the entries one by one, and rows put aside are long */
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  if (!S.slices) PetscCall(StartWith(where, NULL, d, S.rows));
  if (where == Where::host) {
    if (S.slices) sellp_diagonal_host(S, d);
    for (int k = 0; k < R.count; k++) csr_gather_row(R, k, 1, 0, d);
  } else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"MatGetDiagonal", 2. * sizeof(Scalar) * S.rows}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_sellp_diagonal(S, d, stream); }));
    const MetricsPass of_remainder(true, [&] { return DeclaredPass{"MatGetDiagonal, rows put aside", 4. * format->remainder_col.size()}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_csr_gather_blocks(R, 1, 0, d, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::DiagonalBlocksInPlace(Where where, int b, DenseBlocks *blocks)
{
  const SellpLayout  &L = LayoutData();
  const Scalar       *values;
  const std::int64_t *at;

  PetscFunctionBegin;
  *blocks = DenseBlocks();
  if (b != L.block || !L.slices) PetscFunctionReturn(PETSC_SUCCESS);
  if (arrays->blocks.State() == Valid::nowhere) arrays->blocks.Take(sellp_diagonal_offsets(L));
  if (!arrays->blocks.Size()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(arrays->blocks.Read(where, &at));
  PetscCall(Values(where, &values));
  *blocks = DenseBlocks::columns_at(at, arrays->blocks.Size(), b, values, L.slice_rows());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::GatherFormat(Where where, int b, std::size_t ld, Scalar *d)
{
  SellpSlices S;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  if (where == Where::host) {
    if (S.slices) sellp_gather_blocks_host(S, b, ld, d);
  } else {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"diagonal blocks gathered", 2. * sizeof(Scalar) * b * S.rows + 4. * LayoutData().index.size()};
    });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_sellp_gather_blocks(S, b, ld, d, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::ScaleFormat(Where where, const Scalar *l, const Scalar *r, Scalar *values)
{
  SellpSlices S;

  PetscFunctionBegin;
  PetscCall(Shape(where, values, &S));
  if (where == Where::host) sellp_scale_host(S, values, l, r);
  else {
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"rows and columns scaled", 2. * sizeof(Scalar) * (1. * format->format_values() + S.rows) + 4. * LayoutData().index.size()};
    });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_sellp_scale(S, values, l, r, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Fused(Where where, std::shared_ptr<FusedMatrix> *op)
{
  const SellpLayout &L      = LayoutData();
  const bool         device = where == Where::device;
  SellpOperands      O;
  const Scalar      *rem;

  PetscFunctionBegin;
  op->reset();
  if (!L.slices || L.rows != L.cols || L.block > (device ? PassTuning::device_product_block : PassTuning::max_product_block))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Slices(where, &O.slices));
  *op = fused.Get(where, Version());
  if (*op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RemainderValues(where, &rem));
  PetscCall(remainder->Rows(where, rem, &O.list));
  PetscCall(remainder->ByRow(where, rem, L.rows, &O.remainder, L.block));
  O.remainder_entries = L.remainder_values();
  O.pieces            = CsrPieces();
  if (device) {
    PetscCall(remainder->Pieces(rem, false, &O.pieces));
    arrays->sums.Resize(L.remainder_row.size());
    PetscCall(arrays->sums.Make(where));
    if (L.block > 1 && !arrays->diagonal.ValidAt(where)) PetscCall(arrays->diagonal.Assign(where, sellp_diagonal_places(L)));
  }
  O.sums                   = arrays->sums.At(Where::device);
  O.diagonal               = arrays->diagonal.At(where);
  O.mix                    = L.mix();
  O.columns                = L.block_columns();
  O.device                 = device;
  O.droppable              = std::all_of(L.head.begin(), L.head.end(), [](const SellpSlice &S) { return S.width > 0; });
  const FusedOwners owners = {
    ValuesOwner(where), {format, remainder, arrays}
  };
  *op = std::make_shared<SellpFused>(O, L.matrix_bytes(), 2.0 * L.nnz, owners);
  fused.Keep(where, Version(), *op);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
