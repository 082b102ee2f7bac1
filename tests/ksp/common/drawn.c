#include "drawn.h"
#include "../../mat/common/check.h"
#include "../../mat/common/problem.h"
#include "../../mat/common/random_below.h"

static unsigned long long drawn_state;

void DrawFrom(PetscInt seed)
{
  drawn_state = (unsigned long long)seed * 7919 + 12345;
  (void)RandomBelow(&drawn_state, 1);
}

PetscInt Below(PetscInt n)
{
  return RandomBelow(&drawn_state, n);
}

PetscBool OneIn(PetscInt n)
{
  return (PetscBool)(Below(n) == 0);
}

static PetscInt DrawnCells(const Drawn *s)
{
  return s->n[0] * s->n[1] * s->n[2];
}

PetscInt DrawnRows(const Drawn *s)
{
  return DrawnCells(s) * s->bs;
}

/* Extents: boxes, planes, lines about as long as warps are wide */
static void DrawExtents(Drawn *s)
{
  const PetscInt blocks[] = {1, 1, 1, 1, 2, 3, 3, 4, 5, 6, 7, 8, 11}, lengths[] = {1, 2, 3, 7, 13, 31, 32, 33, 63, 64, 65, 127, 128, 129, 257};
  const PetscInt most = 800;

  s->bs = blocks[Below(PETSC_STATIC_ARRAY_LENGTH(blocks))];
  for (int a = 0; a < 3; a++) s->n[a] = 1 + Below(9);
  if (OneIn(3)) s->n[2] = 1;
  if (OneIn(4)) s->n[Below(3)] = 1;
  if (OneIn(4)) {
    for (int a = 0; a < 3; a++) s->n[a] = 1;
    s->n[Below(3)] = lengths[Below(PETSC_STATIC_ARRAY_LENGTH(lengths))];
  } else if (OneIn(4)) s->n[Below(3)] = 10 + Below(24);
  while (DrawnRows(s) > most) {
    int largest = 0;

    for (int a = 1; a < 3; a++)
      if (s->n[a] > s->n[largest]) largest = a;
    if (s->n[largest] < 4) s->bs = (s->bs + 1) / 2;
    else s->n[largest] = s->n[largest] * 2 / 3;
  }
}

