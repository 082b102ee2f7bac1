/*
   Errors that name a remedy: what ends in each, the remedy as the error names it, and the options that follow it.
*/
#pragma once

#include <petscdmda.h>
#include <petscksp.h>

/* A grid with a coupling to each neighbour, and what is wrong with it */
typedef struct {
  int       n[3], bs;
  int       periodic; /* so many of the first axes are */
  int       da;       /* has a DMDA */
  int       apart;    /* rows along the first axis are not coupled */
  int       shuffled; /* cells have other numbers */
  int       far;      /* every so many cells are coupled with the one after the next */
  PetscInt  zeros;    /* first rows without entries, all but an explicit zero */
  int       singular; /* blocks of the first rows */
  PetscReal large;    /* a coupling */
} System;

/* What heals besides options; SYMMETRIC_BEFORE: the matrix says so from the beginning */
typedef enum { OPTIONS, ONES_ON_DIAGONAL, SYMMETRIC, SYMMETRIC_BEFORE } Heal;

typedef struct {
  const System *s;
  const char   *options; /* end in an error */
  const char   *named;   /* the remedy, as the error names it */
  const char   *remedy;  /* options that follow it; those above are not cleared */
  Heal          heal;
  const char   *also;      /* another one that it names, with its option */
  PetscInt      processes; /* at most; 0: any number */
} Case;

#define GRIDMG  "-pc_type gridmg"
#define BESIDE  "-mat_bdiagh_min_occupancy 0.4 -mat_bdiagh_max_remainder 0.5"
#define GAMG    "-pc_type gamg"
#define EXTENTS "-pc_gridmg_grid nx,ny,nz, and have other couplings, such as periodic ones, stored in the remainder with " BESIDE

#define AXES(x, y, z) .n = {x, y, z}

static const System periodic_3_12_10_dmda    = {AXES(3, 12, 10), .bs = 1, .periodic = 1, .da = 1};
static const System periodic_4_12_10_dmda    = {AXES(4, 12, 10), .bs = 1, .periodic = 1, .da = 1};
static const System periodic_3_3_12_dmda     = {AXES(3, 3, 12), .bs = 1, .periodic = 2, .da = 1};
static const System periodic_4_3_5_of_2_dmda = {AXES(4, 3, 5), .bs = 2, .periodic = 2, .da = 1};
static const System periodic_3_3_3_dmda      = {AXES(3, 3, 3), .bs = 1, .periodic = 3, .da = 1};
static const System periodic_3_12_10         = {AXES(3, 12, 10), .bs = 1, .periodic = 1};
static const System periodic_3_10_1          = {AXES(3, 10, 1), .bs = 1, .periodic = 1};
static const System apart_6_5_4              = {AXES(6, 5, 4), .bs = 1, .apart = 1};
static const System plain_6_5_4              = {AXES(6, 5, 4), .bs = 1};
static const System far_6_5_4                = {AXES(6, 5, 4), .bs = 1, .far = 2};
static const System plain_30_1_1             = {AXES(30, 1, 1), .bs = 1};
static const System shuffled_6_5_4           = {AXES(6, 5, 4), .bs = 1, .shuffled = 1};
static const System plain_3_3_3_of_9         = {AXES(3, 3, 3), .bs = 9};
static const System zeros_6_5_4              = {AXES(6, 5, 4), .bs = 1, .zeros = 2};
static const System large_6_1_1              = {AXES(6, 1, 1), .bs = 1, .large = 1e60};
static const System plain_10_6_4             = {AXES(10, 6, 4), .bs = 1};
static const System singular_6_5_4_of_2      = {AXES(6, 5, 4), .bs = 2, .singular = 1};

