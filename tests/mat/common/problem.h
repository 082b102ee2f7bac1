/*
   Matrices for the tests: a pattern by name, cells, block size and seed. An entry depends on its global indices and the seed alone, so the
   type under test and the AIJ reference, on any number of ranks, are the same matrix. Knows nothing of what is checked.
*/
#pragma once

#include <petscmat.h>

typedef struct {
  const char *pattern;
  PetscInt    bs;         /* rows and columns of a cell */
  PetscInt    rows, cols; /* cells */
  PetscInt    ragged;     /* scalar rows and columns after the last cell; the matrix then has block size 1 */
  PetscInt    split;      /* rows over the ranks: 0 evenly, 1 the first rank has none, 2 the last rank has all */
  PetscInt    seed;
  PetscBool   symmetric;
  PetscReal   diagonal; /* added to A(i,i) */
} Problem;

PetscInt ProblemRows(const Problem *p);
PetscInt ProblemCols(const Problem *p);

/* A hash of (seed, i, j), evenly spread */
unsigned int ProblemHash(PetscInt seed, PetscInt i, PetscInt j);

/* The value of entry (i, j), in [-1, 1] but for the diagonal */
PetscScalar ProblemValue(const Problem *p, PetscInt i, PetscInt j);

PetscBool ProblemIs(const Problem *p, const char name[]);

/* Whether the pattern has entry (i, j) of the cells' part; (c, d) are its cells */
PetscBool ProblemEntry(const Problem *p, PetscInt i, PetscInt j, PetscInt c, PetscInt d);

/* The columns of row i, ascending */
PetscInt ProblemRow(const Problem *p, PetscInt i, PetscInt cols[]);

/* Sets every entry that this rank owns */
PetscErrorCode ProblemFill(const Problem *p, Mat A);

/* How many of n cells and of the ragged end this rank has */
PetscErrorCode ProblemLocalSize(MPI_Comm comm, const Problem *p, PetscInt cells, PetscInt *m);

/* An unassembled matrix of the problem's sizes without preallocation; type NULL: the type under test, -mat_type and by default bdiagh */
PetscErrorCode ProblemCreateEmpty(MPI_Comm comm, const Problem *p, const char type[], Mat *A);

/* The assembled matrix */
PetscErrorCode ProblemCreate(MPI_Comm comm, const Problem *p, const char type[], Mat *A);
