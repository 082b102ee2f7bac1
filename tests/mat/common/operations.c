#include "operations.h"
#include "reader.h"
#include "../../../src/sys/petsc_compat.hpp"
#include <petsc/private/matimpl.h>

typedef struct {
  const char *name;
  size_t      place;
  const char *how; /* names of readers, another program, or a reason in brackets */
} Walked;

#define OPERATION(name, how) \
  { \
    #name, offsetof(struct _MatOps, name) / sizeof(PetscErrorCodeFn *), how \
  }
#define OF_RELEASES \
  HEPTANE_SINCE_3_26(OPERATION(getordering, "[pattern]"), ) \
  HEPTANE_UNTIL_3_25(HEPTANE_SINCE_3_25(OPERATION(adot, "every program"), OPERATION(anorm, "every program"), )) \
  HEPTANE_UNTIL_3_24(OPERATION(missingdiagonal, "[pattern]"), )
static const Walked walked_operations[] = {OPERATION(setvalues, "MatSetValue"),
                                           OPERATION(getrow, "MatGetRow"),
                                           OPERATION(restorerow, "[frees what getrow gave]"),
                                           OPERATION(mult, "every program"),
                                           OPERATION(multadd, "every program"),
                                           OPERATION(multtranspose, "every program"),
                                           OPERATION(multtransposeadd, "every program"),
                                           OPERATION(lufactor, "MatLUFactor in place"),
                                           OPERATION(residual, "MatResidual"),
                                           OPERATION(sor, "MatSOR"),
                                           OPERATION(transpose, "MatTranspose, MatTranspose into its result"),
                                           OPERATION(getinfo, "[pattern]"),
                                           OPERATION(equal, "MatEqual"),
                                           OPERATION(getdiagonal, "MatGetDiagonal"),
                                           OPERATION(diagonalscale, "MatDiagonalScale"),
                                           OPERATION(norm, "MatNorm and MatGetTrace"),
                                           OPERATION(assemblybegin, "MatSetValue"),
                                           OPERATION(assemblyend, "MatSetValue"),
                                           OPERATION(setoption, "[no value]"),
                                           OPERATION(zeroentries, "the way MatZeroEntries and COO"),
                                           OPERATION(zerorows, "MatZeroRows"),
                                           OPERATION(setup, "[before there are values]"),
                                           OPERATION(duplicate, "MatDuplicate"),
                                           OPERATION(ilufactor, "MatLUFactor in place"),
                                           OPERATION(axpy, "MatAXPY into AIJ, MatAXPY into a matrix with values"),
                                           OPERATION(createsubmatrices, "MatCreateSubMatrices"),
                                           OPERATION(increaseoverlap, "[pattern]"),
                                           OPERATION(getvalues, "MatGetValues"),
                                           OPERATION(copy, "MatCopy into AIJ, MatCopy into a matrix with values"),
                                           OPERATION(getrowmax, "MatGetRowMax"),
                                           OPERATION(scale, "the way MatScale"),
                                           OPERATION(shift, "MatShift"),
                                           OPERATION(diagonalset, "MatDiagonalSet"),
                                           OPERATION(zerorowscolumns, "MatZeroRowsColumns"),
                                           OPERATION(setrandom, "MatSetRandom"),
                                           OPERATION(getrowij, "[pattern]"),
                                           OPERATION(restorerowij, "[pattern]"),
                                           OPERATION(getcolumnij, "[pattern]"),
                                           OPERATION(restorecolumnij, "[pattern]"),
                                           OPERATION(fdcoloringcreate, "MatFDColoringApply"),
                                           OPERATION(fdcoloringapply, "MatFDColoringApply"),
                                           OPERATION(fdcoloringsetup, "MatFDColoringApply"),
                                           OPERATION(setunfactored, "[of factors]"),
                                           OPERATION(coloringpatch, "[pattern]"),
                                           OPERATION(permute, "MatPermute"),
                                           OPERATION(createsubmatrix, "MatCreateSubMatrix, MatCreateSubMatrix into its result"),
                                           OPERATION(destroy, "every program"),
                                           OPERATION(view, "MatView and MatLoad"),
                                           OPERATION(matmatmultnumeric, "product.c"),
                                           OPERATION(getrowmaxabs, "MatGetRowMaxAbs"),
                                           OPERATION(getrowminabs, "MatGetRowMinAbs"),
                                           OPERATION(convert, "MatConvert into its result"),
                                           OPERATION(setfromoptions, "[no value]"),
                                           OPERATION(findzerodiagonals, "MatFindZeroDiagonals"),
                                           OPERATION(load, "MatLoad into a matrix with values"),
                                           OPERATION(matmultnumeric, "MatMatMult into its result"),
                                           OPERATION(ptapnumeric, "MatPtAP into its result"),
                                           OPERATION(mattransposemultnumeric, "product.c"),
                                           OPERATION(bindtocpu, "MatMult bound to the host"),
                                           OPERATION(productsetfromoptions, "[chooses functions]"),
                                           OPERATION(conjugate, "[nothing to do for real numbers]"),
                                           OPERATION(setvaluesrow, "MatSetValuesRow"),
                                           OPERATION(realpart, "[nothing to do for real numbers]"),
                                           OPERATION(imaginarypart, "MatImaginaryPart"),
                                           OPERATION(matsolve, "[of factors]"),
                                           OPERATION(getrowmin, "MatGetRowMin"),
                                           OPERATION(getseqnonzerostructure, "[pattern]"),
                                           OPERATION(getghosts, "[pattern]"),
                                           OPERATION(getdiagonalblock, "MatGetDiagonalBlock"),
                                           OPERATION(multdiagonalblock, "[fails in AIJ itself: its blocks have no such operation]"),
                                           OPERATION(getmultiprocblock, "MatGetMultiProcBlock"),
                                           OPERATION(findnonzerorows, "MatFindNonzeroRows"),
                                           OPERATION(getcolumnreductions, "MatGetColumnNorms"),
                                           OPERATION(invertblockdiagonal, "MatInvertBlockDiagonal"),
                                           OPERATION(invertvariableblockdiagonal, "MatInvertVariableBlockDiagonal"),
                                           OPERATION(createsubmatricesmpi, "MatCreateSubMatricesMPI"),
                                           OPERATION(transposematmultnumeric, "MatTransposeMatMult into its result"),
                                           OPERATION(transposecoloringcreate, "[pattern]"),
                                           OPERATION(transcoloringapplysptoden, "product.c"),
                                           OPERATION(transcoloringapplydentosp, "product.c"),
                                           OPERATION(rartnumeric, "product.c"),
                                           OPERATION(setblocksizes, "[no value]"),
                                           OPERATION(findoffblockdiagonalentries, "MatFindOffBlockDiagonalEntries"),
                                           OPERATION(creatempimatconcatenateseqmat, "MatCreateMPIMatConcatenateSeqMat"),
                                           OPERATION(destroysubmatrices, "MatCreateSubMatrices"),
                                           OPERATION(creategraph, "MatCreateGraph"),
                                           OPERATION(transposesymbolic, "[pattern]"),
                                           OPERATION(eliminatezeros, "MatEliminateZeros"),
                                           OPERATION(getrowsumabs, "MatGetRowSumAbs"),
                                           OPERATION(copyhashtoxaij, "[of matrices without compressed rows]"),
                                           OPERATION(getcurrentmemtype, "[no value]"),
                                           OF_RELEASES};

