/*
   Notice when somebody reads or writes the value array of a SeqAIJ matrix: while a matrix is armed, its host values are out of date, and
   the first access through PETSc's accessors calls back, disarms, and then proceeds. Knows nothing of formats.
*/
#pragma once

#include <petscmat.h>

namespace heptane
{

enum class HostAccess { read, read_write, write };

/* Called with the SeqAIJ matrix, already disarmed: must bring its host values up to date unless the access is write */
using HostAccessFn = PetscErrorCode (*)(Mat, HostAccess);

/* Whether this PETSc's SeqAIJ has the accessors where we expect them: found out once, on a matrix made for it. If not, never arm. */
PetscErrorCode SeqAIJCanArm(PetscBool *can);

/* A: any SEQAIJ matrix (also a block of an MPIAIJ matrix). One callback for the whole library. */
PetscErrorCode SeqAIJArm(Mat A, HostAccessFn callback);
PetscErrorCode SeqAIJDisarm(Mat A);
PetscBool      SeqAIJIsArmed(Mat A);

/* Whether MAT_KEEP_NONZERO_PATTERN is set; false where that cannot be found out */
PetscErrorCode SeqAIJKeepsPattern(Mat A, PetscBool *keeps);

} // namespace heptane
