/*
   Calls of PETSc by one process on objects of several: with -log_sync the events of such calls wait for the other
   processes.
*/
#pragma once

#include <initializer_list>
#include <petscsys.h>

namespace heptane
{

/* call(), an error code; the events are not logged meanwhile */
template <class Call>
PetscErrorCode WithoutEvents(std::initializer_list<PetscLogEvent> events, Call call)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  for (PetscLogEvent e : events) PetscCall(PetscLogEventDeactivatePush(e));
  code = call();
  for (PetscLogEvent e : events) PetscCall(PetscLogEventDeactivatePop(e));
  PetscFunctionReturn(code);
}

} // namespace heptane
