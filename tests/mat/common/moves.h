/*
   How often values went between compressed rows and a format, by the events that the log counts; PetscLogDefaultBegin() has been called.
*/
#pragma once

#include <petscmat.h>

/* Times that the format was filled from compressed rows or brought back to them, on any process */
static inline PetscErrorCode Moves(PetscInt *n)
{
  const char *names[] = {"MatFmtFill", "MatFmtSync"};

  PetscFunctionBeginUser;
  *n = 0;
  for (int k = 0; k < 2; k++) {
    PetscEventPerfInfo info;
    PetscLogEvent      event;

    PetscCall(PetscLogEventGetId(names[k], &event));
    PetscCheck(event >= 0, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "No event %s", names[k]);
    PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
    *n += info.count;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}
