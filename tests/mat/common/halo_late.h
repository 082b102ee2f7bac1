/*
   Products where a process is late.
*/
#pragma once

#include "check.h"
#include "problem.h"

/* A process is late by less than the limit */
PetscErrorCode Late(Mat A, Mat R);

/* A process does not come in time: the others' rows are no numbers, their next product is an error, as is that of the process that comes after all, and another matrix is as ever */
PetscErrorCode TooLate(const Problem *p, Mat R);
