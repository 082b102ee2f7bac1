/*
   The system of one component of the unknowns of a cell (constrained pressure residual), from the entries of the rows: weights by the column sums of blocks, and the matrix.
*/
#pragma once

#include "grid.h"

/* Row c of the inverse of the sum of all blocks in the columns of a cell, scaled to largest size 1 */
static inline void Weights(PetscInt bs, PetscInt c, const PetscReal S[], PetscReal w[])
{
  PetscReal T[8][9], most = 0; /* S^T w = e_c */

  for (PetscInt i = 0; i < bs; i++) {
    for (PetscInt j = 0; j < bs; j++) T[i][j] = S[j * bs + i];
    T[i][bs] = i == c;
  }
  for (PetscInt k = 0; k < bs; k++) {
    PetscInt p = k;

    for (PetscInt i = k + 1; i < bs; i++)
      if (PetscAbsReal(T[i][k]) > PetscAbsReal(T[p][k])) p = i;
    for (PetscInt j = 0; j <= bs; j++) {
      const PetscReal t = T[k][j];

      T[k][j] = T[p][j];
      T[p][j] = t;
    }
    for (PetscInt i = 0; i < bs; i++) {
      const PetscReal f = T[i][k] / T[k][k];

      for (PetscInt j = k; i != k && j <= bs; j++) T[i][j] -= f * T[k][j];
    }
  }
  for (PetscInt i = 0; i < bs; i++) most = PetscMax(most, PetscAbsReal(w[i] = T[i][bs] / T[i][i]));
  for (PetscInt i = 0; i < bs; i++) w[i] /= most;
}

/* w of all cells */
static inline PetscErrorCode AllWeights(const Grid *g, PetscInt c, PetscReal w[])
{
  const PetscInt bs = g->bs, cells = GridCells(g);
  PetscInt       cols[GRID_MAX];
  PetscScalar    vals[GRID_MAX];
  PetscReal     *S;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(cells * bs * bs, &S));
  for (PetscInt i = 0; i < cells * bs; i++) {
    const PetscInt m = GridRow(g, i, cols, vals);

    for (PetscInt k = 0; k < m; k++) S[(cols[k] / bs * bs + i % bs) * bs + cols[k] % bs] += PetscRealPart(vals[k]);
  }
  for (PetscInt cell = 0; cell < cells; cell++) Weights(bs, c, S + cell * bs * bs, w + cell * bs);
  PetscCall(PetscFree(S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix of the component */
static inline PetscErrorCode Component(const Grid *g, PetscInt c, const PetscReal w[], Mat *P)
{
  const PetscInt bs = g->bs, cells = GridCells(g);
  PetscInt       cols[GRID_MAX];
  PetscScalar    vals[GRID_MAX];

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_SELF, P));
  PetscCall(MatSetSizes(*P, cells, cells, cells, cells));
  PetscCall(MatSetType(*P, "bdiagh"));
  PetscCall(MatSetUp(*P));
  for (PetscInt i = 0; i < cells * bs; i++) {
    const PetscInt m = GridRow(g, i, cols, vals);

    for (PetscInt k = 0; k < m; k++)
      if (cols[k] % bs == c) PetscCall(MatSetValue(*P, i / bs, cols[k] / bs, w[i] * vals[k], ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}
