/*
   What is computed with a product's result: products with vectors, and with further matrices. C: the result with the type under test, D: that with AIJ.
*/
#pragma once

#include <petscmat.h>

/* Products of the result C with a vector, added to another one and in place, by rows and by columns, against D */
PetscErrorCode CompareVectors(Mat C, Mat D, const char text[]);

/* Products of results, as on the coarse levels of multigrid, of their results, and of A with a result as interpolation; again with other values */
PetscErrorCode CompareResults(Mat A, Mat R, Mat C, Mat D, Mat S);
