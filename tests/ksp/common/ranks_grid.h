/*
   What PCGRIDMG does on several processes, against one that has the whole grid.
*/
#pragma once

#include "grid.h"
#include <petscdmda.h>

/* The grid's matrix with its cells over the processes: split 0 evenly, planes cut, 1 the first has none, 2 the last has all, 3 the first has a plane and two cells */
PetscErrorCode Divided(const Grid *g, PetscInt split, const char type[], Mat *A);

/* A DMDA of the grid, divided among so many processes along each axis, and its matrix without values */
PetscErrorCode DMDAMatrix(const Grid *g, const PetscInt processes[3], DM *da, Mat *A);

/* The values of the grid in the matrix of a DMDA, whose boxes number the cells in their own order */
PetscErrorCode DMDAFill(const Grid *g, DM da, Mat A);

/* The matrix in one of the divisions of Divided(), or, 4, of a DMDA in boxes; da: NULL in other divisions. Other values of it */
PetscErrorCode DividedOrBoxes(const Grid *g, PetscInt split, DM *da, Mat *A);
PetscErrorCode DividedOrBoxesFill(const Grid *g, DM da, Mat A);

/* Processes exchange messages alone, so that the grid is on the first one */
PetscBool ByMessages(void);

/* What -ksp_view has to say where processes reach each other's memory, or else */
const char *InSlabs(const char says[]);

/* How they exchange there */
const char *SlabsBy(void);

PetscErrorCode GridMgCreate(Mat A, PC *pc);

/*
   pc on x, whose values follow from the cells, against one process that has the grid: bit for bit, on the device to the rounding of levels that run there in other kernels. other: of other values, which
   has to be noticed
*/
PetscErrorCode Against(const Grid *g, PC pc, Vec x, DM da, PetscBool other, const char what[]);

/* -ksp_view has to have this line */
PetscErrorCode Says(PC pc, const char line[], const char what[]);
