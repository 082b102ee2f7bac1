/*
   Where a fused solve runs. Its vectors are copied, or bound to the host, for the time of a solve; whoever looks at the solver within it sees vectors of the side where it runs.
*/
#include "placement.hpp"
#include "../../model/measure.hpp"
#include "../../model/model.hpp"
#include "course.hpp"
#include <petsctime.h>
#include <cstdio>

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
  for (Cost &c : cost) c = Cost();
  measured_over_predicted[host] = measured_over_predicted[device] = 1;
  last_iterations                                                 = 0;
  text.clear();
  remark.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::SetFromOptions(KSP, PetscOptionItems PetscOptionsObject)
{
  PetscInt  choice = (PetscInt)own;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEList("-ksp_fused_place", "Where solves run: where the vectors are, where it is predicted to take less time, on the host, on a GPU",
                              NULL, placing_names, 4, placing_names[(int)own], &choice, &set));
  if (set) {
    own   = static_cast<Placing>(choice);
    given = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

/* Those whose application is row arithmetic on either side */
PetscErrorCode MovesWith(PC pc, PetscBool *moves)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, moves, PCNONE, PCJACOBI, PCPBJACOBI, PCBLOCKJACOBIREG, ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the passes will have of the preconditioner, before it is asked for */
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

} // namespace

/* Vectors, matrix and preconditioner as they are now. Not movable: *remark says why. */
PetscErrorCode FusedPlacement::Find(KSP ksp, Situation *s)
{
  PetscErrorCode (*get)(Mat, MatPlacement *);
  Mat         A;
  PetscBool   moves, bound = PETSC_FALSE, plain;
  PetscMPIInt size;

  PetscFunctionBegin;
  remark.clear();
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, placement_name, &get));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp->vec_rhs, &plain, VECSEQ, VECSEQCUDA, ""));
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp->vec_rhs, VECSEQCUDA, &s->cuda));
  PetscCall(VecBoundToCPU(ksp->vec_rhs, &bound));
  PetscCall(MovesWith(ksp->pc, &moves));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)ksp), &size));
#if PetscDefined(HAVE_DEVICE)
  s->values_on_device = s->cuda && !bound && ksp->vec_rhs->offloadmask != PETSC_OFFLOAD_CPU;
#endif
  s->start = s->cuda && !bound ? device : host;
  if (size > 1) remark = "solves on several processes run where their vectors are";
  else if (!get) remark = "the matrix is of none of heptane's types";
  else if (!plain) remark = std::string("vectors of type ") + ((PetscObject)ksp->vec_rhs)->type_name + " stay where they are";
  else if (!moves) remark = std::string("the preconditioner ") + ((PetscObject)ksp->pc)->type_name + " stays where it was set up";
  else {
    PetscCall((*get)(A, &s->matrix));
    s->counted = true;
    if (!s->matrix.device_usable) remark = "no GPU is usable";
    else if (s->cuda && bound) remark = "the vectors are bound to the host"; /* those of the standard type always are */
  }
  s->movable = remark.empty();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An iteration before any has run: recorded as it would run on the host, and taken for both sides. The engine is left as it is within a solve. */
