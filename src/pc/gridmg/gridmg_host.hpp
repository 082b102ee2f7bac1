/*
   The host executor of the structured multigrid.
*/
#pragma once

#include "gridmg_system.hpp"

namespace heptane
{

/* The diagonals of A in the order of the axes of the grid */
GridMeans grid_means_host(const GridMatrix &A, int B, std::size_t cells);
/* Coefficients, links and factors of all levels. beside: values of the entries beside the diagonals */
template <class Real>
void grid_setup_host(const GridMatrix &A, const Scalar *beside, const GridSystem<Real> &S, GridReport *report);
/* y = one cycle from zero for the right-hand side r */
template <class Real>
void grid_cycle_host(const GridSystem<Real> &S, const Scalar *r, Scalar *y);

/* Steps from, ..., to - 1 of a cycle */
template <class Real>
void grid_steps_host(const GridSystem<Real> &S, std::size_t from, std::size_t to);

} // namespace heptane
