/*
   Output of -mat_view ::ascii_info for a matrix of type MATSELLP.
*/
#include "matsellp.hpp"
#include <string>

namespace heptane
{

/* Sums over all processes, so that one set of lines describes the whole matrix */
struct Totals {
  PetscReal nonzeros, in_slices, stored, padding, remainder, bytes, csr_bytes, vector_bytes, places, by_kind[3];
};

static Totals TotalsOf(const SellpLayout &L, const SellpLayout *O)
{
  Totals       t;
  const double size = 1.0 * L.block * L.block;

  t.nonzeros     = (PetscReal)L.nnz;
  t.stored       = (PetscReal)L.format_values();
  t.padding      = (PetscReal)(L.format_values() - L.blocks * size);
  t.remainder    = (PetscReal)L.remainder_values();
  t.bytes        = (PetscReal)L.matrix_bytes();
  t.csr_bytes    = (PetscReal)L.csr_bytes();
  t.vector_bytes = (PetscReal)L.vector_bytes();
  t.in_slices    = t.nonzeros - t.remainder;
  t.places       = (PetscReal)PetscMax(L.block_places(), 1);
  for (int k = 0; k < 3; k++) t.by_kind[k] = (PetscReal)L.by_kind[k];
  if (O) {
    t.nonzeros += O->nnz;
    t.bytes += O->matrix_bytes();
    t.csr_bytes += O->csr_bytes();
    t.vector_bytes += sizeof(Scalar) * O->cols;
  }
  return t;
}

static std::string Slices(const SellpLayout &L)
{
  const std::string unit = L.block > 1 ? " block rows" : " rows";

  if (!L.slices) return "no slices";
  return std::to_string(L.slices) + (L.slices > 1 ? " slices of " : " slice of ") + std::to_string(L.slice) + unit + ", " +
         (L.window > 1 ? "sorted by length in windows of " + std::to_string(L.window) + unit : "not sorted");
}

PetscErrorCode MatView_SELLP(Mat A, const DerivedMat *m, PetscViewer viewer)
{
  const SellpLayout &L   = static_cast<const SellpPart *>(m->diag)->LayoutData();
  Totals             sum = TotalsOf(L, m->off ? &static_cast<SellpPart *>(m->off)->LayoutData() : NULL);
  PetscMPIInt        size;

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, sizeof(sum) / sizeof(PetscReal), MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)A)));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)A), &size));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  sellp: block size %d, %s%s\n", L.block, Slices(L).c_str(), size > 1 ? " (first process)" : ""));
  if (L.refused_block)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  sellp: blocks of size %d not used: %.4g stored values per nonzero (see -mat_sellp_max_fill)\n", L.refused_block,
                                     L.refused_fill));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "  sellp: padding %.4g %%, %.4g stored values per nonzero in slices, remainder %.4g %% of the nonzeros%s\n",
    sum.stored > sum.padding ? 100 * (double)(sum.padding / (sum.stored - sum.padding)) : 0.0, sum.in_slices > 0 ? (double)(sum.stored / sum.in_slices) : 1.0,
    sum.nonzeros > 0 ? 100 * (double)(sum.remainder / sum.nonzeros) : 0.0, size > 1 ? ", columns of other processes in compressed rows" : ""));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  sellp: column index of the blocks in slices: none for %.4g %%, 16 bits for %.4g %%, 32 bits for %.4g %%\n",
                                   100 * (double)(sum.by_kind[0] / sum.places), 100 * (double)(sum.by_kind[1] / sum.places),
                                   100 * (double)(sum.by_kind[2] / sum.places)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  sellp: memory %.4g MB, in compressed rows %.4g MB; bytes of a product %.4g MB, in compressed rows %.4g MB\n",
                                   1e-6 * (double)sum.bytes, 1e-6 * (double)sum.csr_bytes, 1e-6 * (double)(sum.bytes + sum.vector_bytes),
                                   1e-6 * (double)(sum.csr_bytes + sum.vector_bytes)));
  PetscCall(PetscViewerASCIIPrintf(viewer, "  sellp: products run on the %s\n", DerivedWhere(A, m) == Where::device ? "device" : "host"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
