/*
   A problem as a list of coordinates and values: several orders, duplicates, ignored entries, entries of other ranks' rows; values on the
   host or on the device. Knows nothing of what is checked.
*/
#pragma once

#include "problem.h"

typedef enum {
  COO_ROWS,    /* row by row, columns ascending: the order of compressed rows */
  COO_BLOCKS,  /* block by block, each row by row: what a code with a block per cell pair writes */
  COO_COLUMNS, /* blocks as before, each column by column */
  COO_SHARES,  /* as COO_BLOCKS, two of three blocks twice, with a part of their values each: what a code adds face by face */
  COO_COLUMN_SHARES,
  COO_MIXED /* no order, every fifth entry in two halves, ignored entries in between, rows dealt to the ranks in turn */
} CooOrder;
static const char *const CooOrders[] = {"rows", "blocks", "columns", "shares", "column shares", "mixed"};

typedef struct {
  PetscInt   n, *i, *j;
  PetscInt  *full_i, *full_j; /* the indices again: MatSetPreallocationCOO() may change i and j */
  PetscReal *part;            /* of the value */
  Vec        values;
} Coo;

/* The list of this rank for a matrix with the row layout of A */
PetscErrorCode CooCreate(const Problem *p, Mat A, CooOrder order, PetscBool device, Coo *c);

/* The problem's values, times factor, into A: on the device without a copy to the host where the list is there */
PetscErrorCode CooSet(const Problem *p, Coo *c, PetscScalar factor, InsertMode mode, Mat A);

PetscErrorCode CooDestroy(Coo *c);