PetscErrorCode DrawSystem(Drawn *s, PetscBool symmetric)
{
  const PetscMPIInt size = CheckProcesses();

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  DrawExtents(s);
  s->seed      = Below(100000);
  s->pattern   = Below(100000);
  s->symmetric = symmetric;
  s->axes      = OneIn(6) ? Below(8) : 7;
  if (OneIn(6)) s->others[0] = 1 + Below(DrawnCells(s));
  if (OneIn(8)) s->others[1] = 2;
  if (OneIn(7)) {
    s->random = 1 + Below(5);
    if (OneIn(2)) s->axes = 0;
  }
  s->wells    = OneIn(4) ? 1 + Below(3) : 0;
  s->single   = (PetscBool)OneIn(2);
  s->blocks   = OneIn(3) ? 1 + Below(2) : 0;
  s->inactive = OneIn(5) ? 2 + Below(5) : 0;
  s->zeros    = OneIn(16) ? 3 + Below(6) : 0;
  s->spread   = OneIn(5) ? 1 : 0;
  s->scale    = OneIn(6) ? (OneIn(2) ? 1e-7 : 1e6) : 1;
  for (PetscMPIInt p = 1; p < size; p++) s->cut[p] = OneIn(6) ? 0 : Below(DrawnCells(s) + 1);
  if (size > 1) PetscCall(PetscSortInt(size - 1, s->cut + 1));
  if (OneIn(3)) /* evenly */
    for (PetscMPIInt p = 1; p < size; p++) s->cut[p] = DrawnCells(s) * p / size;
  s->cut[size] = DrawnCells(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal DrawnNumber(const Drawn *s, PetscInt i, PetscInt j)
{
  const PetscBool turn = (PetscBool)(s->symmetric && i > j);

  return (PetscReal)(ProblemHash(s->seed, turn ? j : i, turn ? i : j) >> 8) / 16777216.0;
}

PetscBool DrawnZero(const Drawn *s, PetscInt c)
{
  return (PetscBool)(s->zeros && c % s->zeros == 1);
}

/* How cells c and d, two cells, are coupled: 0 not at all, 1 as neighbours, 2 as cells of a well */
static int DrawnCoupled(const Drawn *s, PetscInt c, PetscInt d)
{
  const PetscInt lo = PetscMin(c, d), hi = PetscMax(c, d), plane = s->n[0] * s->n[1];
  const PetscInt at[3] = {hi % s->n[0] - lo % s->n[0], hi / s->n[0] % s->n[1] - lo / s->n[0] % s->n[1], hi / plane - lo / plane};

  if (s->inactive && (ProblemHash(s->pattern, c, 1) % s->inactive == 0 || ProblemHash(s->pattern, d, 1) % s->inactive == 0)) return 0;
  if (DrawnZero(s, c) || DrawnZero(s, d)) return 0;
  for (int a = 0; a < 3; a++)
    if ((s->axes >> a & 1) && at[a] * at[a] == 1 && at[(a + 1) % 3] == 0 && at[(a + 2) % 3] == 0)
      return s->symmetric || c < d || ProblemHash(s->pattern, 3, a) % 5 ? 1 : 0;
  if (hi - lo == s->others[0] || hi - lo == s->others[1]) return s->symmetric || c < d ? 1 : 0;
  if (s->random && ProblemHash(s->pattern, s->symmetric ? lo : c, s->symmetric ? hi : d) % (unsigned)DrawnCells(s) < (unsigned)s->random) return 1;
  for (PetscInt w = 0; w < s->wells; w++) {
    const PetscInt column = (11 * w + 5) % plane, skip = 1 + w % 2;

    if (c % plane == column && d % plane == column && lo / plane % skip == 0 && hi / plane % skip == 0) return 2;
  }
  return 0;
}

/* Row i: columns ascending, and values; there is room for all columns */
static PetscInt DrawnRow(const Drawn *s, PetscInt i, PetscInt cols[], PetscScalar vals[])
{
  const PetscInt  bs = s->bs, c = i / bs, p = i % bs;
  PetscInt        n = 0, diagonal = 0;
  PetscReal       sum = 0;
  const PetscReal at  = PetscPowReal(10, s->spread * (DrawnNumber(s, i, i) - 0.5));

  if (DrawnZero(s, c)) return 0;
  for (PetscInt d = 0; d < DrawnCells(s); d++) {
    const int kind = d == c ? 3 : DrawnCoupled(s, c, d);

    for (PetscInt q = 0; kind && q < bs; q++) {
      const PetscInt j = d * bs + q;

      if (kind == 1 && ((s->blocks == 1 && p != q) || (s->blocks == 2 && (p || q)))) continue;
      if (kind == 2 && s->single && (p || q)) continue;
      cols[n] = j;
      if (i == j) diagonal = n++;
      else {
        vals[n] = -(0.1 + 0.9 * DrawnNumber(s, i, j)) / (PetscReal)bs;
        if (!s->symmetric && ProblemHash(s->seed + 1, i, j) % 8 == 0) vals[n] = -vals[n];
        sum += PetscAbsScalar(vals[n++]);
      }
    }
  }
  vals[diagonal] = 1.15 * sum + 0.1;
  for (PetscInt k = 0; k < n; k++) vals[k] *= s->scale * at * PetscPowReal(10, s->spread * (DrawnNumber(s, cols[k], cols[k]) - 0.5));
  return n;
}

/* The entries of the rows from lo on up to hi as coordinates; three arrays of one PetscMalloc3() */
static PetscErrorCode DrawnList(const Drawn *s, PetscInt lo, PetscInt hi, PetscInt *n, PetscInt **i, PetscInt **j, PetscScalar **v)
{
  PetscInt    *cols, most = 0;
  PetscScalar *vals;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(DrawnRows(s), &cols, DrawnRows(s), &vals));
  for (PetscInt r = lo; r < hi; r++) most += DrawnRow(s, r, cols, vals);
  PetscCall(PetscMalloc3(most, i, most, j, most, v));
  *n = 0;
  for (PetscInt r = lo; r < hi; r++) {
    const PetscInt m = DrawnRow(s, r, cols, vals);

    for (PetscInt k = 0; k < m; k++) {
      (*i)[*n]     = r;
      (*j)[*n]     = cols[k];
      (*v)[(*n)++] = vals[k];
    }
  }
  PetscCall(PetscFree2(cols, vals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DrawnFill(const Drawn *s, Mat A, PetscBool coo, PetscBool anew)
{
  PetscInt     lo, hi, n = 0, *i, *j;
  PetscScalar *v;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(DrawnList(s, lo, hi, &n, &i, &j, &v));
  if (coo) {
    if (anew) PetscCall(MatSetPreallocationCOO(A, n, i, j));
    PetscCall(MatSetValuesCOO(A, v, INSERT_VALUES));
  } else {
    for (PetscInt k = 0; k < n; k++) PetscCall(MatSetValues(A, 1, &i[k], 1, &j[k], &v[k], INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  PetscCall(PetscFree3(i, j, v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DrawnCreate(const Drawn *s, const char type[], PetscBool options, PetscBool coo, Mat *A)
{
  const PetscMPIInt rank = CheckRank();
  PetscInt          m;

  PetscFunctionBeginUser;
  m = (s->cut[rank + 1] - s->cut[rank]) * s->bs;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, m, m, DrawnRows(s), DrawnRows(s)));
  PetscCall(MatSetBlockSize(*A, s->bs));
  PetscCall(MatSetType(*A, type));
  if (options) PetscCall(MatSetFromOptions(*A)); /* -mat_type, -mat_bdiagh_ and -mat_sellp_ */
  PetscCall(DrawnFill(s, *A, coo, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
