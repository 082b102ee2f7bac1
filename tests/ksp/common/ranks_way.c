#include "ranks_way.h"

const char *ranks_ways[]  = {"-heptane_comm mpi", "-heptane_comm peer"};
PetscBool   ranks_by_nccl = PETSC_FALSE;

PetscErrorCode RanksWaysGet(void)
{
  PetscFunctionBeginUser;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-by_nccl", &ranks_by_nccl));
  if (ranks_by_nccl) ranks_ways[1] = "-heptane_comm nccl";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OnDevice(Mat A, PetscBool *device)
{
  VecType type;

  PetscFunctionBeginUser;
  PetscCall(MatGetVecType(A, &type));
  PetscCall(PetscStrendswith(type, "cuda", device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModeIs(const char mode[], PetscBool *is)
{
  char *found;

  PetscFunctionBeginUser;
  PetscCall(PetscStrstr(compare_mode, mode, &found));
  *is = (PetscBool)(found != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a persistent kernel is asked for, which CG and BiCGStab have with Jacobi or none for single unknowns per cell where all processes have rows */
static PetscErrorCode IsPersistent(const System *s, KSP ksp, PetscBool *persistent)
{
  PC        pc;
  PetscBool rows;
  Mat       A;

  PetscFunctionBeginUser;
  PetscCall(ModeIs("persistent", persistent));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &rows, PCJACOBI, PCNONE, PCPBJACOBI, ""));
  *persistent = (PetscBool)(*persistent && rows && s->bs == 1 && !s->split && (TwinIs(KSPCG) || TwinIs(KSPBCGS)));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, "mpiaijbdiagh", &rows));
  *persistent = (PetscBool)(*persistent && rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckRanksWay(const System *s, KSP ksp, int way)
{
  static Plan       plan;
  const PetscMPIInt size = CheckProcesses();
  const char *const peer = ranks_by_nccl ? "NCCL" : "memory to memory"; /* the second way */
  char              line[160];
  MatType           type;
  PetscBool         aij, device, persistent, is, in_passes, all_by_mpi = PETSC_FALSE;
  PC                pc;
  Mat               A;

  PetscFunctionBeginUser;
  PetscCall(IsPersistent(s, ksp, &persistent));
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(OnDevice(A, &device));
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscStrcmp(type, MATMPIAIJ, &aij));
  PetscCall(Look(ksp, &plan));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &in_passes, PCJACOBI, PCNONE, PCPBJACOBI, ""));
  if (way && ranks_by_nccl) all_by_mpi = (PetscBool)(aij || !in_passes || strstr(plan.text, "not by NCCL")); /* also where processes share a GPU */
  if (all_by_mpi) way = 0;
  PetscCall(PetscSNPrintf(line, sizeof(line), "%d processes: sums by %s, halo by %s\n", (int)size, way ? peer : "MPI",
                          aij || all_by_mpi || (device && !way) ? "MatMult()"
                          : way                                 ? peer
                                                                : "MPI"));
  PetscCall(CheckTrue(!plan.fused || size == 1 || strstr(plan.text, line), line));
  PetscCall(PetscStrcmp(plan.mode, "persistent", &is));
  PetscCall(CheckTrue(is == (PetscBool)(persistent && way && device && !ranks_by_nccl), "a persistent kernel where there is one over several processes"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
