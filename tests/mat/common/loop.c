#include "loop.h"

PetscErrorCode CheckOne(const Problem *p, CheckFn *test)
{
  Mat A, R;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(check_where, sizeof(check_where),
                          "%s, block size %" PetscInt_FMT ", %" PetscInt_FMT " x %" PetscInt_FMT " cells, split %" PetscInt_FMT, p->pattern, p->bs, p->rows,
                          p->cols, p->split));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, NULL, &A));
  PetscCall(ProblemCreate(PETSC_COMM_WORLD, p, MATAIJ, &R));
  PetscCall(CheckDevice(A));
  PetscCall(test(p, A, R));
  PetscCall(CheckDestroy(&A, &R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckLoop(CheckSet set, CheckFn *test)
{
  const char *patterns[] = {"gh", "holes", "inactive", "wells", "banded", "shifted", "random", "diagonal", "arrow", "empty", "rectangle", "ragged"};
  PetscInt    bs[16] = {1, 2, 3, 4, 5, 8, 16, 17}, nbs = 16;
  char       *chosen[16];
  PetscInt    nchosen   = 16;
  PetscReal   diagonal  = 0;
  PetscBool   symmetric = CheckOption("-symmetric"), some, given;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-bs", bs, &nbs, &given));
  if (!given) nbs = 8;
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-pattern", chosen, &nchosen, &some));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-diagonal", &diagonal, NULL));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(patterns); k++) {
    Problem   p    = {.pattern = patterns[k], .seed = 1, .symmetric = symmetric, .diagonal = diagonal};
    PetscBool take = (PetscBool)!some;

    for (PetscInt c = 0; some && !take && c < nchosen; c++) PetscCall(PetscStrcmp(chosen[c], patterns[k], &take));
    if (!take) continue;
    if (ProblemIs(&p, "rectangle") && set != CHECK_ALL) continue;
    if (ProblemIs(&p, "ragged")) {
      if (set == CHECK_CELLS) continue;
      p.pattern = "gh";
      p.ragged  = 1;
    }
    for (PetscInt b = 0; b < nbs; b++) {
      p.bs   = bs[b];
      p.rows = p.cols = bs[b] < 8 ? 60 : 24;
      for (p.split = 0; p.split < 3; p.split++) { /* on one rank: other values only */
        p.seed = 1 + p.split;
        PetscCall(CheckOne(&p, test));
      }
      if (ProblemIs(&p, "rectangle")) {
        p.split = 0;
        p.cols  = p.rows / 2;
        PetscCall(CheckOne(&p, test));
        p.cols = p.rows * 2 + 1;
        PetscCall(CheckOne(&p, test));
      }
    }
  }
  for (PetscInt c = 0; some && c < nchosen; c++) PetscCall(PetscFree(chosen[c]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int CheckMain(int argc, char **argv, const char help[], CheckSet set, CheckFn *test, const char name[])
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckLoop(set, test));
  return CheckFinish(name);
}