/* Composed on a matrix just made; those that begin so are found by names of plain types alone, or choose functions */
static const char *const named_for_plain[]  = {"MatConvert_", "MatProductSetFromOptions_"};
static const Walked      walked_functions[] = {
       {"PetscMatlabEnginePut_C",                   0, "[needs Matlab]"                         },
       {"PetscMatlabEngineGet_C",                   0, "[needs Matlab]"                         },
       {"MatSeqAIJSetColumnIndices_C",              0, "MatSetPreallocationCOO"                 },
       {"MatStoreValues_C",                         0, "MatStoreValues and MatRetrieveValues"   },
       {"MatRetrieveValues_C",                      0, "MatStoreValues and MatRetrieveValues"   },
       {"MatIsTranspose_C",                         0, "MatIsTranspose"                         },
       {"MatIsHermitianTranspose_C",                0, "MatIsHermitianTranspose, MatIsHermitian"},
       {"MatSeqAIJSetPreallocation_C",              0, "MatSeqAIJSetPreallocation"              },
       {"MatMPIAIJSetPreallocation_C",              0, "MatSeqAIJSetPreallocation"              },
       {"MatResetPreallocation_C",                  0, "assembly.c"                             },
       {"MatResetHash_C",                           0, "MatResetHash"                           },
       {"MatSeqAIJSetPreallocationCSR_C",           0, "MatSeqAIJSetPreallocationCSR"           },
       {"MatMPIAIJSetPreallocationCSR_C",           0, "MatSeqAIJSetPreallocationCSR"           },
       {"MatReorderForNonzeroDiagonal_C",           0, "MatReorderForNonzeroDiagonal"           },
       {"MatSeqAIJKron_C",                          0, "special.c"                              },
       {"MatSetPreallocationCOO_C",                 0, "MatSetPreallocationCOO"                 },
       {"MatSetValuesCOO_C",                        0, "the ways"                               },
       {"MatInodeAdjustForInodes_C",                0, "[pattern]"                              },
       {"MatInodeGetInodeSizes_C",                  0, "[pattern]"                              },
       {"MatMPIAIJSetUseScalableIncreaseOverlap_C", 0, "[no value]"                             },
       {"MatDiagonalScaleLocal_C",                  0, "MatDiagonalScaleLocal"                  },
       {"MatGetMultPetscSF_C",                      0, "[pattern]"                              },
};

