/*
   For the tests of a type's options: whether options end in an error that says something, and what a matrix's view says.
*/
#pragma once

#include "check.h"
#include "problem.h"
#include <petscviewer.h>

/* Creates the problem's matrix with prefix t_ and multiplies: the error if there is one */
PetscErrorCode Use(MatType type, const Problem *p);

/* The options must end in an error whose message contains both texts */
PetscErrorCode Refused(MatType type, const Problem *p, const char options[], const char one[], const char other[]);

/* What -mat_view ::ascii_info says of the problem's matrix of this type contains each of the texts */
PetscErrorCode Shown(MatType type, const Problem *p, const char *const texts[], PetscInt n);
