/*
   The operations of AIJ that readers.h leaves out: with those it walks all that PETSc has, tests/mat/never_stale.c.
*/
#pragma once

#include "more_answers.h"
#include "more_changes.h"
#include "more_derived.h"
#include "more_patterns.h"
#include "more_results.h"

static const struct {
  const char *name;
  ReaderFn   *read;
} more_readers[] = {
  {"MatGetColumnNorms",                   ColumnReductions       },
  {"MatGetRowMax",                        RowMaximum             },
  {"MatGetRowMin",                        RowMin                 },
  {"MatGetRowMinAbs",                     RowMinAbs              },
  {"MatGetRowSumAbs",                     RowSumAbs              },
  {"MatEqual",                            EqualToCopy            },
  {"MatIsTranspose",                      TransposeOf            },
  {"MatIsHermitianTranspose",             HermitianTransposeOf   },
  {"MatIsSymmetric",                      Symmetry               },
  {"MatIsHermitian",                      Hermiticity            },
  {"MatPermute",                          Permuted               },
  {"MatZeroRowsColumns",                  RowsColumnsZeroed      },
  {"MatDiagonalSet",                      DiagonalAdded          },
  {"MatDiagonalScaleLocal",               ScaledLocally          },
  {"MatSetValuesRow",                     RowSet                 },
  {"MatEliminateZeros",                   ZerosEliminated        },
  {"MatFindZeroDiagonals",                ZeroDiagonals          },
  {"MatFindNonzeroRows",                  NonzeroRows            },
  {"MatFindOffBlockDiagonalEntries",      OffBlockDiagonal       },
  {"MatGetColumnVector",                  Column                 },
  {"MatInvertVariableBlockDiagonal",      InverseVariableBlocks  },
  {"MatCreateGraph",                      Graph                  },
  {"MatTransposeMatMult",                 TransposeTimes         },
  {"MatLUFactor in place",                FactoredInPlace        },
  {"MatSetRandom",                        Random                 },
  {"MatCreateMAIJ",                       MultipleOfA            },
  {"MatImaginaryPart",                    Imaginary              },
  {"MatGetMultiProcBlock",                MultiProcBlock         },
  {"MatCreateSubMatricesMPI",             ParallelSubMatrices    },
  {"MatCreateMPIMatConcatenateSeqMat",    Concatenated           },
  {"MatFDColoringApply",                  Differences            },
  {"MatMPIAIJGetLocalMat",                LocalRows              },
  {"MatReorderForNonzeroDiagonal",        ReorderedForDiagonal   },
  {"MatSeqAIJSetPreallocation",           PreallocatedAgain      },
  {"MatResetHash",                        HashedAgain            },
  {"MatSeqAIJSetPreallocationCSR",        RowsGiven              },
  {"MatSetPreallocationCOO",              SetFromCoordinatesAgain},
  {"MatTranspose into its result",        AgainTranspose         },
  {"MatMatMult into its result",          AgainSquare            },
  {"MatPtAP into its result",             AgainPtAP              },
  {"MatTransposeMatMult into its result", AgainAtB               },
  {"MatCreateSubMatrix into its result",  AgainSubMatrix         },
  {"MatConvert into its result",          AgainAIJ               },
  {"MatLoad into a matrix with values",   AgainLoaded            },
  {"MatCopy into a matrix with values",   AgainCopy              },
  {"MatAXPY into a matrix with values",   AgainSum               },
};
