/*
   The operations that every way of setting values is checked with, tests/mat/lazy.c. Those that PETSc has besides: more_readers.h.
*/
#pragma once

#include "read_changes.h"
#include "read_copies.h"
#include "read_products.h"
#include "read_values.h"

static const struct {
  const char *name;
  ReaderFn   *read;
} readers[] = {
  {"MatGetValues",                         GetValues         },
  {"MatGetRow",                            GetRow            },
  {"MatSeqAIJGetArrayRead of the blocks",  BlockArrays       },
  {"MatGetDiagonalBlock",                  DiagonalBlock     },
  {"MatView and MatLoad",                  FileRoundTrip     },
  {"MatMatMult",                           Square            },
  {"MatPtAP",                              Galerkin          },
  {"MatAXPY into AIJ",                     AddedToAIJ        },
  {"MatCopy into AIJ",                     CopiedToAIJ       },
  {"MatDuplicate",                         Duplicated        },
  {"MatConvert to AIJ",                    Converted         },
  {"MatConvert to dense",                  Densified         },
  {"MatTranspose",                         Transposed        },
  {"MatCreateSubMatrix",                   OwnRows           },
  {"MatCreateSubMatrices",                 AllRows           },
  {"MatNorm and MatGetTrace",              Norms             },
  {"MatGetRowSum",                         RowSum            },
  {"MatGetRowMaxAbs",                      RowMax            },
  {"MatGetDiagonal",                       Diagonal          },
  {"MatMultTranspose",                     TransposeProduct  },
  {"MatResidual",                          Residual          },
  {"MatSOR",                               Sweep             },
  {"MatLUFactor of the diagonal block",    LocalLU           },
  {"MatInvertBlockDiagonal",               InverseBlocks     },
  {"MatMult bound to the host",            HostProduct       },
  {"MatCreateRedundantMatrix",             Redundant         },
  {"MatSetValue",                          OneAdded          },
  {"MatShift",                             Shifted           },
  {"MatDiagonalScale",                     Scaled            },
  {"MatZeroRows",                          RowsZeroed        },
  {"MatStoreValues and MatRetrieveValues", StoredAndRetrieved},
};
