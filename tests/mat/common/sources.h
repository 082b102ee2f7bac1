/*
   Matrices of PETSc's types that are not AIJ's, made of an AIJ matrix: what conversions start from.
*/
#pragma once

#include <petscmat.h>

typedef enum {
  CONVERTED, /* by MatConvert(), to the type of the name */
  NEST,
  SHELL,
  SHELL_EMPTY, /* without a product: no conversion */
  DIAGONAL,
  CONSTANT,
  TRANSPOSED,
  COMPOSITE,
  NORMAL,
  MAIJ,
  KAIJ,
  SUBMATRIX
} Kind;

static const struct {
  Kind        kind;
  const char *name;
  PetscBool   scale; /* MatScale() is its own */
} sources[] = {
  {CONVERTED,   MATDENSE,            PETSC_TRUE },
  {CONVERTED,   MATBAIJ,             PETSC_TRUE },
  {CONVERTED,   MATSBAIJ,            PETSC_TRUE },
  {CONVERTED,   MATSELL,             PETSC_TRUE },
  {CONVERTED,   MATIS,               PETSC_TRUE },
  {CONVERTED,   MATAIJPERM,          PETSC_TRUE },
  {CONVERTED,   MATAIJSELL,          PETSC_TRUE },
  {CONVERTED,   MATAIJCRL,           PETSC_TRUE },
  {NEST,        MATNEST,             PETSC_TRUE },
  {SHELL,       MATSHELL,            PETSC_TRUE },
  {SHELL_EMPTY, "shell, no product", PETSC_FALSE},
  {DIAGONAL,    MATDIAGONAL,         PETSC_TRUE },
  {CONSTANT,    MATCONSTANTDIAGONAL, PETSC_TRUE },
  {TRANSPOSED,  MATTRANSPOSEVIRTUAL, PETSC_TRUE },
  {COMPOSITE,   MATCOMPOSITE,        PETSC_TRUE },
  {NORMAL,      MATNORMAL,           PETSC_TRUE },
  {MAIJ,        MATMAIJ,             PETSC_FALSE},
  {KAIJ,        MATKAIJ,             PETSC_FALSE},
  {SUBMATRIX,   MATSUBMATRIX,        PETSC_TRUE }
};

/* Source k of R, AIJ and square; it may refer to R, which MatScale() of it leaves alone */
PetscErrorCode CreateSource(size_t k, Mat R, Mat *S);