static const Case cases[] = {
  /* periodic grids */
  {&periodic_3_12_10_dmda,    GRIDMG,                                                      BESIDE,                                              BESIDE,                             OPTIONS,          GAMG,                               0},
  {&periodic_4_12_10_dmda,    GRIDMG,                                                      BESIDE,                                              BESIDE,                             OPTIONS,          GAMG,                               0},
  {&periodic_3_3_12_dmda,     GRIDMG,                                                      BESIDE,                                              BESIDE,                             OPTIONS,          GAMG,                               0},
  {&periodic_4_3_5_of_2_dmda, GRIDMG,                                                      BESIDE,                                              BESIDE,                             OPTIONS,          NULL,                               1},
  {&periodic_3_3_3_dmda,      GRIDMG,                                                      BESIDE,                                              BESIDE,                             OPTIONS,          NULL,                               1},
  {&periodic_3_12_10,         GRIDMG,                                                      EXTENTS,                                             "-pc_gridmg_grid 3,12,10 " BESIDE,  OPTIONS,          GAMG,                               1},
  {&periodic_3_10_1,          GRIDMG,                                                      EXTENTS,                                             "-pc_gridmg_grid 3,10 " BESIDE,     OPTIONS,          GAMG,                               1},
 /* other grids */
  {&apart_6_5_4,              GRIDMG,                                                      "-pc_gridmg_grid nx,ny,nz",                          "-pc_gridmg_grid 6,5,4",            OPTIONS,          NULL,                               1},
  {&plain_6_5_4,              GRIDMG " -pc_gridmg_grid 6,5,3",                             "correct -pc_gridmg_grid",                           "-pc_gridmg_grid 6,5,4",            OPTIONS,          NULL,                               1},
  {&plain_6_5_4,              GRIDMG " -pc_gridmg_grid 5,6,4",                             "correct -pc_gridmg_grid",                           "-pc_gridmg_grid 6,5,4",            OPTIONS,          GAMG,                               1},
  {&far_6_5_4,                GRIDMG " -pc_gridmg_grid 6,5,4",                             "a larger -mat_bdiagh_min_occupancy",                "-mat_bdiagh_min_occupancy 0.6",    OPTIONS,          GAMG,                               1},
  {&plain_30_1_1,             GRIDMG " -pc_gridmg_grid 6,5",                               "-pc_gridmg_grid nx,ny,nz",                          "-pc_gridmg_grid 30",               OPTIONS,          GAMG,                               1},
  {&shuffled_6_5_4,           GRIDMG,                                                      "-pc_type gamg",                                     GAMG,                               OPTIONS,          NULL,                               1},
  {&plain_6_5_4,              GRIDMG " -mat_type aij",                                     "-mat_type bdiagh",                                  "-mat_type bdiagh",                 OPTIONS,          GAMG,                               0},
  {&plain_6_5_4,              GRIDMG " -ksp_type bicg",                                    "MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE)",        "",                                 SYMMETRIC,        NULL,                               0},
  {&plain_6_5_4,              GRIDMG " -ksp_type cgne -pc_gridmg_cycle f",                 "-pc_gridmg_cycle v or w",                           "-pc_gridmg_cycle v",               SYMMETRIC_BEFORE, NULL,                               1},
  {&plain_3_3_3_of_9,         GRIDMG,                                                      "-pc_type pbjacobi",                                 "-pc_type pbjacobi",                OPTIONS,          GAMG,                               1},
  {&zeros_6_5_4,              GRIDMG " -ksp_error_if_not_converged",                       "put ones on their diagonal (MatZeroRowsColumns())", "",                                 ONES_ON_DIAGONAL, NULL,                               0},
  {&large_6_1_1,              GRIDMG " -ksp_error_if_not_converged",                       "-pc_gridmg_precision double",                       "-pc_gridmg_precision double",      OPTIONS,          NULL,                               1},
 /* dense blocks */
  {&plain_10_6_4,             "-pc_type blockjacobireg -pc_blockjacobireg_block_size 120", "-pc_blockjacobireg_block_size of at most 112",
   "-pc_blockjacobireg_block_size 60",                                                                                                                                              OPTIONS,          "-pc_type bjacobi -sub_pc_type lu", 1},
  {&plain_10_6_4,             "-pc_type blockjacobireg -pc_blockjacobireg_block_size 7",   "another -pc_blockjacobireg_block_size",             "-pc_blockjacobireg_block_size 8",
   OPTIONS,                                                                                                                                                                                           NULL,                               1},
  {&singular_6_5_4_of_2,      "-pc_type blockjacobireg -ksp_error_if_not_converged",       "-pc_type jacobi",                                   "-pc_type jacobi",                  OPTIONS,          NULL,                               1},
  {&singular_6_5_4_of_2,      "-pc_type pbjacobi -ksp_error_if_not_converged",             "-pc_type jacobi",                                   "-pc_type jacobi",                  OPTIONS,          NULL,                               1},
 /* formats and solvers */
  {&shuffled_6_5_4,           "-mat_bdiagh_strict",                                        "-mat_type sellp",                                   "-mat_type sellp",                  OPTIONS,          NULL,                               1},
  {&shuffled_6_5_4,           "-mat_bdiagh_strict",                                        "leave -mat_bdiagh_strict off",                      "-mat_bdiagh_strict no",            OPTIONS,          NULL,                               1},
  {&plain_6_5_4,              "-mat_bdiagh_block_size 7",                                  "use 0 to have it found",                            "-mat_bdiagh_block_size 0",         OPTIONS,          NULL,                               1},
  {&plain_6_5_4,              "-mat_type sellp -mat_sellp_block_size 7",                   "use 0 to have it found",                            "-mat_sellp_block_size 0",          OPTIONS,          NULL,                               1},
  {&plain_6_5_4,              "-ksp_type fusedcg -ksp_fused_check_interval -1",            "must be a whole number from 0 to 2147483647",       "-ksp_fused_check_interval 0",      OPTIONS,          NULL,
   0                                                                                                                                                                                                                                       },
  {&plain_6_5_4,              "-ksp_type fusedcg -ksp_fused_precision_factor 2",           "must be a number from 0 to 1",                      "-ksp_fused_precision_factor 0.01", OPTIONS,          NULL,                               0},
};
