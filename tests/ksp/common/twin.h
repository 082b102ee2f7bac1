/*
   What happens inside PETSc while the twin solves. It can be made wrong, so that a program shows that it would notice: the step alpha, a row of
   each product, the diagonal that Jacobi inverts. And the condition of its scalar products is measured, which says how far rounding may carry
   alpha, beta and omega. The functions here come before those of libpetsc, which they call.
*/
#pragma once

#include <petscksp.h>

typedef enum { WRONG_NOTHING, WRONG_ALPHA, WRONG_ROW, WRONG_DIAGONAL, WRONG_KINDS } Wrong;
static const char *const wrong_kinds[] = {"nothing", "a wrong alpha", "a product without its last row", "a stale diagonal"};

extern Wrong     wrong_kind;  /* what is wrong with twins */
extern PetscBool twin_solves; /* a twin is at work */
extern PetscBool twin_sums;   /* its step, of Chebyshev, comes from no scalar product but is a coefficient of VecAXPBYPCZ() */
extern PetscBool wrong_next;  /* the next scalar product follows a product with the matrix: alpha of CG, BiCG and BiCGStab divides by it */

extern PetscReal twin_condition; /* the largest |x| |y| / |(x, y)| of the scalar products of BiCG and BiCGStab; those of CG are (z, r) and (p, A p) */
