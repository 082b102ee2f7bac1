/*
   The work of a fused solve for the model: of the last one, or recorded as the first one would run.
*/
#include "advice.hpp"
#include "../../model/measure.hpp"
#include "../../model/model.hpp"
#include "course.hpp"

namespace heptane
{

namespace
{

/* The form that the passes will have of the preconditioner, before it is asked for */
PetscErrorCode PcLike(KSP ksp, FusedPc *pc)
{
  PetscBool point, blocks;
  PetscInt  bs;
  Mat       P;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->pc, PCJACOBI, &point));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp->pc, &blocks, PCPBJACOBI, PCBLOCKJACOBIREG, ""));
  PetscCall(PCGetOperators(ksp->pc, NULL, &P));
  PetscCall(MatGetBlockSize(P, &bs));
  if (blocks && bs > 1) {
    pc->form  = FusedPc::blocks;
    pc->block = (int)bs;
  } else if (point || blocks) pc->form = FusedPc::point;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void FusedAdvice::Reset()
{
  for (Cost &c : cost) c = Cost();
  last_iterations = 0;
}

/* An iteration before any has run: recorded, and taken for both sides. The engine is left as it is within a solve. */
PetscErrorCode FusedAdvice::FirstCost(KSP ksp, FusedContext *ctx)
{
  FusedEngine  &e = *ctx->engine;
  FusedResident answer;
  FusedPc       pc;
  Cost          c;

  PetscFunctionBegin;
  PetscCall(PcLike(ksp, &pc));
  PetscCall(e.Begin(ksp, ctx->method->Vectors(ksp), ctx->blocking));
  ctx->method->Begin(e);
  PetscCall(FusedMakePlan(ctx, pc));
#if PetscDefined(HAVE_CUDA)
  FusedPersistent P;

  if (matrix.device_usable && e.Operator() && (ctx->mode == KSP_FUSED_AUTO || ctx->mode == KSP_FUSED_PERSISTENT) && ctx->method->Persistent(e, pc, &P)) {
    if (P.pc.form == FusedPc::point) P.pc.source = FusedPc::own; /* no inverses are there yet */
    PetscCall(e.Operator()->PersistentFits(P, NULL, &answer));
  }
#endif
  c.known       = true;
  c.bytes_a_row = ctx->bytes_a_row;
  c.launches    = ctx->plan.launches + (ctx->plan.products - ctx->plan.fused_products);
  c.reductions  = ctx->plan.reductions;
  c.products    = ctx->plan.products;
  if (e.Operator() && !e.OnDevice()) {
    c.product_us    = time_product(*e.Operator(), (std::size_t)e.Rows());
    c.product_bytes = e.Operator()->MatrixBytes() + 2 * sizeof(Scalar) * (double)e.Rows();
  }
  cost[host]   = c;
  c.persistent = answer.fits;
  cost[device] = c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedAdvice::Work(KSP ksp, FusedContext *ctx, bool on_device)
{
  const double vector = (double)sizeof(Scalar) * (double)ksp->vec_rhs->map->n;
  const int    ups    = ksp->guess_zero ? 1 : 2;
  SolveWork   &w      = work;

  PetscFunctionBegin;
  if (!cost[host].known && !cost[device].known) {
    const PetscErrorCode code = FirstCost(ksp, ctx), ended = FusedQuietly([&] { return ctx->engine->End(); });
    PetscCall(code ? code : ended);
  }
  w.rows          = (double)ksp->vec_rhs->map->n;
  w.iterations    = (double)PetscMin(last_iterations ? last_iterations : ModelIterations(), PetscMax(ksp->max_it, 1));
  w.host_bytes    = cost[host].bytes_a_row * w.rows;
  w.device_bytes  = cost[device].bytes_a_row * w.rows;
  w.passes        = cost[host].launches;
  w.product_us    = cost[host].product_us;
  w.product_bytes = cost[host].product_bytes;
  w.launches      = cost[device].launches;
  w.reductions    = cost[device].reductions;
  w.products      = cost[device].products;
  w.persistent    = cost[device].persistent;
  w.working_set   = matrix.value_bytes + (double)(ctx->method->Vectors(ksp).size() + 1) * vector; /* and the inverses of the preconditioner */
  w.halo_bytes    = sizeof(Scalar) * PetscPowReal(w.rows, 2. / 3);                                /* a slab of a cube */
  if (!matrix.filled) w.fill = matrix.value_bytes;
  if (!matrix.on_device) w.matrix_up = matrix.value_bytes;
  if (!matrix.on_host) w.matrix_down = matrix.value_bytes;
  if (!on_device) {
    w.vectors_up         = ups * vector;
    w.vectors_up_count   = ups;
    w.vectors_down       = vector;
    w.vectors_down_count = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Names(KSP ksp, std::string names[3])
{
  Mat A;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  names[0] = ((PetscObject)ksp)->type_name;
  names[1] = ((PetscObject)A)->type_name;
  names[2] = ((PetscObject)ksp->pc)->type_name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedAdvice::Before(KSP ksp, FusedContext *ctx, bool on_device)
{
  std::string names[3];
  PetscBool   simple;
  PetscMPIInt size;
  Mat         A;
  PetscErrorCode (*get)(Mat, MatPlacement *);

  PetscFunctionBegin;
  work   = SolveWork();
  matrix = MatPlacement();
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, placement_name, &get));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp->pc, &simple, PCNONE, PCJACOBI, PCPBJACOBI, PCBLOCKJACOBIREG, ""));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
  if (size > 1 || !get || !simple) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*get)(A, &matrix));
  PetscCall(Work(ksp, ctx, on_device));
  PetscCall(Names(ksp, names));
  PetscCall(ModelBeforeSolve(names[0], names[1], names[2], work));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedAdvice::After(KSP ksp, FusedContext *ctx, bool on_device, double us)
{
  const FusedEngine &e = *ctx->engine;
  Cost              &c = cost[on_device ? device : host];
  std::string        names[3];

  PetscFunctionBegin;
  if (work.rows == 0) PetscFunctionReturn(PETSC_SUCCESS);
  work.iterations = (double)ksp->its;
  if (ctx->fused && e.OnDevice() == on_device && ksp->its > 0) {
    last_iterations = ksp->its;
    c.known         = true;
    c.bytes_a_row   = ctx->bytes_a_row;
    c.launches      = ctx->plan.launches + (ctx->plan.products - ctx->plan.fused_products);
    c.reductions    = ctx->plan.reductions;
    c.products      = ctx->plan.products;
    if (on_device) {
      c.persistent      = ctx->chosen == KSP_FUSED_PERSISTENT;
      work.persistent   = c.persistent;
      work.device_bytes = c.bytes_a_row * work.rows;
      work.launches     = c.launches;
    } else {
      work.host_bytes = c.bytes_a_row * work.rows;
      work.passes     = c.launches;
    }
  }
  PetscCall(Names(ksp, names));
  PetscCall(ModelSolved(names[0], names[1], names[2], work, on_device, us));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
