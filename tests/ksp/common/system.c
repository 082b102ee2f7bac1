#include "system.h"
#include "../../mat/common/check_device.h"
#include "../../mat/common/problem.h"

PetscInt SystemPlane(const System *s)
{
  return s->plane ? s->plane : SYSTEM_PLANE;
}

PetscInt SystemRows(const System *s)
{
  return s->cells * s->bs;
}

PetscBool SystemIs(const System *s, const char kind[])
{
  PetscBool same = PETSC_FALSE;

  PetscCallAbort(PETSC_COMM_SELF, PetscStrcmp(s->kind, kind, &same));
  return same;
}

PetscReal SystemNumber(const System *s, PetscInt i, PetscInt j)
{
  const PetscBool turn = (PetscBool)(s->symmetric && i > j);

  return (PetscReal)(ProblemHash(s->seed, turn ? j : i, turn ? i : j) >> 8) / 16777216.0;
}

const PetscReal *SystemBlock(const System *s)
{
  static const struct {
    const char *kind;
    PetscReal   block[4][4];
  } blocks[] = {
    {"powers",     {{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 4, 0}, {0, 0, 0, 1}}     }, /* with Jacobi every method ends after one iteration with a residual of zero */
    {"skew",       {{0, 2, 0, 0}, {-2, 0, 0, 0}, {0, 0, 0, 2}, {0, 0, -2, 0}}   }, /* (r, A r) = 0 */
    {"nilpotent",  {{1, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 1, 1}, {0, 0, 0, 0}}     }, /* BiCGStab's second product gives zero; a pivot is zero */
    {"signs",      {{1, 0, 0, 0}, {0, -1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, -1}}   }, /* with Jacobi (r, z) = 0 */
    {"orthogonal", {{1, 0, 2, -1}, {-1, -1, 0, 1}, {2, 0, 0, -1}, {0, 1, 2, -1}}}, /* the residual after an iteration of BiCGStab is orthogonal to the first */
    {"stagnating", {{1, 0, 2, 0}, {0, 0, 2, 0}, {-1, 2, 1, 0}, {1, 0, 0, 0}}    }, /* BiCGStab's omega is zero */
  };

  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(blocks); k++)
    if (SystemIs(s, blocks[k].kind)) return &blocks[k].block[0][0];
  return NULL;
}

/* Whether a well perforates the cell: at most 120 planes, evenly spread */
static PetscBool SystemPerforated(const System *s, PetscInt well, PetscInt c)
{
  const PetscInt plane = SystemPlane(s), skip = PetscMax(1, s->cells / plane / 60);

  return (PetscBool)(c % plane == (7 * well + 3) % plane && c / plane % skip == 0);
}

/* Cells that wells and hubs couple to cell c, itself included, in cells[n..]; the new n */
static PetscInt SystemCoupled(const System *s, PetscInt c, PetscInt cells[], PetscInt n)
{
  const PetscInt plane = SystemPlane(s), hubs[3] = {0, s->cells / 2, s->cells - 1}, step = s->hub ? PetscMax(1, s->cells / s->hub) : 1;

  for (PetscInt w = 0; w < s->wells; w++)
    if (SystemPerforated(s, w, c))
      for (PetscInt d = c % plane; d < s->cells; d += plane)
        if (SystemPerforated(s, w, d)) cells[n++] = d;
  for (PetscInt h = 0; h < 3 && s->hub; h++) {
    if (c == hubs[h])
      for (PetscInt k = 0; k < s->hub && k * step < s->cells; k++) cells[n++] = k * step;
    else if (c % step == 0 && c / step < s->hub) cells[n++] = hubs[h];
  }
  return n;
}

/* Whether the cells are no neighbours in the grid */
static PetscBool SystemFar(const System *s, PetscInt c, PetscInt d)
{
  const PetscInt apart = PetscAbs(c - d);

  return (PetscBool)(apart > 1 && apart != SYSTEM_J && apart != SystemPlane(s));
}

