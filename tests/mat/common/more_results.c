/*
   Operations that write into a matrix which has values already, last set by coordinates.
*/
#include "ahead.h"
#include "reader.h"

/* A result that is written again by PETSc after its own values were last set by coordinates */
typedef PetscErrorCode ResultFn(Mat, MatReuse, Mat *);

static PetscErrorCode Again(Mat A, ResultFn *result, Vec *y)
{
  Mat C;

  PetscFunctionBeginUser;
  PetscCall(result(A, MAT_INITIAL_MATRIX, &C));
  PetscCall(Ahead(C));
  PetscCall(MatScale(A, 0.5));
  PetscCall(result(A, MAT_REUSE_MATRIX, &C));
  PetscCall(Apply(&C, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeSubMatrix(Mat A, MatReuse reuse, Mat *C)
{
  IS       is;
  PetscInt lo, hi;

  PetscFunctionBeginUser;
  PetscCall(MatGetOwnershipRange(A, &lo, &hi));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (hi - lo + 1) / 2, lo, 2, &is));
  PetscCall(MatCreateSubMatrix(A, is, is, reuse, C));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeAIJ(Mat A, MatReuse reuse, Mat *C)
{
  MatType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetType(A, &type));
  PetscCall(MatConvert(A, type, reuse, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeLoaded(Mat A, MatReuse reuse, Mat *C)
{
  PetscViewer viewer;

  PetscFunctionBeginUser;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, C));
  else {
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "again.bin", FILE_MODE_WRITE, &viewer));
    PetscCall(MatView(A, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, "again.bin", FILE_MODE_READ, &viewer));
    PetscCall(MatLoad(*C, viewer));
    PetscCall(PetscViewerDestroy(&viewer));
    PetscCall(CheckRemove("again.bin"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeCopy(Mat A, MatReuse reuse, Mat *C)
{
  PetscFunctionBeginUser;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, C));
  else PetscCall(MatCopy(A, *C, SAME_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeSum(Mat A, MatReuse reuse, Mat *C)
{
  PetscFunctionBeginUser;
  if (reuse == MAT_INITIAL_MATRIX) PetscCall(MatDuplicate(A, MAT_COPY_VALUES, C));
  else PetscCall(MatAXPY(*C, 0.25, A, SUBSET_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define AGAIN(make) \
  static PetscErrorCode Again##make(Mat A, Vec *y) \
  { \
    return Again(A, Make##make, y); \
  }
AGAIN(SubMatrix)
AGAIN(AIJ)
AGAIN(Loaded)
AGAIN(Copy)
AGAIN(Sum)

#define AGAIN_BY(make, call) \
  static PetscErrorCode Make##make(Mat A, MatReuse reuse, Mat *C) \
  { \
    return call; \
  } \
  AGAIN(make)
AGAIN_BY(Transpose, MatTranspose(A, reuse, C))
AGAIN_BY(Square, MatMatMult(A, A, reuse, PETSC_DETERMINE, C))
AGAIN_BY(PtAP, MatPtAP(A, A, reuse, PETSC_DETERMINE, C))
AGAIN_BY(AtB, MatTransposeMatMult(A, A, reuse, PETSC_DETERMINE, C))
#undef AGAIN
#undef AGAIN_BY

const Reader result_readers[] = {
  {"MatTranspose into its result",        AgainTranspose},
  {"MatMatMult into its result",          AgainSquare   },
  {"MatPtAP into its result",             AgainPtAP     },
  {"MatTransposeMatMult into its result", AgainAtB      },
  {"MatCreateSubMatrix into its result",  AgainSubMatrix},
  {"MatConvert into its result",          AgainAIJ      },
  {"MatLoad into a matrix with values",   AgainLoaded   },
  {"MatCopy into a matrix with values",   AgainCopy     },
  {"MatAXPY into a matrix with values",   AgainSum      },
  {NULL,                                  NULL          }
};
