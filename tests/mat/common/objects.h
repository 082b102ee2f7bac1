/*
   What tests do with PETSc's objects again and again.
*/
#pragma once

#include <petscmat.h>

/* Of PETSC_COMM_WORLD */
PetscMPIInt CheckProcesses(void);

/* What a view of the object prints */
PetscErrorCode CheckViewText(PetscObject object, PetscViewerFormat format, char text[], size_t size);

/* The norm of b - A x */
PetscErrorCode ResidualNorm(Mat A, Vec x, Vec b, PetscReal *norm);

/* MatAssemblyBegin() and MatAssemblyEnd(), finally */
PetscErrorCode CheckAssemble(Mat A);

/* Destroys objects of PETSc's, given by their addresses, in this order */
#define CheckDestroy(...) CheckDestroyAll((void *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))
PetscErrorCode CheckDestroyAll(void *const objects[], size_t n);

/* Removes a file that all ranks have finished with, and the .info file that PETSc's viewers may write beside it */
PetscErrorCode CheckRemove(const char name[]);
