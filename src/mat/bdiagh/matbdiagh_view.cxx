/*
   Output of -mat_view ::ascii_info and -mat_view draw for a matrix of type MATBDIAGH.
*/
#include "matbdiagh.hpp"
#include "../csr/estimate.hpp"
#include <heptane.h>
#include <petscdraw.h>
#include <string>

namespace heptane
{

/* Sums over all processes, so that one set of lines describes the whole matrix */
struct Totals {
  PetscReal values, nonzeros, remainder, bytes, csr_bytes;
  PetscReal in_rows;                      /* processes whose whole block is in the remainder */
  PetscReal sellp_bytes, sellp_csr_bytes; /* predicted bytes of a product in slices, and in compressed rows */
};

static const char *DescribeSource(const BdiaghPart &part, Where where)
{
  const BdiaghFit fit = part.LayoutData().fit;

  if (where == Where::host && part.LayoutData().ndiag && part.OnlyRows())
    return "compressed rows (on the host these are faster than diagonals with many zeros)";
  switch (fit) {
  case BdiaghFit::fill:
    return "compressed rows (more stored values per nonzero than -mat_bdiagh_max_fill; use -mat_type sellp)";
  case BdiaghFit::remainder:
    return "compressed rows (more nonzeros off the diagonals than -mat_bdiagh_max_remainder; use -mat_type sellp)";
  case BdiaghFit::repeated:
    return "compressed rows (a row has the same column twice)";
  case BdiaghFit::empty:
    return "nothing (no nonzeros)";
  default:
    return "block diagonals";
  }
}

/* " -4 -1 0 1 4", shortened if there are many */
static std::string ListOffsets(const BdiaghLayout &L)
{
  std::string list;

  for (int r = 0; r < PetscMin(L.ndiag, 32); r++) list += " " + std::to_string(L.offset[r]);
  return L.ndiag > 32 ? list + " ..." : list;
}

PetscErrorCode MatView_BDIAGH(Mat A, const DerivedMat *m, PetscViewer viewer)
{
  const auto         &part = *static_cast<const BdiaghPart *>(m->diag);
  const BdiaghLayout &L    = part.LayoutData();
  const BdiaghLayout *O    = m->off ? &static_cast<BdiaghPart *>(m->off)->LayoutData() : NULL;
  Totals              sum  = {(PetscReal)L.columns() * L.rows,
                              (PetscReal)L.nnz,
                              (PetscReal)L.remainder_values(),
                              (PetscReal)L.product_bytes(),
                              (PetscReal)L.csr_product_bytes(),
                              (PetscReal)(L.fit == BdiaghFit::fill || L.fit == BdiaghFit::remainder || L.fit == BdiaghFit::repeated),
                              0,
                              0};
  PetscMPIInt         size;

  PetscFunctionBegin;
  if (O) {
    sum.nonzeros += O->nnz;
    sum.remainder += O->remainder_values();
    sum.bytes += O->product_bytes() - sizeof(Scalar) * O->rows;
    sum.csr_bytes += O->csr_product_bytes() - sizeof(Scalar) * O->rows;
  }
  if (sum.in_rows > 0) {
    Csr             P;
    ProductEstimate sellp;

    PetscCall(part.Pattern(&P));
    PetscCall(EstimateProduct(MATSELLP, P, LocalPart::GivenBlockSize(A), &sellp));
    sum.sellp_bytes     = (PetscReal)sellp.format;
    sum.sellp_csr_bytes = (PetscReal)sellp.rows;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, sizeof(sum) / sizeof(PetscReal), MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  bdiagh: block size %d, %d block diagonals%s%s%s\n", L.block, L.ndiag, L.ndiag ? " at cell offsets" : "",
                                   ListOffsets(L).c_str(), size > 1 ? " (first process)" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  bdiagh: fill %.4g stored values per nonzero, remainder %.4g %% of the nonzeros%s\n",
                                   sum.nonzeros > sum.remainder ? (double)(sum.values / (sum.nonzeros - sum.remainder)) : 1.0,
                                   sum.nonzeros > 0 ? 100 * (double)(sum.remainder / sum.nonzeros) : 0.0,
                                   size > 1 ? " (with the columns of other processes)" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  bdiagh: bytes of a product %.4g MB, in compressed rows %.4g MB\n", 1e-6 * (double)sum.bytes,
                                   1e-6 * (double)sum.csr_bytes));
  const Where where = DerivedWhere(A, m);
  PetscCall(
    PetscViewerASCIIPrintf(viewer, "  bdiagh: products run on the %s, from %s\n", where == Where::device ? "device" : "host", DescribeSource(part, where)));
  if (sum.in_rows > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  bdiagh: with -mat_type sellp bytes of a product %.4g MB, in compressed rows %.4g MB%s\n",
                                     1e-6 * (double)sum.sellp_bytes, 1e-6 * (double)sum.sellp_csr_bytes, size > 1 ? " (processes with compressed rows)" : ""));
  if (size > 1 && sum.in_rows > 0) PetscCall(PetscViewerASCIIPrintf(viewer, "  bdiagh: compressed rows only on %d of %d processes\n", (int)sum.in_rows, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line for each block diagonal, a mark for each row of the remainder */
static PetscErrorCode DrawDiagonals(PetscDraw draw, void *ctx)
{
  const BdiaghLayout &L    = *static_cast<const BdiaghLayout *>(ctx);
  const PetscReal     rows = L.rows, cols = L.cols;

  PetscFunctionBegin;
  PetscDrawCollectiveBegin(draw);
  for (int r = 0; r < L.ndiag; r++) {
    const PetscReal shift = (PetscReal)L.offset[r] * L.block, first = PetscMax(0.0, -shift), last = PetscMin(rows, cols - shift), b = L.block;

    /* the block diagonal as a band: two triangles in the colour of the main or an off diagonal */
    const int colour = L.offset[r] ? PETSC_DRAW_BLUE : PETSC_DRAW_RED;
    PetscCall(PetscDrawTriangle(draw, first + shift, rows - first, first + shift + b, rows - first, last + shift, rows - last, colour, colour, colour));
    PetscCall(PetscDrawTriangle(draw, first + shift, rows - first, last + shift - b, rows - last, last + shift, rows - last, colour, colour, colour));
    PetscCall(PetscDrawLine(draw, first + shift, rows - first, last + shift, rows - last, colour));
  }
  for (std::size_t k = 0; k < L.remainder_row.size(); k++)
    for (int p = L.remainder_ptr[k]; p < L.remainder_ptr[k + 1]; p++)
      PetscCall(PetscDrawRectangle(draw, L.remainder_col[p], rows - L.remainder_row[k] - 1, L.remainder_col[p] + 1, rows - L.remainder_row[k], PETSC_DRAW_GREEN,
                                   PETSC_DRAW_GREEN, PETSC_DRAW_GREEN, PETSC_DRAW_GREEN));
  PetscDrawCollectiveEnd(draw);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDraw_BDIAGH(const LocalPart &part, PetscViewer viewer)
{
  const BdiaghLayout &L = static_cast<const BdiaghPart &>(part).LayoutData();
  const PetscReal     w = L.cols / 10.0, h = L.rows / 10.0;
  PetscDraw           draw;
  PetscBool           isnull;

  PetscFunctionBegin;
  PetscCall(PetscViewerDrawGetDraw(viewer, 0, &draw));
  PetscCall(PetscDrawIsNull(draw, &isnull));
  if (isnull) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDrawSetCoordinates(draw, -w, -h, L.cols + w, L.rows + h));
  PetscCall(PetscDrawZoom(draw, DrawDiagonals, (void *)&L));
  PetscCall(PetscDrawSave(draw));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
