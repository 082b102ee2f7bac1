/*
   The side of a fused solve: the rule, and the vectors of a solve that is moved.
*/
#include "placement.hpp"
#include "../../comm/peer_memory.hpp"
#include "../../comm/peer_options.hpp"
#include "../../device/staged_copy.hpp"
#include "../../sys/collective.hpp"
#include "../../sys/vectors.hpp"
#include "../../private/mat.hpp"

namespace heptane
{

FusedPlacement::~FusedPlacement()
{
  PetscCallAbort(PETSC_COMM_SELF, Reset());
}

PetscErrorCode FusedPlacement::Reset()
{
  PetscFunctionBegin;
  PetscCall(VecDestroyVecs(number_moved, &moved));
  number_moved = 0;
  ran_moved    = false;
  ForgetStaged();
  text.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::SetFromOptions(KSP ksp, PetscOptionItems PetscOptionsObject)
{
  PetscInt  choice = (PetscInt)requested;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-ksp_fused_place", "Place of solves: that of the vectors, automatic by the number of rows, host, GPU", "KSPFUSEDCG",
                              placing_names, 4, placing_names[(int)requested], &choice, &set));
  if (set) {
    requested = static_cast<Placing>(choice);
    given     = true;
  }
  PetscCall(PetscOptionsGetBool(((PetscObject)ksp)->options, NULL, "-heptane_test_move", &pretended, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

PetscErrorCode Bind(const std::vector<Vec> &vectors, PetscBool bind)
{
  PetscFunctionBegin;
  for (Vec v : vectors) PetscCall(VecBindToCPU(v, bind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<Vec> all_of(KSP ksp)
{
  std::vector<Vec> all = {ksp->vec_sol, ksp->vec_rhs};

  all.insert(all.end(), ksp->work, ksp->work + ksp->nwork);
  return all;
}

/*
   Whether all of these are of CUDA's type, and whether they are on a GPU, as the passes need it, which may differ
   between processes. *why stays empty if each is of PETSc's standard or CUDA type, and not bound to the host.
*/
PetscErrorCode CheckVectors(const std::vector<Vec> &vectors, PetscBool *typed, PetscBool *cuda, std::string *why)
{
  PetscBool standard, device, bound;

  PetscFunctionBegin;
  *typed = *cuda = PETSC_TRUE;
  for (Vec v : vectors) {
    PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &standard, VECSEQ, VECMPI, ""));
    PetscCall(PetscObjectTypeCompareAny((PetscObject)v, &device, VECSEQCUDA, VECMPICUDA, ""));
    PetscCall(VecBoundToCPU(v, &bound)); /* true for each vector of the standard type */
    if (!device) *typed = PETSC_FALSE;
    if (!device || bound) *cuda = PETSC_FALSE;
    if (!standard && !device) *why = std::string("vectors of type ") + ((PetscObject)v)->type_name + " are not copied to the other side";
    if (device && bound) *why = "the vectors are bound to the host";
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the null space has vectors of its own, which stay on the host, as vectors of a function of the program may */
PetscErrorCode HasVectors(MatNullSpace space, PetscBool *has)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  if (space) PetscCall(MatNullSpaceGetVecs(space, NULL, &n, NULL));
  if (n || (space && space->remove)) *has = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From one vector to another like it, wherever their values are */
PetscErrorCode CopyValues(Vec from_vec, Vec to_vec)
{
  const std::size_t  n = (std::size_t)LocalSize(from_vec);
  const PetscScalar *from;
  PetscScalar       *to;
  PetscMemType       from_is, to_is;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(from_vec, &from, &from_is));
  PetscCall(VecGetArrayWriteAndMemType(to_vec, &to, &to_is));
  if (PetscMemTypeHost(from_is) && PetscMemTypeHost(to_is)) PetscCall(PetscArraycpy(to, from, n));
  else if (PetscMemTypeHost(from_is)) PetscCall(StagedCopyToDevice(to, from, n * sizeof(Scalar)));
  else if (PetscMemTypeHost(to_is)) PetscCall(StagedCopyToHost(to, from, n * sizeof(Scalar)));
#if PetscDefined(HAVE_CUDA)
  else if (n) {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemcpyAsync(to, from, n * sizeof(Scalar), cudaMemcpyDeviceToDevice, stream));
  }
#endif
  PetscCall(VecRestoreArrayWriteAndMemType(to_vec, &to));
  PetscCall(VecRestoreArrayReadAndMemType(from_vec, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StampOf(Vec v, Stamp *stamp)
{
  PetscObjectId    id;
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)v, &id));
  PetscCall(PetscObjectStateGet((PetscObject)v, &state));
  *stamp << id << state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/* Why a solve is not moved, whatever its size; empty: it can be moved. gpus: all processes have a usable GPU */
PetscErrorCode FusedPlacement::WhyStays(KSP ksp, bool on_device, bool gpus, std::string *why)
{
  Mat          A;
  MatNullSpace null[2] = {NULL, NULL};
  PetscBool    moves, bound, vectors = PETSC_FALSE;
  PetscErrorCode (*get)(Mat, MatPlacement *);

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, placement_name, &get));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp->pc, &moves, PCNONE, PCJACOBI, PCPBJACOBI, PCBLOCKJACOBIREG, PCGRIDMG, ""));
  PetscCall(MatGetNullSpace(A, &null[0]));
  PetscCall(MatGetTransposeNullSpace(A, &null[1]));
  for (MatNullSpace space : null) PetscCall(HasVectors(space, &vectors));
  PetscCall(MatBoundToCPU(A, &bound));
  if (!get) *why = "the matrix is of none of heptane's types";
  else if (!moves) *why = std::string("the preconditioner ") + ((PetscObject)ksp->pc)->type_name + " cannot be set up on the other side";
  else if (vectors) *why = "the null space has vectors on the host, or a function of the program";
  else if (pretended || on_device) PetscFunctionReturn(PETSC_SUCCESS);
  else if (bound) *why = "the matrix is bound to the host";
  else if (!gpus) *why = "no GPU is usable, or processes share one";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the GPU has memory for vectors and matrix, on all processes */
PetscErrorCode FusedPlacement::HasRoom(KSP ksp, PetscBool *room)
{
  *room = PETSC_TRUE;
  PetscFunctionBegin;
#if PetscDefined(HAVE_CUDA)
  MatPlacement      matrix;
  std::size_t       least, total;
  Mat               A;
  const std::size_t vector = sizeof(Scalar) * (std::size_t)LocalSize(ksp->vec_sol);
  PetscErrorCode (*get)(Mat, MatPlacement *);

  if (pretended) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, placement_name, &get));
  PetscCall((*get)(A, &matrix));
  const double needed = (double)((std::size_t)(2 + ksp->nwork) * vector) + (matrix.on_device ? 0 : matrix.value_bytes);