/* Whether what is said to walk it is there */
static PetscErrorCode CheckHow(const Walked *w)
{
  const char *const elsewhere[] = {"[", ".c", "every program", "the way"};
  PetscBool         there       = PETSC_FALSE;
  char             *at;

  PetscFunctionBeginUser;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(elsewhere); k++) {
    PetscCall(PetscStrstr(w->how, elsewhere[k], &at));
    if (at) there = PETSC_TRUE;
  }
  for (int more = 0; more < 2; more++)
    for (const Reader *const *list = more ? more_readers : readers; *list; list++)
      for (const Reader *r = *list; r->name; r++) {
        PetscCall(PetscStrstr(w->how, r->name, &at));
        if (at) there = PETSC_TRUE;
      }
  PetscCall(CheckTrue(there, CheckText("%s is walked by %s", w->name, w->how)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every operation that the base class has */
PetscErrorCode CheckOperations(Mat R)
{
  const size_t places = sizeof(struct _MatOps) / sizeof(PetscErrorCodeFn *);

  PetscFunctionBeginUser;
  for (size_t k = 0; k < places; k++) {
    const Walked     *w = NULL;
    PetscErrorCodeFn *f;

    PetscCall(PetscMemcpy(&f, (const char *)R->ops + k * sizeof(f), sizeof(f)));
    if (!f) continue;
    for (size_t n = 0; n < PETSC_STATIC_ARRAY_LENGTH(walked_operations); n++)
      if (walked_operations[n].place == k) w = &walked_operations[n];
    PetscCall(CheckTrue(w != NULL, CheckText("operation %d of AIJ is in tests/mat/common/operations.c", (int)k)));
    if (w) PetscCall(CheckHow(w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every composed function that the base class has */
PetscErrorCode CheckFunctions(Mat R)
{
  const char **names;
  int          n;

  PetscFunctionBeginUser;
  PetscCall(PetscFunctionListGet(((PetscObject)R)->qlist, &names, &n));
  for (int k = 0; k < n; k++) {
    PetscBool known = PETSC_FALSE, same;

    for (size_t q = 0; q < PETSC_STATIC_ARRAY_LENGTH(named_for_plain); q++) {
      PetscCall(PetscStrbeginswith(names[k], named_for_plain[q], &same));
      known = (PetscBool)(known || same);
    }
    for (size_t q = 0; q < PETSC_STATIC_ARRAY_LENGTH(walked_functions); q++) {
      PetscCall(PetscStrcmp(names[k], walked_functions[q].name, &same));
      if (same) PetscCall(CheckHow(&walked_functions[q]));
      known = (PetscBool)(known || same);
    }
    PetscCall(CheckTrue(known, CheckText("the composed function %s of AIJ is in tests/mat/common/operations.c", names[k])));
  }
  PetscCall(PetscFree(names));
  PetscFunctionReturn(PETSC_SUCCESS);
}
