/*
   Every entry of PETSc's table of matrix operations, in its order, with the action needed on a derived matrix before
   the base class's operation runs while the compressed rows on the host are out of date. The rule is `guard`; every
   other word is an exception with its reason. If a later PETSc adds, removes or moves an operation, compilation fails
   until the list is updated. HEPTANE_SINCE_3_26(...) and similar macros hold operations of some releases.
*/
#pragma once

#include "../../sys/petsc_compat.hpp"
#include "../../private/mat.hpp"
#include <cstddef>

namespace heptane
{

enum class Values {
  guard,    /* the values are brought up to date first: of the matrix, of other matrices among the arguments, and of results that are used again */
  last,     /* the same; the matrix whose table has the entry is the last argument */
  accessor, /* the same for a sequential matrix or block; a parallel matrix accesses values only through its blocks, once per row or entry */
  type,     /* replaced by ours (src/mat/aij), which handles the copies; on blocks as guard */
  pattern   /* touches the pattern, sizes, options or memory of another object, never a value */
};

// clang-format off
#define HEPTANE_OPERATIONS(X) \
  X(setvalues, accessor) X(getrow, accessor) X(restorerow, pattern) X(mult, type) X(multadd, type) X(multtranspose, type) X(multtransposeadd, type) \
  X(solve, guard) X(solveadd, guard) X(solvetranspose, guard) X(solvetransposeadd, guard) X(lufactor, type) X(choleskyfactor, guard) X(sor, type) \
  X(transpose, guard) X(getinfo, pattern) X(equal, guard) X(getdiagonal, type) X(diagonalscale, type) X(norm, type) X(assemblybegin, pattern) \
  X(assemblyend, type) X(setoption, pattern) X(zeroentries, type) X(zerorows, type) X(lufactorsymbolic, guard) X(lufactornumeric, guard) \
  X(choleskyfactorsymbolic, guard) X(choleskyfactornumeric, guard) X(setup, pattern) X(ilufactorsymbolic, guard) X(iccfactorsymbolic, guard) \
  X(getdiagonalblock, type) X(setinf, guard) X(duplicate, type) X(forwardsolve, guard) X(backwardsolve, guard) X(ilufactor, type) X(iccfactor, type) \
  X(axpy, type) X(createsubmatrices, guard) X(increaseoverlap, pattern) X(getvalues, accessor) X(copy, type) X(getrowmax, guard) X(scale, type) \
  X(shift, type) X(diagonalset, type) X(zerorowscolumns, guard) X(setrandom, guard) X(getrowij, pattern) X(restorerowij, pattern) \
  X(getcolumnij, pattern) X(restorecolumnij, pattern) X(fdcoloringcreate, guard) X(coloringpatch, pattern) X(setunfactored, guard) X(permute, guard) \
  X(setvaluesblocked, guard) X(createsubmatrix, type) X(destroy, type) X(view, type) X(convertfrom, type) X(matmatmultsymbolic, last) \
  X(matmatmultnumeric, last) X(setlocaltoglobalmapping, pattern) X(setvalueslocal, guard) X(zerorowslocal, guard) X(getrowmaxabs, guard) \
  X(getrowminabs, guard) X(convert, type) X(hasoperation, pattern) X(fdcoloringapply, guard) X(setfromoptions, pattern) X(findzerodiagonals, guard) \
  X(mults, guard) X(solves, guard) X(getinertia, guard) X(load, guard) X(issymmetric, guard) X(ishermitian, guard) X(isstructurallysymmetric, guard) \
  X(setvaluesblockedlocal, guard) X(getvecs, pattern) X(matmultsymbolic, last) X(matmultnumeric, last) X(ptapnumeric, last) \
  X(mattransposemultsymbolic, last) X(mattransposemultnumeric, last) X(bindtocpu, pattern) X(productsetfromoptions, pattern) X(productsymbolic, guard) \
  X(productnumeric, guard) X(conjugate, guard) X(viewnative, guard) X(setvaluesrow, guard) X(realpart, guard) X(imaginarypart, guard) \
  X(getrowuppertriangular, guard) X(restorerowuppertriangular, guard) X(matsolve, guard) X(matsolvetranspose, guard) X(getrowmin, guard) \
  X(getcolumnvector, guard) HEPTANE_UNTIL_3_24(X(missingdiagonal, pattern)) X(getseqnonzerostructure, guard) X(create, guard) X(getghosts, pattern) X(getlocalsubmatrix, guard) \
  X(restorelocalsubmatrix, guard) X(multdiagonalblock, guard) X(hermitiantranspose, guard) X(multhermitiantranspose, guard) \
  X(multhermitiantransposeadd, guard) X(getmultiprocblock, type) X(findnonzerorows, guard) X(getcolumnreductions, guard) X(invertblockdiagonal, type) \
  X(invertvariableblockdiagonal, guard) X(createsubmatricesmpi, guard) HEPTANE_UNTIL_3_25(X(setvaluesbatch, guard)) X(transposematmultsymbolic, last) X(transposematmultnumeric, last) \
  X(transposecoloringcreate, guard) X(transcoloringapplysptoden, guard) X(transcoloringapplydentosp, last) X(rartnumeric, last) \
  X(setblocksizes, pattern) X(residual, type) X(fdcoloringsetup, guard) X(findoffblockdiagonalentries, guard) \
  X(creatempimatconcatenateseqmat, guard) X(destroysubmatrices, pattern) X(mattransposesolve, guard) X(getvalueslocal, guard) X(creategraph, type) \
  X(transposesymbolic, guard) X(eliminatezeros, guard) X(getrowsumabs, guard) X(getfactor, guard) X(getblockdiagonal, type) \
  X(getvblockdiagonal, guard) X(copyhashtoxaij, guard) X(getcurrentmemtype, pattern) X(zerorowscolumnslocal, guard) \
  HEPTANE_SINCE_3_25(X(adot, guard) X(anorm, guard) X(adot_local, guard) X(anorm_local, guard)) HEPTANE_SINCE_3_26(X(getordering, guard))
// clang-format on

/* The entries as an array, for loops over all of them */
using Operation = void (*)(void);

#define HEPTANE_COUNT(name, values) +1
constexpr std::size_t operations = 0 HEPTANE_OPERATIONS(HEPTANE_COUNT);
#undef HEPTANE_COUNT

struct OperationTable {
  Operation entry[operations];
};

inline OperationTable &table_of(struct _MatOps &ops)
{
  return *reinterpret_cast<OperationTable *>(&ops);
}

inline const OperationTable &table_of(const struct _MatOps &ops)
{
  return *reinterpret_cast<const OperationTable *>(&ops);
}

#define HEPTANE_VALUES(name, values) Values::values,
constexpr Values operation_values[operations] = {HEPTANE_OPERATIONS(HEPTANE_VALUES)};
#undef HEPTANE_VALUES

#define HEPTANE_NAME(name, values) #name,
constexpr const char *operation_name[operations] = {HEPTANE_OPERATIONS(HEPTANE_NAME)};
#undef HEPTANE_NAME

/* Each name has PETSc's position */
#define HEPTANE_PLACE(name, values) offsetof(struct _MatOps, name) / sizeof(Operation),
constexpr std::size_t operation_place[] = {HEPTANE_OPERATIONS(HEPTANE_PLACE) sizeof(struct _MatOps) / sizeof(Operation)};
#undef HEPTANE_PLACE

#define HEPTANE_ENTRY(name, values) name,
enum class OperationEntry { HEPTANE_OPERATIONS(HEPTANE_ENTRY) end_of_table, none };
#undef HEPTANE_ENTRY

constexpr OperationEntry first_moved()
{
  for (std::size_t k = 0; k <= operations; k++)
    if (operation_place[k] != k) return (OperationEntry)k;
  return OperationEntry::none;
}

/* The compiler prints the name of the entry */
template <OperationEntry moved>
constexpr bool nothing_moved()
{
  static_assert(moved == OperationEntry::none,
                "This PETSc has other matrix operations before the entry `moved` than operation_table.hpp lists: decide for each new one");
  return true;
}
static_assert(nothing_moved<first_moved()>());

} // namespace heptane
