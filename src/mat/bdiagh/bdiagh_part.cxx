/*
   A block in the block-diagonal format: its layout, values, diagonal and offer to the solvers. Its products with vectors: bdiagh_part_products.cxx.
*/
#include "bdiagh_part.hpp"
#include "../../device/memory.hpp"
#include "../../metrics/metrics.hpp"
#include "../csr/estimate.hpp"
#include "../derived/derived.hpp"
#include "bdiagh_change.hpp"
#include "bdiagh_fused.hpp"
#include "bdiagh_host.hpp"
#if PetscDefined(HAVE_CUDA)
  #include "bdiagh_remainder_plans.hpp"
  #include "bdiagh_spmv.hpp"
#endif
#include <heptane.h>
#include <algorithm>

namespace heptane
{

BdiaghPart::BdiaghPart(Mat outer, PetscBool off) : layout(std::make_shared<const BdiaghLayout>()), off_process(off)
{
  DerivedMat *m;

  PetscCallAbort(PETSC_COMM_SELF, DerivedGet(outer, &m));
  settings = std::static_pointer_cast<const BdiaghSettings>(m->settings);
}

BdiaghPart::~BdiaghPart() = default;

/* What was made for another layout */
PetscErrorCode BdiaghPart::ForgetLayout()
{
  PetscFunctionBegin;
  plans.reset();
  remainder = std::make_shared<Remainder>();
  PetscCall(remainder->Reset(layout->rem_row, layout->rem_ptr, layout->rem_col, layout->cols));
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
  const PetscInt      given  = GivenBlockSize(block);
  auto                found  = std::make_shared<BdiaghLayout>(bdiagh_decide_layout(A, given, off_process, limits));

  PetscFunctionBegin;
  PetscCall(CheckSizes(A, "bdiagh", limits.block, found->fit != BdiaghFit::bad_block, found->fit != BdiaghFit::too_large));
  if (found->fit == BdiaghFit::fill || found->fit == BdiaghFit::remainder) {
    PetscBool info;

    PetscCall(PetscInfoEnabled(MAT_CLASSID, &info));
    if (settings->strict || info) { /* what sellp would make of it costs a look at the pattern */
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
  if (!found->ndiag && !layout->rem_row.empty()) bdiagh_complete(*found, A); /* the lists were needed, and are compared */
  *same  = (found->ndiag || !found->rem_row.empty() || !found->nnz) && same_layout(*found, *layout);
  layout = found;
  PetscCall(ForgetLayout());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Complete()
{
  Csr P;

  PetscFunctionBegin;
  if (layout->ndiag || !layout->nnz || !layout->rem_row.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Pattern(&P));
  auto complete = std::make_shared<BdiaghLayout>(*layout);
  bdiagh_complete(*complete, P);
  layout = complete;
  PetscCall(ForgetLayout());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::CopyLayout(const LocalPart &other)
{
  PetscFunctionBegin;
  layout = static_cast<const BdiaghPart &>(other).layout;
  PetscCall(ForgetLayout());
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool BdiaghPart::SameLayout(const LocalPart &other) const
{
  return same_layout(*layout, *static_cast<const BdiaghPart &>(other).layout);
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
  bdiagh_put(*layout, A, a, values);
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

void BdiaghPart::Shape(BdiaghDiagonals *D) const
{
  const BdiaghLayout &L = *layout;

  D->rows  = L.rows;
  D->cols  = L.cols;
  D->block = L.block;
  D->ndiag = L.ndiag;
  D->ld    = L.ld;
  std::copy(L.offset, L.offset + L.ndiag, D->offset);
}

PetscErrorCode BdiaghPart::Diagonals(Where where, BdiaghDiagonals *D)
{
  PetscFunctionBegin;
  PetscCall(Values(where, &D->values));
  Shape(D);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of the remainder follow those of the diagonals */
PetscErrorCode BdiaghPart::RemainderValues(Where where, const Scalar **values)
{
  PetscFunctionBegin;
  PetscCall(Values(where, values));
  *values += layout->diagonal_values();
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
    const int     b     = D.block;
    const Scalar *first = D.values + static_cast<std::size_t>(r) * b * D.ld;

    for (int row = 0; row < D.rows; row += b)
      for (int i = 0; i < b; i++) d[row + i] = first[i * D.ld + row + i];
  }
#if PetscDefined(HAVE_CUDA)
  else {
    const MetricsPass metrics(true, [&] { return DeclaredPass{"MatGetDiagonal", 2. * sizeof(Scalar) * D.rows}; });
    cudaStream_t      stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_bdiagh_diagonal(D, r, d, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::DiagonalBlocksInPlace(Where where, int b, DenseBlocks *blocks)
{
  BdiaghDiagonals D;

  PetscFunctionBegin;
  *blocks = DenseBlocks();
  if (layout->main_diagonal() < 0 || layout->block != b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(where, &D));
  *blocks = DenseBlocks::value_columns((std::size_t)(D.rows / D.block), D.block, D.values + (std::size_t)layout->main_diagonal() * D.block * D.ld, D.ld);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::GatherBlocks(Where where, int b, std::size_t ld, Scalar *d)
{
  BdiaghDiagonals D;
  CsrRows         R = {};

  PetscFunctionBegin;
  PetscCall(Complete());
  const BdiaghLayout &L = *layout;

  if (!L.rows) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(where, &D));
  if (!L.rem_row.empty()) {
    const Scalar *rem;

    PetscCall(RemainderValues(where, &rem));
    PetscCall(remainder->Rows(where, rem, &R));
  }
  if (where == Where::host) {
    for (int row = 0; row < D.rows; row++) bdiagh_gather_row(D, row, b, ld, d);
    for (int k = 0; k < R.count; k++) csr_gather_row(R, k, b, ld, d);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    const MetricsPass metrics(true, [&] { return DeclaredPass{"diagonal blocks gathered", 2. * sizeof(Scalar) * b * L.rows}; });
    PetscCallCUDA(launch_bdiagh_gather_blocks(D, b, ld, d, stream));
    const MetricsPass of_remainder(true, [&] { return DeclaredPass{"diagonal blocks gathered, remainder", 4. * L.rem_col.size()}; });
    PetscCallCUDA(launch_csr_gather_blocks(R, b, ld, d, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::OnDiagonals(Where where, BlockDiagonals *D)
{
  PetscFunctionBegin;
  *D = BlockDiagonals();
  PetscCall(Complete());
  D->rows   = layout->rows;
  D->block  = layout->block;
  D->ndiag  = layout->ndiag;
  D->ld     = layout->ld;
  D->offset = layout->offset;
  D->layout = Layout();
  D->least  = static_cast<double>(settings->limits.min_occupancy);
  PetscCall(Values(where, &D->values));
  D->rem_row    = &layout->rem_row;
  D->rem_ptr    = &layout->rem_ptr;
  D->rem_col    = &layout->rem_col;
  D->rem_values = D->values + layout->diagonal_values();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::ScaleRowsColumns(Where where, const Scalar *l, const Scalar *r, Scalar *values)
{
  BdiaghDiagonals D;
  CsrRows         R;
  Scalar         *rem = values + layout->diagonal_values();

  PetscFunctionBegin;
  Shape(&D);
  D.values = values;
  PetscCall(remainder->Rows(where, rem, &R));
  if (where == Where::host) {
    bdiagh_scale_host(D, values, l, r);
    for (int k = 0; k < R.count; k++) csr_scale_row(R, rem, l, r, k, 0, 1);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    const MetricsPass metrics(true, [&] { return DeclaredPass{"rows and columns scaled", 2. * sizeof(Scalar) * (1. * D.ndiag * D.block + 1) * D.rows}; });
    PetscCallCUDA(launch_bdiagh_scale(D, values, l, r, stream));
    const MetricsPass of_remainder(true, [&] {
      return DeclaredPass{"rows and columns scaled, remainder", (2. * sizeof(Scalar) + 4) * layout->rem_col.size() + (12. + sizeof(Scalar)) * R.count};
    });
    PetscCallCUDA(launch_csr_scale(R, rem, l, r, stream));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BdiaghPart::Fused(Where where, std::shared_ptr<FusedOperator> *op)
{
  const BdiaghLayout &L      = *layout;
  const bool          device = where == Where::device;
  BdiaghDiagonals     D;
  RemainderRows       R;
  const Scalar       *rem;

  PetscFunctionBegin;
  op->reset();
  if (!L.ndiag || L.rows != L.cols || (device && L.block > PassTuning::device_product_block)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Diagonals(where, &D));
  *op = fused.Get(where, Version());
  if (*op) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(RemainderValues(where, &rem));
  PetscCall(remainder->ByRow(where, rem, L.rows, &R, L.block));
  if (device) PetscCall(remainder->Sums(&R));
#if PetscDefined(HAVE_CUDA)
  if (device && !L.rem_row.empty() && !plans) plans = std::make_shared<BdiaghRemainderPlans>(layout);
#endif
  const FusedOwners owners = {
    ValuesOwner(where), {layout, remainder}
  };
  const bool   by_rows = !device && OnlyRows() && L.rows >= BdiaghTuning::host_rows_from;
  const double bytes   = (by_rows ? L.csr_product_bytes() : L.product_bytes()) - sizeof(Scalar) * (1.0 * L.rows + L.cols);
  *op = std::make_shared<BdiaghFused>(D, L.main_diagonal(), R, L.remainder_values(), bytes, 2.0 * L.nnz, device, owners, false, plans, by_rows);
  fused.Keep(where, Version(), *op);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
