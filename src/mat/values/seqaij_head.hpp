/*
   PETSc lets subclasses of SeqAIJ with values elsewhere (AIJCUSPARSE, AIJKOKKOS) return the value array through a table
   of accessors in the matrix's private data; its declaration is not installed. The head of that data is declared here:
   host_values.cxx checks it.
*/
#pragma once

#include "../../sys/petsc_compat.hpp"
#include "../../private/mat.hpp"

namespace heptane
{

struct Accessors {
  PetscErrorCode (*getarray)(Mat, PetscScalar **);
  PetscErrorCode (*restorearray)(Mat, PetscScalar **);
  PetscErrorCode (*getarrayread)(Mat, const PetscScalar **);
  PetscErrorCode (*restorearrayread)(Mat, const PetscScalar **);
  PetscErrorCode (*getarraywrite)(Mat, PetscScalar **);
  PetscErrorCode (*restorearraywrite)(Mat, PetscScalar **);
  PetscErrorCode (*getcsrandmemtype)(Mat, const PetscInt **, const PetscInt **, PetscScalar **, PetscMemType *);
};

/* The fields of PETSc's SEQAIJHEADER (src/mat/impls/aij/seq/aij.h) up to the accessors */
struct SeqAIJHead {
  PetscBool         roworiented;
  PetscInt          nonew, nounused, maxnz;
  PetscInt         *imax, *ilen, *ipre;
  PetscBool         free_imax_ilen;
  PetscInt          reallocs, rmax;
  PetscBool         keepnonzeropattern, ignorezeroentries, free_ij, free_a;
  Mat_CompressedRow compressedrow;
  PetscInt          nz;
  PetscInt         *i, *j, *diag;
  HEPTANE_SINCE_3_25(PetscObjectState diag_nonzero_state; PetscBool diag_dense;)
  PetscInt nonzerorowcnt;
  HEPTANE_UNTIL_3_24(PetscBool free_diag;)
  PetscScalar *a, *solve_work;
  IS           row, col, icol;
  PetscBool    pivotinblocks;
  Mat          parent;
  void        *submatis1;
  Accessors    ops;
};

inline SeqAIJHead *head_of(void *data)
{
  return static_cast<SeqAIJHead *>(data);
}

/* Installs the accessors of host_arrays.cxx in the data of a SEQAIJ matrix; records of previous accessors are
   discarded. No effect if they are installed */
void PutAccessors(void *data);

} // namespace heptane
