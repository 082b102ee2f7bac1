/*
   What tests do with PETSc's objects again and again.
*/
#pragma once

#include <petscksp.h>

/* Of PETSC_COMM_WORLD */
PetscMPIInt CheckProcesses(void);
PetscMPIInt CheckRank(void);

/* Whether the option is given, and not as false */
PetscBool CheckOption(const char name[]);

/* Text for a message, which is kept until 64 more are made */
const char *CheckText(const char format[], ...) PETSC_ATTRIBUTE_FORMAT(1, 2);

/* What a view of the object prints */
PetscErrorCode CheckViewText(PetscObject object, PetscViewerFormat format, char text[], size_t size);

/* The norm of b - A x */
PetscErrorCode ResidualNorm(Mat A, Vec x, Vec b, PetscReal *norm);

/* A solver with A, its preconditioner (NULL: what there is by default), tolerance and limit of iterations */
PetscErrorCode CheckKSPCreate(Mat A, KSPType type, PCType pc, PetscReal rtol, PetscInt most, KSP *ksp);
/* One solve; its and reason may be NULL */
PetscErrorCode CheckKSPSolve(KSP ksp, Vec b, Vec x, PetscInt *its, KSPConvergedReason *reason);
/* A preconditioner of A, by the options */
PetscErrorCode CheckPCCreate(Mat A, PCType type, PC *pc);

/* Square, of m rows here and M altogether, set up; bs 0: no block size; options: its type may be another one by options */
PetscErrorCode CheckMatCreate(MPI_Comm comm, PetscInt m, PetscInt M, PetscInt bs, MatType type, PetscBool options, Mat *A);
/* MatAssemblyBegin() and MatAssemblyEnd(), finally */
PetscErrorCode CheckAssemble(Mat A);

/* Destroys objects of PETSc's, given by their addresses, in this order */
#define CheckDestroy(...) CheckDestroyAll((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
PetscErrorCode CheckDestroyAll(void *const objects[], size_t n);

/* code: that of the call, whose errors print nothing */
#define CheckCode(code, call) \
  do { \
    PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL)); \
    code = call; \
    PetscCall(PetscPopErrorHandler()); \
  } while (0)

/* Removes a file that all ranks have finished with, and the .info file that PETSc's viewers may write beside it */
PetscErrorCode CheckRemove(const char name[]);
