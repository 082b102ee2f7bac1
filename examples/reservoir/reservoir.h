/* Declarations of the reservoir example: a fully implicit black-oil-like flow model on a J x H x I grid.
   The program includes PETSc's headers alone; matrix, vector and solver types come from the options database.
   The equations, the units and the options are described in docs/guide/reservoir.md. */
#pragma once

#include <petscksp.h>

#if defined(PETSC_USE_COMPLEX)
  #error "the reservoir example solves a real system: configure PETSc with --with-scalar-type=real"
#endif

#define RESERVOIR_MAX_UNKNOWNS 16

/* Cell m = j + h J + i J H. A process owns the cells [start, end) and knows the properties of [gstart, gend), one layer more on either side.
   The cells that have unknowns are numbered in the same order, so the numbers of the owned and of the known cells are ranges too. */
typedef struct {
  MPI_Comm   comm;
  PetscInt   nj, nh, ni;    /* number of cells along each axis */
  PetscInt   cells, active; /* of the whole grid */
  PetscInt   start, end, gstart, gend;
  PetscBool  only_active;                /* inactive cells have no unknowns */
  PetscInt   numbered;                   /* cells of the whole grid that have unknowns */
  PetscInt   first, last, gfirst, glast; /* numbers of [start, end) and of [gstart, gend) */
  PetscInt  *number;                     /* [gend - gstart] number of a cell, -1 without unknowns */
  PetscReal  size[3];                    /* edges of a cell, m */
  PetscReal  kz_ratio;                   /* vertical over horizontal permeability */
  PetscReal *kx;                         /* [gend - gstart] horizontal permeability, mD; 0 marks an inactive cell */
  PetscReal *phi;                        /* [gend - gstart] porosity; 0 in an inactive cell */
  PetscReal  pore_volume;                /* of the whole grid, m3 */
} Grid;

/* Number of a cell that the process knows. */
static inline PetscInt GridNumber(const Grid *g, PetscInt m)
{
  return g->number[m - g->gstart];
}

/* Phase a: 0 oil, 1 water, 2 gas, further ones pseudo components between oil and gas. */
typedef struct {
  PetscInt  nc;
  PetscReal viscosity[RESERVOIR_MAX_UNKNOWNS];       /* cP */
  PetscReal gradient[RESERVOIR_MAX_UNKNOWNS];        /* density times gravity, bar/m */
  PetscReal compressibility[RESERVOIR_MAX_UNKNOWNS]; /* 1/bar */
  PetscReal mean_gradient;                           /* bar/m */
  PetscReal share;                                   /* part of a phase that the other components make up */
} Fluid;

/* Vertical wells with a prescribed total rate; perforation k of well w has first[w] <= k < first[w + 1]. Replicated on every process. */
typedef struct {
  PetscInt   n;
  PetscInt  *at;     /* [J H] the well of a column of cells, -1 without one */
  PetscInt  *first;  /* [n + 1] */
  PetscInt  *cell;   /* [first[n]] perforated cell */
  PetscInt  *number; /* [first[n]] its number */
  PetscReal *index;  /* [first[n]] connection factor, m3 cP / (day bar) */
  PetscReal *weight; /* [first[n]] index times total mobility at the start of the time step */
  PetscReal *rate;   /* [n] m3/day, positive for a producer */
  PetscReal *bore;   /* [n] pressure of the bore at datum depth less the reference pressure, bar */
} Wells;

/* The linear system of one Newton update. Block q couples a cell to cell[q], in block column col[q] of the matrix; the blocks of the owned cell with
   number n are row[n - first] <= q < row[n - first + 1], columns ascending. */
typedef struct {
  const Grid  *grid;
  const Fluid *fluid;
  Wells       *wells;
  PetscReal    dt;
  PetscBool    coo;    /* MatSetValuesCOO, otherwise MatSetValuesBlocked */
  PetscCount  *row;    /* [owned numbers + 1] */
  PetscInt    *cell;   /* [blocks] */
  PetscInt    *col;    /* [blocks] number of the cell */
  PetscReal   *trans;  /* [blocks] transmissibility, m3 cP / (day bar); 0 for the diagonal and for blocks of wells */
  PetscScalar *values; /* [blocks][nc][nc] */
  PetscScalar *mass;   /* [owned numbers][nc] volume of each phase at reference pressure at the start of the time step, m3 */
  Mat          A;
  Vec          u;     /* [numbered][nc] pressure less reference pressure (bar), then the saturations of the phases 1 .. nc - 1 */
  Vec          r, du; /* residual (m3/day) and update */
  Vec          ghosted;
  VecScatter   halo;
} System;

