/*
   The products of a block in slices: slices first, then the rows put aside on top, on the host or on the device.
*/
#include "sellp_part.hpp"
#include "../../device/row_shares.hpp"
#include "../../metrics/metrics.hpp"
#include "../derived/derived.hpp"
#include "sellp_change.hpp"
#include "sellp_fused.hpp"
#include "sellp_host.hpp"
#include "sellp_shape.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "sellp_spmv.hpp"
#endif
#include <algorithm>

namespace heptane
{

SellpPart::SellpPart(Mat outer, PetscBool off) : layout(std::make_shared<const SellpLayout>()), off_process(off)
{
  DerivedMat *m;

  PetscCallAbort(PETSC_COMM_SELF, DerivedGet(outer, &m));
  limits = std::static_pointer_cast<const SellpLimits>(m->settings);
}

SellpPart::~SellpPart() = default;

/* What was made for another layout */
PetscErrorCode SellpPart::ForgetLayout()
{
  PetscFunctionBegin;
  const SellpLayout &L = *layout;

  arrays = std::make_shared<LayoutArrays>();
  arrays->head.Refer(L.head);
  arrays->index.Refer(L.index);
  arrays->place.Refer(L.place);
  remainder = std::make_shared<Remainder>();
  PetscCall(remainder->Reset(layout->rem_row, layout->rem_ptr, layout->rem_col, layout->cols));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static bool same_layout(const SellpLayout &a, const SellpLayout &b)
{
  return a.rows == b.rows && a.cols == b.cols && a.block == b.block && a.slice == b.slice && a.window == b.window && a.nnz == b.nnz && a.index == b.index &&
         a.length == b.length && a.place == b.place && a.rem_row == b.rem_row &&
         std::equal(a.head.begin(), a.head.end(), b.head.begin(), b.head.end(),
                    [](const SellpSlice &s, const SellpSlice &t) { return s.first == t.first && s.width == t.width && s.index == t.index; }) &&
         a.rem_ptr == b.rem_ptr && a.rem_col == b.rem_col;
}

PetscErrorCode SellpPart::Analyse(const Csr &A, bool *same)
{
  auto found = std::make_shared<const SellpLayout>(sellp_find_layout(A, GivenBlockSize(block), off_process, *limits));

  PetscFunctionBegin;
  repeated = found->repeated;
  PetscCall(CheckSizes(A, "sellp", limits->block, found->fit != SellpFit::bad_block, found->fit != SellpFit::too_large));
  if (repeated) PetscCall(PetscInfo(block, "A row has the same column twice: stored in compressed rows\n"));
  else if (!off_process) {
    if (found->refused_block)
      PetscCall(PetscInfo(block, "Blocks of size %d are not used: they would store %.3f values per nonzero\n", found->refused_block, found->refused_fill));
    PetscCall(PetscInfo(block, "Block size %d, slices of %d, sorted in windows of %d, %.2f %% padding, %zu nonzeros put aside\n", found->block, found->slice,
                        found->window, 100 * found->padding(), found->remainder_values()));
  }
  *same  = same_layout(*found, *layout);
  layout = found;
  PetscCall(ForgetLayout());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::CopyLayout(const LocalPart &other)
{
  PetscFunctionBegin;
  repeated = static_cast<const SellpPart &>(other).repeated;
  layout   = static_cast<const SellpPart &>(other).layout;
  PetscCall(ForgetLayout());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Fill(const Csr &A, const Scalar a[], Scalar values[]) const
{
  PetscFunctionBegin;
  sellp_put(*layout, A, a, values);
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

bool SellpPart::SameLayout(const LocalPart &other) const
{
  return same_layout(*layout, *static_cast<const SellpPart &>(other).layout);
}

PetscErrorCode SellpPart::Slices(Where where, SellpSlices *S)
{
  PetscFunctionBegin;
  PetscCall(Values(where, &S->values));
  PetscCall(Shape(where, S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Shape(Where where, SellpSlices *S)
{
  const SellpLayout &L = *layout;

  PetscFunctionBegin;
  sellp_shape(L, S);
  S->head  = NULL;
  S->index = NULL;
  S->place = NULL;
  if (!L.slices) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(arrays->head.Read(where, &S->head));
  PetscCall(arrays->index.Read(where, &S->index));
  PetscCall(arrays->place.Read(where, &S->place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows put aside, whose values follow those of the slices */
PetscErrorCode SellpPart::Aside(Where where, CsrRows *R)
{
  const Scalar *values;

  PetscFunctionBegin;
  PetscCall(Values(where, &values));
  PetscCall(remainder->Rows(where, values + layout->slice_values(), R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PetscDefined(HAVE_CUDA)
/* Threads of a row, where its blocks are wide and rows few */
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
    const Scalar *first = S.values + layout->slice_values();
    SellpAside    aside;
    RemainderRows by_row;
    cudaStream_t  stream;
    const int     shares = SharesOf(*layout);
    PetscCall(remainder->Pieces(first, true, &aside.pieces));
    PetscCall(remainder->ByRow(where, first, S.rows, &by_row));
    aside.mask = by_row.mask;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(shares > 1 ? launch_sellp_mult_wide(S, shares, aside, x, y, z, stream) : launch_sellp_mult(S, layout->mix(), aside, x, y, z, stream));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  if (S.slices) sellp_mult_host(S, x, y, z);
  else PetscCall(StartWith(where, y, z, S.rows));
  PetscCall(remainder->MultAdd(where, S.values + layout->slice_values(), x, z));
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
      const SellpTranspose T = sellp_transpose(*layout);

      a.by_scalar_columns = sellp_by_scalar_columns(*layout, T);
      if (a.by_scalar_columns) a.columns.ResetColumns(sellp_scalar_columns(*layout, T));
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
  PetscCall(remainder->MultTransposeAdd(where, S.values + layout->slice_values(), x, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Diagonal(Where where, Scalar *d)
{
  SellpSlices S;
  CsrRows     R;
  PetscBool   done = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  PetscCall(Aside(where, &R));
  if (where == Where::host || R.count)
    PetscCall(TakeDiagonal(where, d, &done)); /* the host would look for the entries one by one, and rows put aside are long */
  if (done) PetscFunctionReturn(PETSC_SUCCESS);
  if (!S.slices) PetscCall(StartWith(where, NULL, d, S.rows));
  if (where == Where::host) {
    if (S.slices) sellp_diagonal_host(S, d);
    for (int k = 0; k < R.count; k++) csr_gather_row(R, k, 1, 0, d);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"MatGetDiagonal", 2. * sizeof(Scalar) * S.rows}; });
    cudaStream_t      stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_sellp_diagonal(S, d, stream));
    const MetricsPass of_aside(true, [&] { return DeclaredPass{"MatGetDiagonal, rows put aside", 4. * layout->rem_col.size()}; });
    PetscCallCUDA(launch_csr_gather_blocks(R, 1, 0, d, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::DiagonalBlocksInPlace(Where where, int b, DenseBlocks *blocks)
{
  const SellpLayout  &L = *layout;
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

PetscErrorCode SellpPart::GatherBlocks(Where where, int b, std::size_t ld, Scalar *d)
{
  SellpSlices S;
  CsrRows     R;

  PetscFunctionBegin;
  PetscCall(Slices(where, &S));
  PetscCall(Aside(where, &R));
  if (where == Where::host) {
    if (S.slices) sellp_gather_blocks_host(S, b, ld, d);
    for (int k = 0; k < R.count; k++) csr_gather_row(R, k, b, ld, d);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    const MetricsPass metrics(true, [&] { return DeclaredPass{"diagonal blocks gathered", 2. * sizeof(Scalar) * b * S.rows + 4. * layout->index.size()}; });
    PetscCallCUDA(launch_sellp_gather_blocks(S, b, ld, d, stream));
    const MetricsPass of_aside(true, [&] { return DeclaredPass{"diagonal blocks gathered, rows put aside", 4. * layout->rem_col.size()}; });
    PetscCallCUDA(launch_csr_gather_blocks(R, b, ld, d, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::ScaleRowsColumns(Where where, const Scalar *l, const Scalar *r, Scalar *values)
{
  SellpSlices S;
  CsrRows     R;
  Scalar     *aside = values + layout->slice_values();

  PetscFunctionBegin;
  PetscCall(Shape(where, &S));
  S.values = values;
  PetscCall(remainder->Rows(where, aside, &R));
  if (where == Where::host) {
    sellp_scale_host(S, values, l, r);
    for (int k = 0; k < R.count; k++) csr_scale_row(R, aside, l, r, k, 0, 1);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    const MetricsPass metrics(true, [&] {
      return DeclaredPass{"rows and columns scaled", 2. * sizeof(Scalar) * (1. * layout->slice_values() + S.rows) + 4. * layout->index.size()};
    });
    PetscCallCUDA(launch_sellp_scale(S, values, l, r, stream));
    const MetricsPass of_aside(true, [&] {
      return DeclaredPass{"rows and columns scaled, rows put aside", (2. * sizeof(Scalar) + 4) * layout->rem_col.size() + (12. + sizeof(Scalar)) * R.count};
    });
    PetscCallCUDA(launch_csr_scale(R, aside, l, r, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SellpPart::Fused(Where where, std::shared_ptr<FusedOperator> *op)
{
  const SellpLayout &L      = *layout;
  const bool         device = where == Where::device;
  SellpOperands      O;

  PetscFunctionBegin;
  op->reset();
  if (!L.slices || L.rows != L.cols || L.block > (device ? PassTuning::device_product_block : PassTuning::max_product_block))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Slices(where, &O.slices));
  *op = fused.Get(where, Version());
  if (*op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Aside(where, &O.list));
  PetscCall(remainder->ByRow(where, O.list.values, L.rows, &O.aside, L.block));
  O.aside_entries = L.remainder_values();
  O.pieces        = CsrPieces();
  if (device) {
    PetscCall(remainder->Pieces(O.list.values, false, &O.pieces));
    arrays->sums.Resize(L.rem_row.size());
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
    ValuesOwner(where), {layout, remainder, arrays}
  };
  *op = std::make_shared<SellpFused>(O, L.bytes(), 2.0 * L.nnz, owners);
  fused.Keep(where, Version(), *op);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