  PetscCallCUDA(cudaMemGetInfo(&least, &total));
  *room = (PetscBool)(1.02 * needed <= (double)least); /* allocations are rounded up */
  PetscCall(CollectiveReduce(PetscObjectComm((PetscObject)ksp), room, 1, MPI_C_BOOL, MPI_LAND));
#else
  (void)ksp;
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
   The side of the vectors and the side of the solve; text states the reason. All processes decide alike,
   though vectors and matrices may be bound only on some (-vec_bind_below, -mat_bind_below). tested: the iterations are
   tested, and may be many
*/
PetscErrorCode FusedPlacement::Decide(KSP ksp, bool tested, Side *from, Side *to)
{
  const PetscInt    least = tested ? PlacementTuning::rows : PlacementTuning::rows_of_smoothers;
  const std::string was   = text;
  const PetscInt    rows  = GlobalSize(ksp->vec_sol);
  const MPI_Comm    comm  = PetscObjectComm((PetscObject)ksp);
  std::string       why;
  PetscBool         typed, cuda, usable, exclusive, room = PETSC_TRUE;
  PetscMPIInt       size;
  PeerOptions       options;

  PetscFunctionBegin;
  PetscCall(DeviceExclusive(comm, &usable, &exclusive));
  *from = *to = host;
  text.clear();
  if (!given && placing == Placing::automatic && !usable && !pretended) PetscFunctionReturn(PETSC_SUCCESS); /* there is no choice */
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(CheckVectors(all_of(ksp), &typed, &cuda, &why));
  if (cuda) *from = *to = device;
  if (placing == Placing::vectors || (!given && placing == Placing::automatic && typed)) PetscFunctionReturn(PETSC_SUCCESS);
  if (!exclusive) PetscCall(PeerOptionsGet(Where::device, &options));
  if (why.empty()) PetscCall(WhyStays(ksp, cuda, exclusive || (usable && options.may_share), &why));
  if (size > 1) PetscCall(PeerAgree(comm, &why));
  if (!why.empty()) why = ": " + why;
  else if (placing == Placing::host) *to = host;
  else if (placing == Placing::device) *to = device;
  else if (!cuda && rows / size < least) why = ": fewer than " + std::to_string(least) + " rows per process";
  else *to = device;
  if (*to == device && *from == host && !moved) PetscCall(HasRoom(ksp, &room));
  if (!room) {
    *to = host;
    why = ": the GPU has no memory for vectors and matrix";
  }
  text = std::string("placed by ") + placing_names[(int)placing] + " on the " + (*to == device ? "device" : "host") + why;
  if (text != was) {
    const bool stays = *to == host && *from == host && usable && rows / size >= least && placing != Placing::host;

    PetscCall(PetscInfo(ksp, "Solve %s%s\n", text.c_str(), stays ? "; with -dm_vec_type cuda or -vec_type cuda vectors are on the device" : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors on the device for the vectors of a solver on the host */
PetscErrorCode FusedPlacement::MakeMoved(KSP ksp)
{
  const PetscInt number = 2 + ksp->nwork;
  Vec            like;
  PetscLayout    rows;

  PetscFunctionBegin;
  if (moved && number_moved == number && LocalSize(moved[0]) == LocalSize(ksp->vec_sol)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroyVecs(number_moved, &moved));
  ForgetStaged();
  PetscCall(VecCreate(PetscObjectComm((PetscObject)ksp), &like));
  PetscCall(VecGetLayout(ksp->vec_sol, &rows));
  PetscCall(VecSetLayout(like, rows));
  PetscCall(VecSetType(like, pretended ? VECSTANDARD : VECCUDA));
  PetscCall(VecDuplicateVecs(like, number, &moved));
  PetscCall(VecDestroy(&like));
  number_moved = number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The right-hand side, and the solution if it is an initial guess, unless Stage() has copied them for this solve */
PetscErrorCode FusedPlacement::CopyUp(KSP ksp)
{
  Stamp x, b;

  PetscFunctionBegin;
  PetscCall(MakeMoved(ksp));
  PetscCall(StampOf(ksp->vec_sol, &x));
  PetscCall(StampOf(ksp->vec_rhs, &b));
  if (b != staged[1]) PetscCall(CopyValues(ksp->vec_rhs, moved[1]));
  if (ksp->guess_zero) PetscCall(VecZeroEntries(moved[0]));
  else if (x != staged[0]) PetscCall(CopyValues(ksp->vec_sol, moved[0]));
  ForgetStaged();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The program's choice, or the choice of -heptane_device */
PetscErrorCode FusedPlacement::FindPlacing()
{
  PetscFunctionBegin;
  if (given) placing = requested;
  else PetscCall(DevicePlacing(&placing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::Stage(KSP ksp, FusedContext *ctx, Vec *b, Vec *x)
{
  Side from, to = host;

  PetscFunctionBegin;
  ForgetStaged();
  PetscCall(FindPlacing());
  if (placing != Placing::vectors) PetscCall(Decide(ksp, ctx->method->Untested(ksp) < 0, &from, &to));
  if (to == host || from == device) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CopyUp(ksp));
  PetscCall(PetscObjectStateIncrease((PetscObject)*x)); /* its norm is no longer the norm of the guess */
  PetscCall(StampOf(*x, &staged[0]));
  PetscCall(StampOf(*b, &staged[1]));
  *b = moved[1];
  *x = moved[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FusedPlacement::Swap(KSP ksp)
{
  std::swap(ksp->vec_sol, solution);
  std::swap(ksp->vec_rhs, rhs);
  std::swap(ksp->work, work);
}

PetscErrorCode FusedPlacement::Show(KSP ksp)
{
  PetscFunctionBegin;
  if (!running) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CopyValues(ksp->vec_sol, solution));
  Swap(ksp);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::Hide(KSP ksp)
{
  PetscFunctionBegin;
  if (running) Swap(ksp);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::CopyWork(KSP ksp, Vec v, PetscBool *copied) const
{
  PetscFunctionBegin;
  *copied = (PetscBool)(ran_moved && ksp->work != moved + 2);
  if (*copied) PetscCall(CopyValues(moved[2], v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::Begin(KSP ksp, bool tested)
{
  Side from, to;

  PetscFunctionBegin;
  PetscCall(FindPlacing());
  PetscCall(Decide(ksp, tested, &from, &to));
  ran_moved = false;
  if ((to != device || from == device) && ksp->guess_zero) PetscCall(VecSet(ksp->vec_sol, 0.0)); /* see FusedInstall() */
  if (to == from) PetscFunctionReturn(PETSC_SUCCESS);
  if (to == device) {
    PetscCall(CopyUp(ksp));
    solution = moved[0];
    rhs      = moved[1];
    work     = moved + 2;
    Swap(ksp);
    running = ran_moved = true;
  } else {
    bound = all_of(ksp);
    PetscCall(Bind(bound, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::End(KSP ksp)
{
  const bool             was_running = std::exchange(running, false);
  const std::vector<Vec> were_bound  = std::exchange(bound, {});

  PetscFunctionBegin;
  if (was_running) {
    Swap(ksp);
    PetscCall(CopyValues(moved[0], ksp->vec_sol));
  }
  PetscCall(Bind(were_bound, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
