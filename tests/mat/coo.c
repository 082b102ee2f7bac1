static char help[] =
  "Assembly from coordinates: orders, duplicates, ignored and off-rank entries, insert and add, duplicates of the matrix, local numbers, against AIJ.\n";

#include "common/coo.h"
#include "common/loop.h"

static const char *const steps[] = {"first", "added", "inserted again", "added twice", "inserted after the host changed it"};

/* Values of A by coordinates and the same of R in one of those steps; S has the problem q, which differs from p in its values */
static PetscErrorCode Values(const Problem *p, const Problem *q, Coo *c, int step, Mat A, Mat R, Mat S, const char text[])
{
  PetscFunctionBeginUser;
  switch (step) {
  case 0:
    PetscCall(CooSet(p, c, 1.0, INSERT_VALUES, A));
    break;
  case 1:
    PetscCall(CooSet(q, c, -2.0, ADD_VALUES, A));
    PetscCall(MatAXPY(R, -2.0, S, SAME_NONZERO_PATTERN));
    break;
  case 2:
    PetscCall(CooSet(q, c, 0.5, INSERT_VALUES, A));
    PetscCall(MatAXPY(R, -1.0, R, SAME_NONZERO_PATTERN));
    PetscCall(MatAXPY(R, 0.5, S, SAME_NONZERO_PATTERN));
    break;
  case 3:
    PetscCall(CooSet(q, c, 0.25, ADD_VALUES, A));
    PetscCall(CooSet(q, c, 0.25, ADD_VALUES, A));
    PetscCall(MatAXPY(R, 0.5, S, SAME_NONZERO_PATTERN));
    break;
  case 4:
    PetscCall(MatScale(A, 2.0));
    PetscCall(MatScale(R, 2.0));
    PetscCall(CheckRows(A, R, CHECK_TOLERANCE, text));
    PetscCall(CooSet(p, c, 1.0, INSERT_VALUES, A));
    PetscCall(ProblemFill(p, R));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Order(const Problem *p, Mat R, CooOrder order, PetscBool device)
{
  Problem q = *p;
  Mat     A, D, S;
  Coo     c;

  PetscFunctionBeginUser;
  q.seed += 60;
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, &A));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, &q, MATAIJ, &S));
  PetscCall(CooCreate(p, R, order, device, &c));
  PetscCall(MatSetPreallocationCOO(A, c.n, c.i, c.j));
  for (int step = 0; step < 5; step++) {
    const char *const text = CheckText("COO order %s, %s", CooOrders[order], steps[step]);
    PetscCall(Values(p, &q, &c, step, A, R, S, text));
    PetscCall(CheckMat(A, R, text));
  }
  PetscCall(MatDuplicate(A, MAT_DO_NOT_COPY_VALUES, &D));
  PetscCall(CooSet(&q, &c, 1.0, INSERT_VALUES, D));
  PetscCall(ProblemFill(&q, S));
  PetscCall(CheckMat(D, S, CheckText("COO order %s, into a duplicate", CooOrders[order])));
  PetscCall(CheckMat(A, R, "COO, the original after its duplicate was set"));
  PetscCall(CheckSameType(D, A, "COO, type of the duplicate"));
  PetscCall(MatSetValuesCOO(A, NULL, INSERT_VALUES));
  PetscCall(MatZeroEntries(R));
  PetscCall(CheckMat(A, R, "COO without values"));
  PetscCall(ProblemFill(p, R));
  PetscCall(CooDestroy(&c));
  PetscCall(CheckDestroy(&A, &D, &S));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local number l of every rank stands for the global number n - 1 - l */
static PetscErrorCode Backwards(PetscInt n, ISLocalToGlobalMapping *map)
{
  PetscInt *globals;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(n, &globals));
  for (PetscInt l = 0; l < n; l++) globals[l] = n - 1 - l;
  PetscCall(ISLocalToGlobalMappingCreate(PETSC_COMM_WORLD, 1, n, globals, PETSC_OWN_POINTER, map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MatSetPreallocationCOOLocal(): the same list in local numbers, where negative ones are ignored as before */
static PetscErrorCode Local(const Problem *p, Mat R, CooOrder order, PetscBool device)
{
  const PetscInt         m = ProblemRows(p), n = ProblemCols(p);
  ISLocalToGlobalMapping rows, cols;
  Mat                    A;
  Coo                    c;

  PetscFunctionBeginUser;
  PetscCall(Backwards(m, &rows));
  PetscCall(Backwards(n, &cols));
  PetscCall(ProblemCreateEmpty(PETSC_COMM_WORLD, p, NULL, &A));
  PetscCall(MatSetLocalToGlobalMapping(A, rows, cols));
  PetscCall(CooCreate(p, R, order, device, &c));
  for (PetscInt k = 0; k < c.n; k++) {
    if (c.i[k] >= 0) c.i[k] = m - 1 - c.i[k];
    if (c.j[k] >= 0) c.j[k] = n - 1 - c.j[k];
  }
  PetscCall(MatSetPreallocationCOOLocal(A, c.n, c.i, c.j));
  const char *const text = CheckText("COO order %s, local numbers", CooOrders[order]);
  PetscCall(CooSet(p, &c, 1.0, INSERT_VALUES, A));
  PetscCall(CheckMat(A, R, text));
  PetscCall(CooSet(p, &c, 2.0, ADD_VALUES, A));
  PetscCall(MatScale(R, 3.0));
  PetscCall(CheckMat(A, R, text));
  PetscCall(ProblemFill(p, R));
  PetscCall(ISLocalToGlobalMappingDestroy(&rows));
  PetscCall(ISLocalToGlobalMappingDestroy(&cols));
  PetscCall(CooDestroy(&c));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coordinates(const Problem *p, Mat A, Mat R)
{
  PetscBool device = CheckOption("-device_values"), local = CheckOption("-local");

  PetscFunctionBeginUser;
  (void)A;
  for (int order = COO_ROWS; order <= COO_MIXED; order++) PetscCall((local ? Local : Order)(p, R, (CooOrder)order, device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

CHECK_MAIN(CHECK_ALL, Coordinates, "coo")

/*TEST
  testset:
    nsize: {{1 2}}
    args: -bs 1,3,8
    output_file: output/coo.out
    test:
      suffix: 1
    test:
      suffix: sellp
      comments: quick
      args: -mat_type sellp
    test:
      suffix: host_values_cuda
      requires: cuda
      args: -expect_cuda
    test:
      suffix: cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

  testset:
    nsize: 4
    args: -bs 4,17 -pattern gh,wells,arrow
    output_file: output/coo_4.out
    test:
      suffix: 4
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: 4_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values

  test:
    suffix: cuda_small
    requires: cuda
    args: -mat_type {{bdiagh sellp}} -bs 3 -pattern wells,holes -expect_cuda -device_values

  # MatSetPreallocationCOOLocal()
  testset:
    nsize: {{1 2}}
    args: -local -bs 1,3,8
    output_file: output/coo_local.out
    test:
      suffix: local
      args: -mat_type {{bdiagh sellp}}
    test:
      suffix: local_cuda
      requires: cuda
      args: -mat_type {{bdiagh sellp}} -expect_cuda -device_values
TEST*/
