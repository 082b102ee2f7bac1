#include "problem.h"

#define PROBLEM_J 4 /* the grid of the gh patterns is 4 x 3 x cells/12 */
#define PROBLEM_H 3

PetscInt ProblemRows(const Problem *p)
{
  return p->rows * p->bs + p->ragged;
}

PetscInt ProblemCols(const Problem *p)
{
  return p->cols * p->bs + p->ragged;
}

unsigned int ProblemHash(PetscInt seed, PetscInt i, PetscInt j)
{
  unsigned int h = (unsigned int)seed * 2654435761u ^ (unsigned int)i * 2246822519u ^ (unsigned int)j * 3266489917u;

  h = (h ^ (h >> 15)) * 2246822519u;
  h = (h ^ (h >> 13)) * 3266489917u;
  return h ^ (h >> 16);
}

PetscScalar ProblemValue(const Problem *p, PetscInt i, PetscInt j)
{
  const PetscInt r = p->symmetric ? PetscMin(i, j) : i, c = p->symmetric ? PetscMax(i, j) : j;

  return (PetscScalar)((PetscReal)ProblemHash(p->seed, r, c) / 2147483648.0 - 1.0 + (i == j ? p->diagonal : 0.0));
}

PetscBool ProblemIs(const Problem *p, const char name[])
{
  PetscBool same = PETSC_FALSE;

  PetscCallAbort(PETSC_COMM_SELF, PetscStrcmp(p->pattern, name, &same));
  return same;
}

/* Whether cells c and d are the same or share a face */
static PetscBool ProblemNeighbours(PetscInt c, PetscInt d)
{
  const PetscInt dj = c % PROBLEM_J - d % PROBLEM_J, dh = c / PROBLEM_J % PROBLEM_H - d / PROBLEM_J % PROBLEM_H;
  const PetscInt di = c / (PROBLEM_J * PROBLEM_H) - d / (PROBLEM_J * PROBLEM_H);

  return (PetscBool)(dj * dj + dh * dh + di * di <= 1);
}

static PetscBool ProblemInactive(PetscInt c)
{
  return (PetscBool)(c % 4 == 1);
}

/* The length of row i of the patterns long and long_gaps, of up to 5001 columns */
static PetscInt ProblemLength(const Problem *p, PetscInt i)
{
  const PetscInt length[] = {2049, 3, 2047, 2048, 4095, 1, 4096, 4097, 5001, 1024, 1025, 2};

  return ProblemIs(p, "long_gaps") && i % 5 == 3 ? 0 : length[i % 12];
}

PetscBool ProblemEntry(const Problem *p, PetscInt i, PetscInt j, PetscInt c, PetscInt d)
{
  const PetscInt o = j - i;

  if (ProblemIs(p, "gh")) return ProblemNeighbours(c, d);
  if (ProblemIs(p, "holes")) return (PetscBool)(ProblemNeighbours(c, d) && (i == j || ProblemHash(5, PetscMin(i, j), PetscMax(i, j)) % 3));
  if (ProblemIs(p, "inactive")) return (PetscBool)(ProblemInactive(c) || ProblemInactive(d) ? i == j : ProblemNeighbours(c, d));
  if (ProblemIs(p, "wells")) return (PetscBool)(ProblemNeighbours(c, d) || (PetscMin(c, d) == 0 && PetscMax(c, d) % 7 == 3));
  if (ProblemIs(p, "banded")) return (PetscBool)(o == -7 || o == -1 || o == 0 || o == 2 || o == 5);
  if (ProblemIs(p, "shifted")) return (PetscBool)(d - c == 1 || d - c == 4 || d - c == -3);
  if (ProblemIs(p, "random")) return (PetscBool)(i == j || ProblemHash(9, i, j) % 100 < 8);
  if (ProblemIs(p, "diagonal")) return (PetscBool)(i == j);
  if (ProblemIs(p, "arrow")) return (PetscBool)(i == j || i == 0 || j == 0);
  if (ProblemIs(p, "rectangle")) return (PetscBool)(d - c == -2 || d - c == 0 || d - c == 3);
  /* each residue once: 7 must not divide the columns */
  if (ProblemIs(p, "long") || ProblemIs(p, "long_gaps")) return (PetscBool)((i * i * 31 + j * 7) % (p->cols * p->bs) < ProblemLength(p, i));
  return PETSC_FALSE; /* "empty" */
}

PetscInt ProblemRow(const Problem *p, PetscInt i, PetscInt cols[])
{
  const PetscInt celled = p->rows * p->bs, n = p->cols * p->bs;
  PetscInt       count = 0;

  if (i >= celled) {
    if (!ProblemIs(p, "empty")) cols[count++] = n + i - celled;
    return count;
  }
  for (PetscInt j = 0; j < n; j++)
    if (ProblemEntry(p, i, j, i / p->bs, j / p->bs)) cols[count++] = j;
  return count;
}

PetscErrorCode ProblemFill(const Problem *p, Mat A)
{
  PetscInt     lo, hi, *cols;
  PetscScalar *values;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(PetscMalloc2(ProblemCols(p), &cols, ProblemCols(p), &values));
  for (PetscInt i = lo; i < hi; i++) {
    const PetscInt n = ProblemRow(p, i, cols);

    for (PetscInt k = 0; k < n; k++) values[k] = ProblemValue(p, i, cols[k]);
    PetscCall(MatSetValues(A, 1, &i, n, cols, values, INSERT_VALUES));
  }
  PetscCall(PetscFree2(cols, values));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProblemLocalSize(MPI_Comm comm, const Problem *p, PetscInt cells, PetscInt *m)
{
  PetscMPIInt size, rank;
  PetscInt    mine = PETSC_DECIDE;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (p->split == 0 || size == 1) PetscCall(PetscSplitOwnership(comm, &mine, &cells));
  else if (p->split == 1) mine = rank ? cells / (size - 1) + (rank - 1 < cells % (size - 1)) : 0;
  else mine = rank == size - 1 ? cells : 0;
  *m = mine * p->bs + (rank == size - 1 ? p->ragged : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProblemCreateEmpty(MPI_Comm comm, const Problem *p, const char type[], Mat *A)
{
  PetscInt  m = 0, n = 0;
  PetscBool given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_type", &given));
  PetscCall(ProblemLocalSize(comm, p, p->rows, &m));
  PetscCall(ProblemLocalSize(comm, p, p->cols, &n));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, m, n, ProblemRows(p), ProblemCols(p)));
  if (!p->ragged) PetscCall(MatSetBlockSize(*A, p->bs));
  if (type || !given) PetscCall(MatSetType(*A, type ? type : "bdiagh"));
  if (!type) PetscCall(MatSetFromOptions(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ProblemCreate(MPI_Comm comm, const Problem *p, const char type[], Mat *A)
{
  PetscInt longest = 0, *cols;

  PetscFunctionBeginUser;
  PetscCall(ProblemCreateEmpty(comm, p, type, A));
  PetscCall(PetscMalloc1(ProblemCols(p), &cols));
  for (PetscInt i = 0; i < ProblemRows(p); i++) longest = PetscMax(longest, ProblemRow(p, i, cols));
  PetscCall(PetscFree(cols));
  PetscCall(MatSeqAIJSetPreallocation(*A, longest, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, longest, NULL, longest, NULL));
  PetscCall(ProblemFill(p, *A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
