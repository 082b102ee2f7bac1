/*
   A fused solver and PETSc's own on the same system: whole solves, iterations from the same state, and repeats bit for bit.
*/
#pragma once

#include "program.h"
#include "whole.h"

/* Whether products give the same bits twice: not cuSPARSE's, and not a transpose with several processes on the device, where PETSc adds by atomic operations */
PetscErrorCode Repeatable(Mat A, PetscBool *repeatable);

extern Result             compare_results[4]; /* type, twin, type again, another KSP of the type */
extern KSPConvergedReason compare_reason;     /* of the last twin, so that a case can tell whether it tests what it is for */
extern PetscBool          compare_bits;       /* repeats must have the same bits */
extern PetscInt           compare_most;       /* iterations from the same state */

/* The matrix of p->ksp, or scale times that of the system, in PETSc's aij; transposed where the solve is */
PetscErrorCode TwinsReference(Twins *p, const System *s, PetscReal scale);

/* The same with two KSPs that have been made already, which have the same operators and settings */
PetscErrorCode ComparePair(const System *s, KSP f, KSP t, SolveFn *solve, PetscReal scale, Vec b, Vec guess, const char what[]);

typedef PetscErrorCode SetupFn(KSP, void *);

/* Solves A x = b (P: of the preconditioner) by the type and by its twin, with these options, and compares everything; setup, if there is one, is called for each KSP */
PetscErrorCode CompareSolver(const System *s, Mat A, Mat P, Vec b, Vec guess, const char options[], SolveFn *solve, SetupFn *setup, void *ctx);

/* A small system with Jacobi: what most programs have to reject wrong twins with */
PetscErrorCode CompareSmall(void);
