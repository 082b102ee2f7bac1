/* Three-dimensional linear elasticity with trilinear elements on a cube: about 81 entries per row, blocks of three. */
#include "solve_matrix.h"

#define NODES 8
#define SIZE  (3 * NODES)

static const double young = 1, poisson = 0.3;

/* Derivatives of the shape function of node k at (x, y, z) in [0, 1]^3 */
static void ShapeDerivatives(int k, const double at[3], double d[3])
{
  const int bit[3] = {k & 1, k >> 1 & 1, k >> 2 & 1};

  for (int i = 0; i < 3; i++) {
    d[i] = bit[i] ? 1 : -1;
    for (int j = 0; j < 3; j++)
      if (j != i) d[i] *= bit[j] ? at[j] : 1 - at[j];
  }
}

/* K(3 a + i, 3 b + j): what a unit displacement of node b in direction j exerts on node a in direction i; an element of edge 1, 2 x 2 x 2 Gauss points */
static void ElementStiffness(PetscScalar K[SIZE * SIZE])
{
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
  const double gauss[2] = {0.5 - 0.5 / PetscSqrtReal(3.0), 0.5 + 0.5 / PetscSqrtReal(3.0)};

  for (int k = 0; k < SIZE * SIZE; k++) K[k] = 0;
  for (int point = 0; point < NODES; point++) {
    const double at[3] = {gauss[point & 1], gauss[point >> 1 & 1], gauss[point >> 2 & 1]};

    for (int a = 0; a < NODES; a++) {
      double da[3];

      ShapeDerivatives(a, at, da);
      for (int b = 0; b < NODES; b++) {
        double db[3], dot = 0;

        ShapeDerivatives(b, at, db);
        for (int i = 0; i < 3; i++) dot += da[i] * db[i];
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) K[(3 * a + i) * SIZE + 3 * b + j] += (lambda * da[i] * db[j] + mu * da[j] * db[i] + (i == j ? mu * dot : 0)) / 8;
      }
    }
  }
}

PetscErrorCode MatrixElasticity(MPI_Comm comm, PetscInt n, Mat *A)
{
  const PetscInt nodes = n * n * n, e = n - 1, elements = e * e * e;
  PetscInt       mine = PETSC_DECIDE, all = elements, last, clamped = 0, lo, hi, *rows;
  PetscScalar    K[SIZE * SIZE];

  PetscFunctionBeginUser;
  PetscCheck(n >= 2, comm, PETSC_ERR_USER_INPUT, "-n %" PetscInt_FMT ": elasticity needs at least 2 nodes in each direction", n);
  ElementStiffness(K);
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, 3 * nodes, 3 * nodes));
  PetscCall(MatSetBlockSize(*A, 3));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSeqAIJSetPreallocation(*A, 81, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 81, NULL, 54, NULL));
  PetscCall(MatSetUp(*A));
  PetscCall(PetscSplitOwnership(comm, &mine, &all));
  PetscCallMPI(MPI_Scan(&mine, &last, 1, MPIU_INT, MPI_SUM, comm));
  for (PetscInt element = last - mine; element < last; element++) {
    const PetscInt at[3] = {element % e, element / e % e, element / e / e};
    PetscInt       node[NODES];

    for (int k = 0; k < NODES; k++) node[k] = ((at[2] + (k >> 2 & 1)) * n + at[1] + (k >> 1 & 1)) * n + at[0] + (k & 1);
    PetscCall(MatSetValuesBlocked(*A, NODES, node, NODES, node, K, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatGetOwnershipRange(*A, &lo, &hi));
  PetscCall(PetscMalloc1(hi - lo, &rows));
  for (PetscInt row = lo; row < hi; row++)
    if (row / 3 % n == 0) rows[clamped++] = row;
  PetscCall(MatZeroRowsColumns(*A, clamped, rows, young, NULL, NULL));
  PetscCall(PetscFree(rows));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