PetscErrorCode FusedPlacement::FirstCost(KSP ksp, FusedContext *ctx, [[maybe_unused]] const Situation &s)
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

  if (s.matrix.device_usable && e.Operator() && (ctx->mode == KSP_FUSED_AUTO || ctx->mode == KSP_FUSED_PERSISTENT) && ctx->method->Persistent(e, pc, &P)) {
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

PetscErrorCode FusedPlacement::Work(KSP ksp, FusedContext *ctx, const Situation &s, SolveWork *w)
{
  const double vector = (double)sizeof(Scalar) * (double)ksp->vec_rhs->map->n;
  const int    ups    = ksp->guess_zero ? 1 : 2;

  PetscFunctionBegin;
  if (!cost[host].known && !cost[device].known) {
    const std::vector<Vec> bound = s.cuda && s.start == device ? all_of(ksp) : std::vector<Vec>();

    PetscCall(Bind(bound, PETSC_TRUE)); /* asking for their arrays must not copy them */
    const PetscErrorCode code = FirstCost(ksp, ctx, s), ended = FusedQuietly([&] { return ctx->engine->End(); });
    PetscCall(Bind(bound, PETSC_FALSE));
    PetscCall(code ? code : ended);
  }
  w->rows          = (double)ksp->vec_rhs->map->n;
  w->iterations    = (double)PetscMin(last_iterations ? last_iterations : ModelIterations(), PetscMax(ksp->max_it, 1));
  w->host_bytes    = cost[host].bytes_a_row * w->rows;
  w->device_bytes  = cost[device].bytes_a_row * w->rows;
  w->passes        = cost[host].launches;
  w->product_us    = cost[host].product_us;
  w->product_bytes = cost[host].product_bytes;
  w->launches      = cost[device].launches;
  w->reductions    = cost[device].reductions;
  w->products      = cost[device].products;
  w->persistent    = cost[device].persistent;
  w->working_set   = s.matrix.value_bytes + (double)(ctx->method->Vectors(ksp).size() + 1) * vector; /* and the inverses of the preconditioner */
  w->halo_bytes    = sizeof(Scalar) * PetscPowReal(w->rows, 2. / 3);                                 /* a slab of a cube */
  if (!s.matrix.filled) w->fill = s.matrix.value_bytes;
  if (!s.matrix.on_device) w->matrix_up = s.matrix.value_bytes;
  if (!s.matrix.on_host) w->matrix_down = s.matrix.value_bytes;
  if (!s.values_on_device) {
    w->vectors_up       = ups * vector;
    w->vectors_up_count = ups;
  }
  if (s.start == host) { /* vectors of CUDA's type stay on the device until somebody asks for their values */
    w->vectors_down       = vector;
    w->vectors_down_count = 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::Choose(KSP ksp, const Situation &s, const SolveWork &work, Side *side)
{
  const Machine *machine;
  char           line[160];

  PetscFunctionBegin;
  *side = s.start;
  text.clear();
  if (placing == Placing::vectors) PetscFunctionReturn(PETSC_SUCCESS);
  text = std::string("placed by ") + placing_names[(int)placing] + " on the ";
  if (!s.movable) {
    text += std::string(*side == device ? "device" : "host") + ": " + remark;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (placing == Placing::host || placing == Placing::device) {
    *side = placing == Placing::device ? device : host;
    text += *side == device ? "device" : "host";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (s.InPlace()) { /* going to the host would copy what is there */
    *side = device;
    text += "device: the vectors' or the matrix's values are there";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(ModelMachine(&machine));
  Prediction of[2] = {predict_host(*machine, work), predict_device(*machine, work)};

  for (Side k : {host, device}) of[k].iteration *= measured_over_predicted[k];
  const double us[2] = {of[host].Total(work.iterations), of[device].Total(work.iterations)};

  *side = us[device] < us[host] ? device : host;
  std::snprintf(line, sizeof(line), "%s: %.0f iterations expected, on the host %.4g us, on the device %.4g us", *side == device ? "device" : "host",
                work.iterations, us[host], us[device]);
  text += line;
  PetscCall(PetscInfo(ksp, "Solve %s\n", text.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors on the device for those of a solver on the host */
PetscErrorCode FusedPlacement::MakeMoved(KSP ksp)
{
  const PetscInt number = 2 + ksp->nwork;
  Mat            A;
  Vec            like;

  PetscFunctionBegin;
  if (moved && number_moved == number && moved[0]->map->n == ksp->vec_sol->map->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDestroyVecs(number_moved, &moved));
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  PetscCall(MatCreateVecs(A, &like, NULL));
  PetscCall(VecDuplicateVecs(like, number, &moved));
  PetscCall(VecDestroy(&like));
  number_moved = number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Between a host vector and one of CUDA's type, without a copy on the host in between */
static PetscErrorCode CopyValues(Vec from_vec, Vec to_vec, bool up)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  if (up) {
    PetscCall(VecGetArrayRead(from_vec, &from));
    PetscCall(VecGetArrayWriteAndMemType(to_vec, &to, NULL));
    PetscCall(CopyToDevice(to, from, (std::size_t)from_vec->map->n));
    PetscCall(VecRestoreArrayWriteAndMemType(to_vec, &to));
    PetscCall(VecRestoreArrayRead(from_vec, &from));
  } else {
    PetscCall(VecGetArrayReadAndMemType(from_vec, &from, NULL));
    PetscCall(VecGetArrayWrite(to_vec, &to));
    PetscCall(CopyToHost(to, from, (std::size_t)from_vec->map->n));
    PetscCall(VecRestoreArrayWrite(to_vec, &to));
    PetscCall(VecRestoreArrayReadAndMemType(from_vec, &from));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::OnDevice(KSP ksp, FusedContext *ctx, PetscErrorCode (*solve)(KSP, FusedContext *))
{
  const Vec  x = ksp->vec_sol, b = ksp->vec_rhs;
  Vec *const work = ksp->work;

  PetscFunctionBegin;
  PetscCall(MakeMoved(ksp));
  PetscCall(CopyValues(b, moved[1], true));
  if (ksp->guess_zero) PetscCall(VecZeroEntries(moved[0]));
  else PetscCall(CopyValues(x, moved[0], true));
  ksp->vec_sol = moved[0];
  ksp->vec_rhs = moved[1];
  ksp->work    = moved + 2;
  /* also after an error the solver has its own vectors again, and the solution as far as it got */
  const PetscErrorCode code = (*solve)(ksp, ctx);
  ksp->vec_sol              = x;
  ksp->vec_rhs              = b;
  ksp->work                 = work;
  if (code) (void)FusedQuietly([&] { return CopyValues(moved[0], x, false); });
  PetscCall(code);
  PetscCall(CopyValues(moved[0], x, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::OnHost(KSP ksp, FusedContext *ctx, PetscErrorCode (*solve)(KSP, FusedContext *))
{
  const std::vector<Vec> all = all_of(ksp);

  PetscFunctionBegin;
  PetscCall(Bind(all, PETSC_TRUE));
  const PetscErrorCode code = (*solve)(ksp, ctx);
  if (code) (void)FusedQuietly([&] { return Bind(all, PETSC_FALSE); });
  PetscCall(code);
  PetscCall(Bind(all, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedPlacement::Run(KSP ksp, FusedContext *ctx, PetscErrorCode (*solve)(KSP, FusedContext *), const Situation &s, Side side)
{
  PetscFunctionBegin;
  if (side == s.start) PetscCall((*solve)(ksp, ctx));
  else if (side == device) PetscCall(OnDevice(ksp, ctx, solve));
  else PetscCall(OnHost(ksp, ctx, solve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the solve has shown: what an iteration is on this side, how many there were, and how long they took beside what was predicted */
void FusedPlacement::Learn(KSP ksp, FusedContext *ctx, const SolveWork &before, Side ran, double us, SolveWork *after)
{
  const FusedEngine &e = *ctx->engine;
  Cost              &c = cost[ran];

  *after            = before;
  after->iterations = (double)ksp->its;
  if (!ctx->fused || e.OnDevice() != (ran == device) || ksp->its < 1) return;
  last_iterations = ksp->its;
  c.known         = true;
  c.bytes_a_row   = ctx->bytes_a_row;
  c.launches      = ctx->plan.launches + (ctx->plan.products - ctx->plan.fused_products);
  c.reductions    = ctx->plan.reductions;
  c.products      = ctx->plan.products;
  if (ran == device) {
    c.persistent        = ctx->chosen == KSP_FUSED_PERSISTENT;
    after->persistent   = c.persistent;
    after->device_bytes = c.bytes_a_row * after->rows;
    after->launches     = c.launches;
  } else {
    after->host_bytes = c.bytes_a_row * after->rows;
    after->passes     = c.launches;
  }
  if (!c.warm) { /* the first solve of a side also loads kernels and takes memory */
    c.warm = true;
    return;
  }
  const Machine *machine;
  if (ModelMachine(&machine)) return;
  const Prediction p    = ran == device ? predict_device(*machine, *after) : predict_host(*machine, *after);
  const double     took = us - p.Total(0), predicted = after->iterations * p.iteration;

  if (took > 0 && predicted > 0) measured_over_predicted[ran] = PetscMin(PetscMax(took / predicted, 0.2), 5.);
}

PetscErrorCode FusedPlacement::Solve(KSP ksp, FusedContext *ctx, PetscErrorCode (*solve)(KSP, FusedContext *))
{
  const std::string solver = ((PetscObject)ksp)->type_name, pc = ((PetscObject)ksp->pc)->type_name;
  Situation         s;
  SolveWork         work, after;
  Side              side;
  PetscLogDouble    begin, end;
  Mat               A;

  PetscFunctionBegin;
  if (given) placing = own;
  else PetscCall(DevicePlacing(&placing));
  if (placing == Placing::vectors && !ModelAdvises()) {
    text.clear();
    PetscCall((*solve)(ksp, ctx));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Find(ksp, &s));
  if (s.counted && (ModelAdvises() || (placing == Placing::automatic && s.movable && !s.InPlace()))) PetscCall(Work(ksp, ctx, s, &work));
  PetscCall(PCGetOperators(ksp->pc, &A, NULL));
  const std::string matrix = ((PetscObject)A)->type_name;
  if (work.rows > 0) PetscCall(ModelBeforeSolve(solver, matrix, pc, work));
  PetscCall(Choose(ksp, s, work, &side));
  PetscCall(PetscTime(&begin));
  PetscCall(Run(ksp, ctx, solve, s, side));
  PetscCall(PetscTime(&end));
  if (work.rows > 0) {
    Learn(ksp, ctx, work, side, 1e6 * (end - begin), &after);
    PetscCall(ModelSolved(solver, matrix, pc, after, side == device, 1e6 * (end - begin)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
