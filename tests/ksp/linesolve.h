/*
   Solves with PCLINES and PCREDBLACK and other preconditioners, alike but for what preconditions: the inner solver of PCREDBLACK has the type and the tolerance.
*/
#pragma once

#include "grid.h"

static inline PetscErrorCode InnerIterations(PC pc, PetscInt *its)
{
  KSP inner;
  PetscErrorCode (*get)(PC, KSP *);

  PetscFunctionBeginUser;
  PetscCall(PetscObjectQueryFunction((PetscObject)pc, "PCRedBlackGetKSP_C", &get));
  if (!get) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*get)(pc, &inner));
  PetscCall(KSPGetIterationNumber(inner, its));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rtol 1e-8; redblack: of the inner solver. The iterations, of the inner solver where there is one, and the true residual */
static inline PetscErrorCode LinesSolve(Mat A, const char type[], const char pctype[], PetscInt *its, KSPConvergedReason *reason)
{
  const PetscReal rtol = PetscDefined(USE_REAL_SINGLE) ? 1e-4 : 1e-8;
  PetscBool       redblack;
  KSP             ksp;
  PC              pc;
  Vec             x, b, r;
  PetscReal       norm, whole;
  char            text[32];

  PetscFunctionBeginUser;
  PetscCall(PetscStrcmp(pctype, "redblack", &redblack));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%g", (double)rtol));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_rtol", text));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_max_it", "3000"));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_type", type));
  PetscCall(PetscOptionsSetValue(NULL, "-redblack_ksp_norm_type", "unpreconditioned"));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(CheckVecFill(x, 3));
  PetscCall(MatMult(A, x, b)); /* which a singular matrix can solve too */
  PetscCall(VecSet(x, 0));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &ksp));
  PetscCall(KSPSetType(ksp, redblack ? KSPPREONLY : type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pctype));
  PetscCall(KSPSetOperators(ksp, A, A));
  if (!redblack) PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, rtol, PETSC_CURRENT, PETSC_CURRENT, 3000));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, its));
  PetscCall(InnerIterations(pc, its));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecNorm(b, NORM_2, &whole));
  if (*reason > 0) PetscCall(CheckTrue((PetscBool)(norm < 3 * rtol * whole), "the residual"));
  else *its = -1;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&r));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
