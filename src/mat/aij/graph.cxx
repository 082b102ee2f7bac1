/*
   MatCreateGraph() of a sequential matrix with one row per vertex and a structurally symmetric pattern: absolute
   values, plus the transpose's, with a scaled diagonal, in two passes over the compressed rows on the host. The numbers
   equal the results of PETSc's duplicate, transpose, sum and scaling. Otherwise calls the base class's.
*/
#include "derived.hpp"
#include <cmath>

namespace heptane
{

namespace
{

struct GraphKind {
  bool absolute, symmetrize, scale;
};

inline Scalar value_of(const GraphKind &kind, Scalar v)
{
  return kind.absolute ? std::fabs(v) : v;
}

/* Values before scaling, and the sums of the diagonal entries. Rows are visited in ascending order, so the entries (j,
   i) of row j are met in storage order if its columns ascend. fits: every entry has met its transpose. */
void add_transpose(const Csr &P, const GraphKind &kind, const Scalar *a, Scalar *g, Scalar *diagonal, bool *fits)
{
  std::vector<PetscInt> next(kind.symmetrize ? P.rows : 0);

  *fits = false;
  if (kind.symmetrize) std::copy(P.ptr, P.ptr + P.rows, next.begin());
  for (PetscInt i = 0; i < P.rows; i++) {
    Scalar sum = 0;

    for (PetscInt k = P.ptr[i]; k < P.ptr[i + 1]; k++) {
      const PetscInt j = P.col[k];

      g[k] = value_of(kind, a[k]);
      if (kind.symmetrize) {
        const PetscInt t = next[j]++;

        if (t >= P.ptr[j + 1] || P.col[t] != i) return;
        g[k] += value_of(kind, a[t]);
      }
      if (j == i) sum += g[k];
    }
    diagonal[i] = sum;
  }
  *fits = true;
}

/* As VecReciprocal() and VecSqrtAbs() of the diagonal, and MatDiagonalScale() on both sides */
void scale_diagonal(const Csr &P, Scalar *g, Scalar *diagonal)
{
  for (PetscInt i = 0; i < P.rows; i++) diagonal[i] = diagonal[i] != Scalar(0) ? std::sqrt(std::fabs(Scalar(1) / diagonal[i])) : Scalar(0);
  for (PetscInt i = 0; i < P.rows; i++)
    for (PetscInt k = P.ptr[i]; k < P.ptr[i + 1]; k++) g[k] = g[k] * diagonal[i] * diagonal[P.col[k]];
}

/* G: a matrix with the pattern of A, or null if this does not apply to A */
PetscErrorCode Graph(Mat A, const GraphKind &kind, Mat *G)
{
  Csr                 P;
  const PetscScalar  *a;
  PetscScalar        *g;
  bool                fits;
  std::vector<Scalar> diagonal;

  PetscFunctionBegin;
  PetscCall(PatternOf(A, &P));
  diagonal.resize(P.rows);
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, G));
  PetscCall(MatSeqAIJGetArrayRead(A, &a));
  PetscCall(MatSeqAIJGetArrayWrite(*G, &g));
  add_transpose(P, kind, a, g, diagonal.data(), &fits);
  if (fits && kind.scale) scale_diagonal(P, g, diagonal.data());
  PetscCall(MatSeqAIJRestoreArrayWrite(*G, &g));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &a));
  if (!fits) PetscCall(MatDestroy(G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatCreateGraph_Derived(Mat A, PetscBool symmetrize, PetscBool scale, PetscReal filter, PetscInt num_idx, PetscInt index[], Mat *G)
{
  DerivedMat     *m;
  PetscBool       known, symmetric;
  const GraphKind kind = {scale || filter >= 0, false, (bool)scale};

  PetscFunctionBegin;
  *G = NULL;
  PetscCall(DerivedGet(A, &m));
  PetscCall(DerivedSync(A, m));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  if (!m->mpi && A->rmap->bs == 1 && A->cmap->bs == 1 && A->rmap->n == A->cmap->n && A->assembled && !A->structure_only && (symmetrize || scale || filter >= 0))
    PetscCall(Graph(A, {kind.absolute, symmetrize && !(known && symmetric), kind.scale}, G));
  if (!*G) {
    PetscCall((*m->base.creategraph)(A, symmetrize, scale, filter, num_idx, index, G));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (symmetrize) PetscCall(MatSetOption(*G, MAT_SYMMETRIC, PETSC_TRUE));
  else PetscCall(MatPropagateSymmetryOptions(A, *G));
  PetscCall(MatViewFromOptions(*G, NULL, "-mat_graph_view"));
  if (filter >= 0) {
    PetscCall(MatFilter(*G, filter, PETSC_TRUE, PETSC_TRUE));
    PetscCall(MatViewFromOptions(*G, NULL, "-mat_filter_graph_view"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
