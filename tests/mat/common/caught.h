/*
   An error handler that keeps the message of an error and goes on.
*/
#pragma once

#include <petscsys.h>

static char caught[8192]; /* the message; its user may keep another text there */

static inline PetscErrorCode Catch(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type,
                                   const char *message, void *ctx)
{
  (void)comm, (void)line, (void)function, (void)file, (void)ctx;
  if (type == PETSC_ERROR_INITIAL && message) (void)PetscStrncpy(caught, message, sizeof(caught));
  return code;
}

/* code: that of the call, caught: what its error says */
#define CheckCaught(code, call) \
  do { \
    caught[0] = 0; \
    PetscCall(PetscPushErrorHandler(Catch, NULL)); \
    code = call; \
    PetscCall(PetscPopErrorHandler()); \
  } while (0)
