/*
   A block in the block-diagonal format: its layout, values, products, diagonal and offer to the solvers.
*/
#include "part.hpp"
#include "../../device/on_stream.hpp"
#include "../../metrics/metrics.hpp"
#include "../aij/derived.hpp"
#include "../csr/estimate.hpp"
#include "format/change.hpp"
#include "format/host.hpp"
#include "fused/fused.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "format/spmv.hpp"
  #include "fused/remainder_plans.hpp"
#endif
#include <heptane.h>
#include <algorithm>

namespace heptane
{

BdiaghPart::BdiaghPart(Mat outer, PetscBool off)
  : LocalPart(std::make_shared<const BdiaghLayout>()), settings(DerivedSettings<BdiaghSettings>(outer)), off_process(off)
{}

BdiaghPart::~BdiaghPart() = default;

PetscErrorCode BdiaghPart::Analyse(const Csr &A, std::shared_ptr<const FormatLayout> *out)
{
  const BdiaghLimits &limits = settings->limits;
  const PetscInt      given  = GivenBlockSize(block);
  auto                found  = std::make_shared<BdiaghLayout>(bdiagh_decide_layout(A, given, off_process, limits));

  PetscFunctionBegin;
  PetscCall(CheckSizes(A, "bdiagh", limits.block, found->fit != BdiaghFit::bad_block, found->fit != BdiaghFit::too_large));
  if (found->fit == BdiaghFit::fill || found->fit == BdiaghFit::remainder) {
    PetscBool info;

    PetscCall(PetscInfoEnabled(MAT_CLASSID, &info));
    if (settings->strict || info) { /* the estimate for sellp needs a pass over the pattern */
      ProductEstimate sellp;
      double          cost;

      PetscCall(EstimateProduct(MATSELLP, A, given, &sellp));
      cost = sellp.format / sellp.rows;
      PetscCheck(
        !settings->strict, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
        "The pattern is not made of block diagonals (with block size %d: %.2f stored values per nonzero, limit %g; %.1f %% of the nonzeros off them, limit %g %%): use -mat_type sellp, whose products move %.2f times the bytes of compressed rows, or raise -mat_bdiagh_max_fill or -mat_bdiagh_max_remainder, or leave -mat_bdiagh_strict off",
        found->block, found->found_fill, (double)limits.max_fill, 100 * found->found_remainder, 100 * (double)limits.max_remainder, cost);
      PetscCall(PetscInfo(
        block,
        "Not made of block diagonals (block size %d, fill %.2f, %.1f %% off the diagonals): stored in compressed rows; products of the type sellp would move %.2f times their bytes\n",
        found->block, found->found_fill, 100 * found->found_remainder, cost));
    }
  } else if (found->fit == BdiaghFit::repeated) {
    PetscCheck(
      !settings->strict, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
      "A row has the same column twice, which block diagonals cannot hold: assemble the matrix by MatSetValues() or MatSetValuesCOO(), which add such entries up, or leave -mat_bdiagh_strict off");
    PetscCall(PetscInfo(block, "A row has the same column twice: stored in compressed rows\n"));
  } else if (!off_process) {
    PetscCall(PetscInfo(block, "%d block diagonals of block size %d, fill %.3f, %.2f %% of the nonzeros in the remainder\n", found->ndiag, found->block,
                        found->found_fill, 100 * found->found_remainder));
  }
  if (!found->ndiag && !format->remainder_row.empty()) bdiagh_complete(*found, A); /* the lists were needed, and are compared */
  *out = std::move(found);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Complete()
{
  Csr P;

  PetscFunctionBegin;
  if (format->listed()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Pattern(&P));
  auto complete = std::make_shared<BdiaghLayout>(LayoutData());
  bdiagh_complete(*complete, P);
  PetscCall(SetFormat(std::move(complete)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Offsets(const PetscInt *out[])
{
  const BdiaghLayout &L = LayoutData();

  PetscFunctionBegin;
  offsets.assign(L.offset, L.offset + L.ndiag);
  *out = offsets.data();
  PetscFunctionReturn(PETSC_SUCCESS);
}

BdiaghDiagonals BdiaghPart::Shape(const Scalar *values) const
{
  const BdiaghLayout &L = LayoutData();
  BdiaghDiagonals     D = {L.rows, L.cols, L.block, L.ndiag, L.ld, values, {}};

  std::copy(L.offset, L.offset + L.ndiag, D.offset);
  return D;
}

PetscErrorCode BdiaghPart::Diagonals(Where where, BdiaghDiagonals *D)
{
  const Scalar *values;

  PetscFunctionBegin;
  PetscCall(Values(where, &values));
  *D = Shape(values);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = A x (+ y), or z = A^T x (+ y). sign: 1; -1 on the device for z = y - A x */
static PetscErrorCode DiagonalsProduct(const BdiaghDiagonals &D, bool transpose, Where where, const Scalar *x, Scalar sign, const Scalar *y, Scalar *z)
{
  PetscFunctionBegin;
  if (where == Where::host) transpose ? bdiagh_mult_transpose_host(D, x, y, z) : bdiagh_mult_host(D, x, y, z);
  else
    PetscCall(
      LaunchOnStream([&](auto stream) { return transpose ? launch_bdiagh_mult_transpose(D, x, y, z, stream) : launch_bdiagh_mult(D, x, y, z, stream, sign); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Product(bool transpose, Where where, const Scalar *x, const Scalar *y, Scalar *z)
{
  const Scalar *rem;

  PetscFunctionBegin;
  PetscCall(Complete());
  const BdiaghLayout &L = LayoutData();

  if (L.ndiag) {
    BdiaghDiagonals D;

    PetscCall(Diagonals(where, &D));
    if (L.remainder_row.empty()) PetscCall(DiagonalsProduct(D, transpose, where, x, 1, y, z));
    else { /* the remaining bytes are declared at their launches */
      const MetricsPass metrics(where == Where::device, [&] {
        return DeclaredPass{"block diagonals of a product", sizeof(Scalar) * (1. * L.columns() * L.rows + L.rows + L.cols + (y ? L.rows : 0))};
      });
      PetscCall(DiagonalsProduct(D, transpose, where, x, 1, y, z));
    }
  } else if (where == Where::device && !off_process && L.nnz) { /* all entries are in the remainder */
    PetscCall(RemainderValues(where, &rem));
    PetscCall(transpose ? remainder->MultTransposeAll(rem, Version(), x, y, z) : remainder->MultAll(rem, L.rows, x, y, z));
    PetscFunctionReturn(PETSC_SUCCESS);
  } else PetscCall(StartWith(where, y, z, transpose ? L.cols : L.rows));
  if (!L.remainder_row.empty()) {
    PetscCall(RemainderValues(where, &rem));
    PetscCall(transpose ? remainder->MultTransposeAdd(where, rem, x, z) : remainder->MultAdd(where, rem, x, z));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the device, if all entries are on the diagonals */
PetscErrorCode BdiaghPart::HasResidual(Where where, PetscBool *has)
{
  PetscFunctionBegin;
  PetscCall(Complete());
  *has = (PetscBool)(where == Where::device && LayoutData().ndiag && format->remainder_row.empty());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Residual(const Scalar *x, const Scalar *y, Scalar *z)
{
  BdiaghDiagonals D;

  PetscFunctionBegin;
  PetscCall(Diagonals(Where::device, &D));
  PetscCall(DiagonalsProduct(D, false, Where::device, x, -1, y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Diagonal(Where where, Scalar *d)
{
  const int       r = LayoutData().main_diagonal();
  BdiaghDiagonals D;

  PetscFunctionBegin;
  if (!format->rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(where, &D));
  if (where == Where::host) {
    const int     b     = D.block;
    const Scalar *first = D.values + static_cast<std::size_t>(r) * b * D.ld;

    for (int row = 0; row < D.rows; row += b)
      for (int i = 0; i < b; i++) d[row + i] = first[i * D.ld + row + i];
  } else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"MatGetDiagonal", 2. * sizeof(Scalar) * D.rows}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_bdiagh_diagonal(D, r, d, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::DiagonalBlocksInPlace(Where where, int b, DenseBlocks *blocks)
{
  const int       r = LayoutData().main_diagonal();
  BdiaghDiagonals D;

  PetscFunctionBegin;
  *blocks = DenseBlocks();
  if (r < 0 || format->block != b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(where, &D));
  *blocks = DenseBlocks::value_columns((std::size_t)(D.rows / D.block), D.block, D.values + (std::size_t)r * D.block * D.ld, D.ld);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::GatherFormat(Where where, int b, std::size_t ld, Scalar *d)
{
  BdiaghDiagonals D;

  PetscFunctionBegin;
  PetscCall(Diagonals(where, &D));
  if (where == Where::host) {
    for (int row = 0; row < D.rows; row++) bdiagh_gather_row(D, row, b, ld, d);
  } else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"diagonal blocks gathered", 2. * sizeof(Scalar) * b * D.rows}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_bdiagh_gather_blocks(D, b, ld, d, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::ScaleFormat(Where where, const Scalar *l, const Scalar *r, Scalar *values)
{
  const BdiaghDiagonals D = Shape(values);

  PetscFunctionBegin;
  if (where == Where::host) bdiagh_scale_host(D, values, l, r);
  else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"rows and columns scaled", 2. * sizeof(Scalar) * (1. * D.ndiag * D.block + 1) * D.rows}; });
    PetscCall(LaunchOnStream([&](auto stream) { return launch_bdiagh_scale(D, values, l, r, stream); }));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::OnDiagonals(Where where, BlockDiagonals *D)
{
  PetscFunctionBegin;
  *D = BlockDiagonals();
  PetscCall(Complete());
  const BdiaghLayout &L = LayoutData();

  D->rows   = L.rows;
  D->block  = L.block;
  D->ndiag  = L.ndiag;
  D->ld     = L.ld;
  D->offset = L.offset;
  D->layout = Layout();
  D->least  = static_cast<double>(settings->limits.min_occupancy);
  PetscCall(Values(where, &D->values));
  D->remainder_row    = &L.remainder_row;
  D->remainder_ptr    = &L.remainder_ptr;
  D->remainder_col    = &L.remainder_col;
  D->remainder_values = D->values + L.format_values();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Fused(Where where, std::shared_ptr<FusedMatrix> *op)
{
  const BdiaghLayout &L      = LayoutData();
  const bool          device = where == Where::device;
  BdiaghOperands      O      = {{}, L.main_diagonal(), FoldForm::whole, {}, L.remainder_values(), device};
  const Scalar       *rem;

  PetscFunctionBegin;
  op->reset();
  if (!L.ndiag || L.rows != L.cols || (device && L.block > PassTuning::device_product_block)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(where, &O.diagonals));
  *op = fused.Get(where, Version());
  if (*op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RemainderValues(where, &rem));
  PetscCall(remainder->ByRow(where, rem, L.rows, &O.remainder, L.block));
  if (device) PetscCall(remainder->Sums(&O.remainder));
#if PetscDefined(HAVE_CUDA)
  if (device && !L.remainder_row.empty() && !plans) plans = std::make_shared<BdiaghRemainderPlans>(std::static_pointer_cast<const BdiaghLayout>(format));
#endif
  const FusedOwners owners = {
    ValuesOwner(where), {format, remainder}
  };
  const bool   by_rows = !device && OnlyRows() && L.rows >= BdiaghTuning::host_rows_from;
  const double bytes   = (by_rows ? L.csr_product_bytes() : L.product_bytes()) - sizeof(Scalar) * (1.0 * L.rows + L.cols);
  *op                  = std::make_shared<BdiaghFused>(O, bytes, 2.0 * L.nnz, owners, plans, by_rows);
  fused.Keep(where, Version(), *op);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