PetscInt SystemRow(const System *s, PetscInt i, PetscInt cols[], PetscScalar vals[])
{
  const PetscInt   plane = SystemPlane(s), next = SystemIs(s, "apart") ? 2 : 1, c = i / s->bs;
  const PetscInt   step[7]  = {-plane, -SYSTEM_J, -next, 0, next, SYSTEM_J, plane};
  const PetscReal *block    = SystemBlock(s);
  const PetscBool  singular = SystemIs(s, "singular"), partial = SystemIs(s, "partial"), coupled = (PetscBool)(s->wells || s->hub);
  PetscInt         cells[SYSTEM_MAX], ncells = 0, n = 0, diagonal = 0;
  PetscReal        sum = 0, at = 0.8 + 0.45 * SystemNumber(s, i, i);

  if (block) {
    for (PetscInt j = i - i % 4; n < 4 && j < SystemRows(s); j++) {
      cols[n]   = j;
      vals[n++] = block[4 * (i % 4) + j % 4];
    }
    return n;
  }
  for (int k = 0; k < 7; k++) {
    const PetscInt d = c + step[k];

    if (d < 0 || d >= s->cells) continue;
    if ((step[k] == -next && c % SYSTEM_J < next) || (step[k] == next && d % SYSTEM_J < next)) continue;
    if ((step[k] == -SYSTEM_J || step[k] == SYSTEM_J) && c / plane != d / plane) continue;
    if (s->open && (k == 0 || k == 6) && PetscMax(c, d) >= s->open) continue;
    cells[ncells++] = d;
  }
  if (coupled) {
    ncells = SystemCoupled(s, c, cells, ncells);
    PetscCallAbort(PETSC_COMM_SELF, PetscSortRemoveDupsInt(&ncells, cells));
  }
  for (PetscInt k = 0; k < ncells; k++)
    for (PetscInt q = 0; q < s->bs; q++) {
      const PetscInt j = cells[k] * s->bs + q;

      if (partial && cells[k] != c && (q || i % s->bs)) continue;
      cols[n] = j;
      if (i == j) diagonal = n++;
      else {
        vals[n] = -(0.1 + 0.9 * SystemNumber(s, i, j)) / (PetscReal)s->bs;
        if (coupled && SystemFar(s, c, cells[k])) vals[n] *= s->hub > 100 ? 2.0 / (PetscReal)s->hub : 0.02; /* so that long rows do not spoil the condition */
        sum += PetscAbsScalar(vals[n++]);
      }
    }
  if (singular) {
    vals[diagonal] = sum;
    return n;
  }
  vals[diagonal] = 1.1 * sum + 0.1;
  for (PetscInt k = 0; k < n; k++) vals[k] *= at * (0.8 + 0.45 * SystemNumber(s, cols[k], cols[k]));
  if (SystemIs(s, "alternating") && ProblemHash(3, i, i) % 2) vals[diagonal] = -vals[diagonal];
  return n;
}

PetscErrorCode SystemFill(const System *s, Mat A)
{
  PetscInt    lo, hi, cols[SYSTEM_MAX];
  PetscScalar vals[SYSTEM_MAX];

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  for (PetscInt i = lo; i < hi; i++) {
    const PetscInt n = SystemRow(s, i, cols, vals);

    PetscCall(MatSetValues(A, 1, &i, n, cols, vals, INSERT_VALUES));
  }
  PetscCall(CheckAssemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SystemCreate(MPI_Comm comm, const System *s, Mat *A)
{
  const Problem p = {.pattern = "gh", .bs = s->bs, .rows = s->cells, .cols = s->cells, .split = s->split};
  PetscInt      m = 0;
  PetscBool     given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-mat_type", &given));
  PetscCall(ProblemLocalSize(comm, &p, s->cells, &m));
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, m, m, SystemRows(s), SystemRows(s)));
  PetscCall(MatSetBlockSize(*A, s->bs));
  if (!given) PetscCall(MatSetType(*A, "bdiagh"));
  PetscCall(MatSetFromOptions(*A));
  if (!s->wells && !s->hub) { /* else PETSc counts */
    PetscCall(MatSeqAIJSetPreallocation(*A, 7 * s->bs, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*A, 7 * s->bs, NULL, 7 * s->bs, NULL));
  }
  PetscCall(SystemFill(s, *A));
  PetscCall(CheckDevice(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SystemReference(MPI_Comm comm, const System *s, Mat *R)
{
  const Problem p = {.pattern = "gh", .bs = s->bs, .rows = s->cells, .cols = s->cells, .split = s->split};
  PetscInt      m = 0;

  PetscFunctionBeginUser;
  PetscCall(ProblemLocalSize(comm, &p, s->cells, &m));
  PetscCall(CheckMatCreate(comm, m, SystemRows(s), s->bs, MATAIJ, PETSC_FALSE, R));
  PetscCall(SystemFill(s, *R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void RejectBegin(PetscInt before[2])
{
  before[0]      = check_count;
  before[1]      = check_failures;
  check_failures = 1000; /* so many have been printed: no more are */
}

PetscErrorCode RejectEnd(const PetscInt before[2], const char what[])
{
  const PetscBool rejected = (PetscBool)(check_failures > 1000);

  check_count    = before[0];
  check_failures = before[1];
  return CheckTrue(rejected, what);
}
