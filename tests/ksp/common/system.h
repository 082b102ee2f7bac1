/*
   Linear systems for the solver tests: a seven-point grid of cells with full blocks, by name and seed. An entry depends on its global
   indices and the seed alone, so they are the same on any number of ranks, in any matrix type, and in the product that the tests do by
   themselves. Knows nothing of solvers.
*/
#pragma once

#include "../../mat/common/check.h"

/* kind: grid, apart (in a line the next cells but one are coupled), alternating (diagonal of both signs), singular (constant
   null space), partial, or for a breakdown: SystemRow(), SystemBlock() */
typedef struct {
  const char *kind;
  PetscInt    cells, bs; /* bs unknowns a cell */
  PetscInt    split;     /* cells over the ranks: 0 evenly, 1 the first rank has none, 2 the last rank has all */
  PetscInt    seed;
  PetscBool   symmetric;
  PetscInt    open;  /* planes are not coupled from this cell on, 0: all are; another pattern of the same size */
  PetscInt    wells; /* vertical wells, whose cells are all coupled with each other */
  PetscInt    hub;   /* the first, the middle and the last cell are coupled with so many others */
  PetscInt    plane; /* cells of a plane, whole lines of SYSTEM_J; 0: SYSTEM_PLANE */
} System;

#define SYSTEM_J     5 /* cells in a line */
#define SYSTEM_PLANE 20
#define SYSTEM_MAX   (7 * 32 + 2500) /* entries of a row; 7 * 32 of them without wells and hubs */

PetscInt  SystemPlane(const System *s);
PetscInt  SystemRows(const System *s);
PetscBool SystemIs(const System *s, const char kind[]);

/* A number in [0, 1) of (i, j) and the seed */
PetscReal SystemNumber(const System *s, PetscInt i, PetscInt j);

/* A matrix that consists of the same small block again and again. Small integers, so that with a right-hand side of ones every sum is exact and methods meet zeros
   exactly where the algebra does. NULL: not of this kind. */
const PetscReal *SystemBlock(const System *s);

/* Row i: columns ascending, values; the number of entries. A row's diagonal exceeds the sum of the others by a tenth, so that systems are of
   modest condition, and a scaling from both sides gives Jacobi something to do. Of kind partial, cells are coupled through their first unknowns alone. */
PetscInt       SystemRow(const System *s, PetscInt i, PetscInt cols[], PetscScalar vals[]);
PetscErrorCode SystemFill(const System *s, Mat A);

/* The assembled matrix: -mat_type, by default bdiagh. With -expect_cuda it must give CUDA vectors. */
PetscErrorCode SystemCreate(MPI_Comm comm, const System *s, Mat *A);

/* The same matrix in PETSc's aij, for reference */
PetscErrorCode SystemReference(MPI_Comm comm, const System *s, Mat *R);

/* Comparisons from here on have to fail; nothing of that is printed */
void RejectBegin(PetscInt before[2]);

/* One of them has failed; they are forgotten */
PetscErrorCode RejectEnd(const PetscInt before[2], const char what[]);
