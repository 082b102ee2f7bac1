/*
   Random numbers that are the same on all processes and machines.
*/
#pragma once

#include <petscsys.h>

/* A number below n */
static inline PetscInt RandomBelow(unsigned long long *state, PetscInt n)
{
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (PetscInt)((*state >> 33) % (unsigned long long)n);
}
