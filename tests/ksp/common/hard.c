#include "hard.h"
#include "../../mat/common/check_device.h"

PetscErrorCode HardWhere(const char what[])
{
  return CheckWhere("%s%s: %s", compare_type, compare_mode, what);
}

static PetscErrorCode HardMat(PetscInt n, PetscInt bs, PetscInt most, Mat *A)
{
  PetscBool given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_type", &given));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n, n));
  PetscCall(MatSetBlockSize(*A, bs));
  if (!given) PetscCall(MatSetType(*A, "bdiagh"));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, most, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, most, NULL, most, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the process that has the row */
static PetscErrorCode HardSet(Mat A, PetscInt i, PetscInt j, PetscScalar v, InsertMode mode)
{
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  if (i >= lo && i < hi) PetscCall(MatSetValue(A, i, j, v, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HardEnd(Mat A)
{
  PetscFunctionBeginUser;
  PetscCall(CheckAssemble(A));
  PetscCall(CheckDevice(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HardRhs(Mat A, Vec *b)
{
  const System       s = {.kind = "x", .seed = 11};
  const PetscInt    *j;
  const PetscScalar *v;
  PetscInt           lo, hi, m;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, NULL, b));
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    Long sum = 0;

    PetscCall(MatGetRow(A, i, &m, &j, &v));
    for (PetscInt k = 0; k < m; k++) sum += (Long)v[k] * (Long)(0.5 + 0.5 * SystemNumber(&s, j[k], j[k]));
    PetscCall(MatRestoreRow(A, i, &m, &j, &v));
    PetscCall(VecSetValue(*b, i, (PetscScalar)sum, INSERT_VALUES));
  }
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* a[n][n] between two reflections H = 1 - 2 u u^T / (u, u), in long double; both sides by the same one: a symmetric matrix stays one */
static void HardReflect(Long *a, PetscInt n, PetscInt seed, PetscBool left, PetscBool right)
{
  const System s = {.kind = "reflection", .seed = seed};
  Long         u[64], squares = 0;

  for (PetscInt i = 0; i < n; i++) {
    u[i] = SystemNumber(&s, i, i) - 0.5;
    squares += u[i] * u[i];
  }
  for (int side = 0; side < 2; side++) {
    if (!(side ? right : left)) continue;
    for (PetscInt i = 0; i < n; i++) {
      Long dot = 0;

      for (PetscInt k = 0; k < n; k++) dot += u[k] * (side ? a[i * n + k] : a[k * n + i]);
      for (PetscInt k = 0; k < n; k++) *(side ? &a[i * n + k] : &a[k * n + i]) -= 2 * dot * u[k] / squares;
    }
  }
}

PetscErrorCode HardDense(PetscInt n, PetscReal condition, Mat *A)
{
  Long a[64 * 64];

  PetscFunctionBeginUser;
  for (PetscInt i = 0; i < n * n; i++) a[i] = 0;
  for (PetscInt i = 0; i < n; i++) a[i * n + i] = powl(condition, -(Long)i / (n - 1));
  for (PetscInt seed = 1; seed <= 3; seed++) HardReflect(a, n, seed, PETSC_TRUE, PETSC_TRUE);
  PetscCall(HardMat(n, 1, n, A));
  for (PetscInt i = 0; i < n; i++)
    for (PetscInt k = 0; k < n; k++) PetscCall(HardSet(*A, i, k, (PetscScalar)a[i >= k ? i * n + k : k * n + i], INSERT_VALUES));
  PetscCall(HardEnd(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HardBlocks(PetscInt cells, PetscInt bs, PetscReal condition, Mat *A)
{
  const System s = {.kind = "grid", .cells = cells, .bs = bs, .seed = 5};
  PetscInt     cols[SYSTEM_MAX], n = 0;
  PetscScalar  vals[SYSTEM_MAX];
  Long         t[64 * 64];

  PetscFunctionBeginUser;
  PetscCall(HardMat(SystemRows(&s), bs, 7 * bs, A));
  for (PetscInt c = 0; c < cells; c++) {
    for (PetscInt i = 0; i < bs * bs; i++) t[i] = 0;
    for (PetscInt i = 0; i < bs; i++) t[i * bs + i] = powl(condition, -(Long)i / (bs - 1));
    HardReflect(t, bs, 1 + c, PETSC_TRUE, PETSC_FALSE);
    HardReflect(t, bs, 1000 + c, PETSC_FALSE, PETSC_TRUE);
    for (PetscInt i = 0; i < bs; i++) { /* the rows of a cell have the same columns */
      Long sum[SYSTEM_MAX] = {0};

      for (PetscInt k = 0; k < bs; k++) {
        n = SystemRow(&s, c * bs + k, cols, vals);
        for (PetscInt e = 0; e < n; e++) sum[e] += t[i * bs + k] * (Long)vals[e];
      }
      for (PetscInt e = 0; e < n; e++) PetscCall(HardSet(*A, c * bs + i, cols[e], (PetscScalar)sum[e], INSERT_VALUES));
    }
  }
  PetscCall(HardEnd(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HardFrame(PetscInt n, PetscReal stretch, PetscReal most, Mat *A)
{
  const System s = {.kind = "frame", .seed = 7, .symmetric = PETSC_TRUE};

  PetscFunctionBeginUser;
  PetscCall(HardMat(3 * n * n * n, 3, 81, A));
  for (PetscInt c = 0; c < n * n * n; c++) {
    for (PetscInt q = 0; q < 3; q++) PetscCall(HardSet(*A, 3 * c + q, 3 * c + q, 1e-3, ADD_VALUES));
    for (PetscInt k = 14; k < 27; k++) { /* each pair once */
      const PetscInt  step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1}, to[3] = {c % n + step[0], c / n % n + step[1], c / n / n + step[2]};
      const PetscInt  d    = to[0] + n * (to[1] + n * to[2]);
      const PetscReal x[3] = {(PetscReal)step[0] * stretch, (PetscReal)step[1], (PetscReal)step[2]}, length = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
      const PetscReal e = PetscPowReal(most, SystemNumber(&s, c, d)) / length;

      if (to[0] < 0 || to[0] >= n || to[1] < 0 || to[1] >= n || to[2] < 0 || to[2] >= n) continue;
      for (PetscInt i = 0; i < 3; i++)
        for (PetscInt j = 0; j < 3; j++) {
          const PetscScalar v = e * x[i] * x[j] / length;

          PetscCall(HardSet(*A, 3 * c + i, 3 * c + j, v, ADD_VALUES));
          PetscCall(HardSet(*A, 3 * d + i, 3 * d + j, v, ADD_VALUES));
          PetscCall(HardSet(*A, 3 * c + i, 3 * d + j, -v, ADD_VALUES));
          PetscCall(HardSet(*A, 3 * d + i, 3 * c + j, -v, ADD_VALUES));
        }
    }
  }
  PetscCall(HardEnd(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
