/*
   The entries of a problem as an application would list them for MatSetPreallocationCOO, in several orders.
*/
#pragma once
#include "problem.hpp"

namespace bench
{

enum class Order {
  csr,       // row after row, columns ascending
  block,     // block after block of each block row, row-major inside: element matrices, interior first dimension
  blockcol,  // the same, column-major inside
  shuffled,  // no order at all: every entry far from the one before
  duplicates // as block, and each off-diagonal block brings its share of the diagonal block: fluxes added cell by cell
};

struct Coo {
  PetscCount         n = 0;
  Array<PetscInt>    i, j; // global
  Array<PetscScalar> v;    // entries of the same (i, j) sum to the problem's value
};

PetscErrorCode order_parse(const std::string &text, Order *order);
PetscErrorCode coo_make(const Problem &p, Order order, Coo *coo);

} // namespace bench
