/*
   The grid behind the matrix of a preconditioner that works on lines: block diagonals, extents, the axis of the lines; and what is wrong with its values, as PETSc is told. Glue.
*/
#pragma once

#include "../gridmg/gridmg_plan.hpp"
#include "../gridmg/gridmg_setup_rows.hpp"
#include "../../pass/stamp.hpp"
#include "lines_rows.hpp"
#include <petsc/private/pcimpl.h>

namespace heptane
{

/* A preconditioner's name and its options, as messages have them */
struct LinesName {
  const char *type, *grid, *line_axis;
};

struct LinesGridOptions {
  PetscInt grid[3]   = {0, 0, 0}; /* 0: from a DMDA or the offsets */
  int      line_axis = -1;        /* 0, 1, 2; -1: by the coefficients */
};

struct LinesGrid {
  BlockDiagonals D;
  PetscBool      device = PETSC_FALSE;
  GridShape      shape;
  GridPlan       plan; /* of one level */
  GridMatrix     matrix;
  Scalar         scale = 1; /* a power of two that brings the mean of the diagonal to about one */
  Stamp          planned_for;

  const char *Axis(int a) const
  {
    return plan.axis[a] == 0 ? "x" : plan.axis[a] == 1 ? "y" : "z";
  } /* 0: along the lines, then the slower and the faster one across */
  RemainingColumns Extents() const;
  GridNatural      Natural() const;
  /* As the matrix is now; changed: the grid is another one */
  PetscErrorCode Get(PC pc, const LinesName &name, const LinesGridOptions &options, bool *changed);
};

/* Options of the grid; *changed where they are others than before */
PetscErrorCode LinesGridSetFromOptions(PC pc, PetscOptionItems PetscOptionsObject, const LinesName &name, LinesGridOptions *options, bool *changed);
/* What is wrong with the matrix: an error where the options are wrong or PETSc asks for one, otherwise a reason. exact: lines without pivots are wrong too. precision: that of the factors */
PetscErrorCode LinesFailure(PC pc, const LinesName &name, const GridReport &report, bool exact, const char precision[], const char remedy[]);

} // namespace heptane