typedef enum { PHASE_PATTERN, PHASE_VALUES, PHASE_UPDATE, PHASE_PCSETUP, PHASE_SOLVE, PHASE_COUNT } Phase;

typedef struct {
  MPI_Comm       comm;
  PetscLogStage  stage[PHASE_COUNT];
  PetscLogDouble started, seconds[PHASE_COUNT], first[PHASE_COUNT]; /* first: of the first call */
  PetscInt       calls[PHASE_COUNT];
  PetscInt       solves, iterations, first_iterations;
  PetscReal      worst_residual; /* largest |b - A x| / |b| of all solves */
  FILE          *history;        /* residual history, open on the first process only */
} Report;

/* grid.c, number.c, synthetic.c, deck.c */
PetscErrorCode GridCreate(MPI_Comm, PetscInt, Grid *);
PetscErrorCode GridCreateFields(Grid *);
PetscErrorCode GridDestroy(Grid *);
PetscErrorCode GridNumberCells(Grid *);
PetscErrorCode GridFillSynthetic(Grid *);
PetscErrorCode DeckReadDimensions(MPI_Comm, const char[], PetscInt[3], PetscBool *);
PetscErrorCode DeckReadKeyword(const Grid *, const char[], const char[], PetscReal[]);

/* fluid.c */
PetscErrorCode FluidCreate(MPI_Comm, PetscInt, Fluid *);
void           FluidMobility(const Fluid *, const PetscScalar[], PetscScalar[], PetscScalar[]);
void           FluidMass(const Fluid *, PetscReal, const PetscScalar[], PetscScalar[]);
void           FluidMassDerivative(const Fluid *, PetscReal, const PetscScalar[], PetscScalar[]);
void           FluidFlux(const Fluid *, PetscReal, PetscReal, const PetscScalar[], const PetscScalar[], PetscScalar[], PetscScalar[], PetscScalar[]);
void           FluidMixRows(const Fluid *, PetscInt, PetscScalar[]);
void           FluidInitialState(const Fluid *, PetscReal, PetscReal, PetscScalar[]);

/* wells.c */
PetscErrorCode WellsCreate(const Grid *, Wells *);
PetscErrorCode WellsDestroy(Wells *);
PetscErrorCode WellsStartStep(Wells *, const Grid *, const Fluid *, const PetscScalar[]);
PetscErrorCode WellsStartUpdate(Wells *, const Grid *, const Fluid *, const PetscScalar[]);
PetscInt       WellsFind(const Wells *, const Grid *, PetscInt);
void           WellsFlow(const Wells *, const Grid *, const Fluid *, PetscInt, const PetscScalar[], PetscScalar[], PetscScalar[], PetscScalar[]);

/* system.c, assembly.c */
PetscErrorCode SystemCreate(const Grid *, const Fluid *, Wells *, System *);
PetscErrorCode SystemPreallocate(System *);
PetscErrorCode SystemDestroy(System *);
PetscErrorCode SystemStartStep(System *, PetscReal);
PetscErrorCode SystemComputeValues(System *);
PetscErrorCode SystemUpdateMatrix(System *);
PetscErrorCode SystemApplyUpdate(System *);

/* report.c, output.c */
PetscErrorCode ReportCreate(MPI_Comm, const char[], Report *);
PetscErrorCode ReportBegin(Report *, Phase);
PetscErrorCode ReportEnd(Report *, Phase, Vec);
PetscErrorCode ReportSolve(Report *, KSP, Vec, Vec, PetscInt, PetscInt);
PetscErrorCode ReportTable(Report *, KSP);
PetscErrorCode OutputCheckWritable(MPI_Comm comm, const char option[], const char name[], const char suffix[]);
PetscErrorCode OutputExport(const char[], PetscBool, Mat, Vec);
PetscErrorCode OutputSolution(const char[], const System *);
PetscErrorCode OutputSlice(const char[], PetscInt, const Grid *);
PetscErrorCode OutputCompare(MPI_Comm, const char[], const char[], PetscReal);
