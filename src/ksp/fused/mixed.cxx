/*
   Mixed precision: the recurrences run with vectors and a scaled copy of the matrix stored in single precision, all sums in double. When they have lowered the norm by a factor, the
   solution takes what they have added up, and its residual, computed with the matrix itself in double precision, takes the place of theirs (Sleijpen and van der Vorst, Reliable updated residuals in
   hybrid Bi-CG methods, Computing 56, 1996). Convergence is declared on such a residual alone. What single precision cannot do goes on in double, from the last residual computed so.
*/
#include "../../sys/events.hpp"
#include "course.hpp"
#include "mixed_factor.hpp"
#include "mixed_passes.hpp"
#include "mixed_pays.hpp"
#include <cmath>
#include <cstring>

namespace heptane
{

namespace
{

constexpr char too_small[] = "too small a matrix for it to pay";

/* Whether passes may read the right-hand side where the other vectors are */
PetscErrorCode ReadsRhs(const FusedEngine &e, bool *reads)
{
  const PetscScalar *b;
  PetscMemType       mt = PETSC_MEMTYPE_HOST;
  PetscBool          owns;

  PetscFunctionBegin;
  PetscCall(FusedOwnsArray(e.ksp->vec_rhs, &owns));
  if (owns) {
    PetscCall(VecGetArrayReadAndMemType(e.ksp->vec_rhs, &b, &mt));
    PetscCall(VecRestoreArrayReadAndMemType(e.ksp->vec_rhs, &b));
  }
  *reads = owns && PetscMemTypeCUDA(mt) == e.OnDevice();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the solve is one in double precision; empty: it need not be. side: that of the copy */
PetscErrorCode WhyNot(KSP ksp, FusedContext *ctx, const FusedProgress *p, FusedSide *side, std::string *why)
{
  FusedEngine &e     = *ctx->engine;
  bool         reads = false;

  PetscFunctionBegin;
  PetscCall(ReadsRhs(e, &reads));
  if (std::is_same_v<Scalar, float>) *why = "PETSc is built in single precision";
  else if (e.Processes() > 1) *why = "several processes";
  else if (!e.Operator()) *why = "the matrix is multiplied by MatMult()";
  else if (p->pc.form == FusedPc::called) *why = "the preconditioner is called between the passes";
  else if (p->course.iterate) *why = "a monitor or convergence test looks at the iterate";
  else if (ksp->normtype == KSP_NORM_NONE || e.Host().chknorm > 0)
    *why = "no norm is computed that tells when the residual is to be computed in double precision";
  else if (!reads) *why = "the right-hand side lies elsewhere than the solution";
  else if (ctx->precision == KSP_FUSED_PRECISION_AUTO && !e.OnDevice()) *why = "on the host not all methods gain by it";
  else if (ctx->precision == KSP_FUSED_PRECISION_AUTO && e.Operator()->MatrixBytes() < FusedTuning::mixed_resident_bytes) *why = too_small;
  else *why = ctx->method->WhyNotSingle(ksp) ? ctx->method->WhyNotSingle(ksp) : "";
  if (why->empty() && p->pc.form != FusedPc::none) *side = ctx->method->SideSingle(ksp, p->pc, why);
  if (why->empty()) *why = e.Operator()->WhyNotSingle(FusedScalingOf(*side, p->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes per row of an iteration with this preconditioner and a matrix of so many bytes */
PetscErrorCode BytesWith(FusedContext *ctx, const FusedPc &pc, double matrix, double *bytes)
{
  FusedEngine &e = *ctx->engine;
  FusedPlan    iteration;

  PetscFunctionBegin;
  PetscCall(e.Record(&iteration, [&] { return ctx->method->Iteration(e, pc); }));
  *bytes = iteration.BytesPerRow(matrix, (double)e.Rows());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same in double precision, with the scaled copy that a long solve would go on with */
PetscErrorCode BytesInDouble(KSP ksp, FusedContext *ctx, const FusedPc &pc, double *bytes)
{
  const FusedOperator &op = *ctx->engine->Operator();
  std::string          why;
  double               folded;

  PetscFunctionBegin;
  PetscCall(BytesWith(ctx, pc, op.MatrixBytes(), bytes));
  if (ctx->fold == KSP_FUSED_FOLD_NO || pc.form == FusedPc::none) PetscFunctionReturn(PETSC_SUCCESS);
  const FusedScaling F = FusedScalingOf(ctx->method->Fold(ksp, pc, PETSC_FALSE, &why), pc);
  if (F.side == FusedSide::none || !op.WhyNotFold(F).empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(BytesWith(ctx, FusedFoldedPc(pc, op.FoldedBytes(F) < op.MatrixBytes()), op.FoldedBytes(F), &folded));
  *bytes = PetscMin(*bytes, folded);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The preconditioner with the copy in single precision */
FusedPc single_pc(const FusedContext *ctx, const FusedPc &pc)
{
  FusedPc single = FusedFoldedPc(pc, ctx->single->Unit());

  single.single = true;
  return single;
}

/* With `auto`, where copy and vectors are there */
PetscErrorCode Pays(KSP ksp, FusedContext *ctx, const FusedPc &pc, std::string *why)
{
  FusedEngine &e = *ctx->engine;
  MixedCosts   costs;

  PetscFunctionBegin;
  if (ctx->precision != KSP_FUSED_PRECISION_AUTO) PetscFunctionReturn(PETSC_SUCCESS);
  costs.matrix = e.Operator()->MatrixBytes();
  PetscCall(BytesInDouble(ksp, ctx, pc, &costs.of_double));
  PetscCall(BytesWith(ctx, single_pc(ctx, pc), ctx->single->MatrixBytes(), &costs.of_mixed));
#if PetscDefined(HAVE_CUDA)
  FusedSinglePersistent P;
  FusedResident         answer;

  if (costs.matrix < FusedTuning::mixed_bytes && (ctx->mode == KSP_FUSED_AUTO || ctx->mode == KSP_FUSED_PERSISTENT)) {
    if (ctx->method->PersistentSingle(e, pc, &P)) PetscCall(ctx->single->PersistentSingleFits(P, &answer));
    costs.resident = answer.fits;
    if (!costs.resident) PetscCall(FusedHasPersistent(ctx, pc, &costs.resident_double));
  }
#endif
  *why = why_mixed_pays_not(costs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the solve has to go on in double precision with this norm behind iteration `it`; stopped: the recurrences had reached what they were to; recurred: their norm */
std::string why_failed(FusedMixed *m, bool stopped, int it, Real recurred, Real norm)
{
  const bool poor = stopped ? !(norm <= FusedTuning::precision_gain * m->reference) : !(std::fabs(norm - recurred) <= FusedTuning::precision_gain * recurred);

  m->poor = poor ? m->poor + 1 : 0;
  if (norm <= FusedTuning::precision_gain * m->best) {
    m->best    = norm;
    m->best_at = it;
  }
  if (!is_finite(norm)) return "the residual in double precision is no number";
  if (m->poor >= FusedTuning::precision_poor || it - m->best_at >= FusedTuning::precision_iterations) return "single precision brings no progress";
  return "";
}

/* The solution as it is, with this norm. Land() puts it aside before it changes it */
void keep_solution(const FusedContext *ctx, FusedMixed *m, Real norm)
{
  m->keep    = true;
  m->kept    = norm;
  m->kept_at = ctx->engine->Host().it;
}

/* Back to the solution that is kept, with its residual and norm */
PetscErrorCode TakeBack(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedEngine &e = *ctx->engine;
  bool         in_range;

  PetscFunctionBegin;
  e.Host().stop = FusedStop::no; /* for the passes here */
  PetscCall(e.SetScalars());
  PetscCall(ctx->good.TakeBack(e.Array(ksp->vec_sol)));
  PetscCall(MixedResidual(ksp, ctx, p->unfolded));
  PetscCall(MixedRound(ctx, p->unfolded, FusedRounding::restart, &in_range));
  p->mixed.failed = "the residual has grown in single precision: back at the solution of iteration " + std::to_string(p->mixed.kept_at);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Behind iteration S.it, and nothing under way that changes anything */
PetscErrorCode Update(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedEngine    &e        = *ctx->engine;
  FusedScalars   &S        = e.Host();
  FusedMixed     &m        = p->mixed;
  const FusedStop stop     = S.stop;
  const Real      recurred = S.dp;
  bool            in_range;

  PetscFunctionBegin;
  S.stop = FusedStop::no; /* for the passes here */
  if (m.chained) in_range = mixed_rounded(ctx, mixed_rounding(ctx));
  else {
    PetscCall(e.SetScalars());
    PetscCall(MixedLand(ctx, p));
    PetscCall(MixedResidual(ksp, ctx, p->unfolded));
    PetscCall(MixedRound(ctx, p->unfolded, mixed_rounding(ctx), &in_range));
  }
  PetscCall(PetscInfo(ksp, "iteration %d: residual norm %g, in double precision %g\n", S.it, (double)recurred, (double)S.dp));
  m.failed = why_failed(&m, stop == FusedStop::test, S.it, recurred, S.dp);
  if (m.failed.empty() && !in_range) m.failed = "the residual is out of the range of single precision";
  if (!(S.dp <= FusedTuning::precision_worse * m.kept)) PetscCall(TakeBack(ksp, ctx, p));
  else if (S.dp < m.kept) keep_solution(ctx, &m, S.dp);
  S.stop                                  = stop;
  p->told                                 = false;
  e.History()[S.it % PassTuning::history] = S.dp;
  ctx->updates.push_back(S.it);
  if (S.it > m.since && recurred < m.reference) m.rate = std::log(m.reference / recurred) / (S.it - m.since);
  m.factor    = mixed_factor(ctx->precision_factor, {S.it - m.since < FusedTuning::mixed_sample ? 0 : m.rate, PetscMax(m.most, m.reference), recurred, S.dp,
                                                  ksp->converged == KSPConvergedDefault ? ksp->ttol : 0});
  m.since     = S.it;
  m.reference = m.most = S.dp;
  m.due = m.chained = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const char *failure(FusedStop stop)
{
  switch (stop) {
  case FusedStop::indefinite_mat:
  case FusedStop::indefinite_pc:
    return "the matrix is not positive definite in single precision";
  case FusedStop::norm:
  case FusedStop::product:
    return "overflow in single precision";
  default:
    return "breakdown in single precision";
  }
}

} // namespace

PetscErrorCode FusedCopySingle(KSP ksp, FusedContext *ctx, const FusedPc &pc, FusedSide side, std::string *why)
{
  FusedEngine &e   = *ctx->engine;
  Stamp        now = Stamp::Of(pc.form, side, e.Operator()->Version(), e.OnDevice());

  PetscFunctionBegin;
  if (pc.form != FusedPc::none) now << ctx->pcs.MadeFrom();
  if (!ctx->single || ctx->single_for != now) {
    ctx->single_for.Clear(); /* in case of an error below */
    PetscCall(PetscLogEventBegin(KSP_FusedFold, ksp, 0, 0, 0));
    PetscCall(e.Operator()->FoldSingle(FusedScalingOf(side, pc), &ctx->single, &ctx->singling));
    PetscCall(PetscLogEventEnd(KSP_FusedFold, ksp, 0, 0, 0));
    ctx->single_for = std::move(now);
  }
  if (ctx->singling == FusedFolding::no_memory) *why = "no memory is left for the copy";
  else if (ctx->singling == FusedFolding::not_positive) *why = "the diagonal of the preconditioner is not positive";
  else if (ctx->singling == FusedFolding::out_of_range) *why = "numbers of the matrix or its preconditioner are out of the range of single precision";
  if (!why->empty()) ctx->single.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FusedSetTest(KSP ksp, FusedScalars *S)
{
  S->test      = ksp->converged == KSPConvergedDefault;
  S->min_it    = (int)PetscClipInterval(ksp->min_it, 0, PETSC_INT32_MAX - 1);
  S->converged = ksp->ttol;
  S->diverged  = ksp->divtol * ksp->rnorm0;
}

/* The norm at which the device stops is that of an update, or of convergence, which the update finds out. Where iterations are wanted that the test may not end, it stops behind these; where the norm
   is to fall by more than precision_factor, behind precision_spacing iterations at the latest. */
void FusedMixedSetTest(KSP ksp, const FusedContext *ctx, const FusedProgress *p, FusedScalars *S)
{
  const bool tests = ksp->converged == KSPConvergedDefault;

  FusedSetTest(ksp, S);
  S->last = p->end;
  if (p->mixed.factor < ctx->precision_factor) S->last = PetscMin(S->last, p->mixed.since + FusedTuning::precision_spacing);
  if (!tests) S->diverged = PETSC_MAX_REAL;
  S->converged = p->mixed.factor * p->mixed.reference;
  if (tests && S->it >= S->min_it) S->converged = PetscMax(S->converged, (Real)ksp->ttol);
  if (tests && S->it < S->min_it) S->last = PetscMin(S->min_it, S->last);
  S->test   = 1;
  S->min_it = 0;
}

PetscErrorCode FusedMixedChoose(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedEngine  &e    = *ctx->engine;
  FusedSide     side = FusedSide::none;
  std::string   why;
  bool          fine = true;
  unsigned char kept[fused_scalars_bytes];

  PetscFunctionBegin;
  std::memcpy(kept, &e.Host(), sizeof(kept));
  if (ctx->precision == KSP_FUSED_PRECISION_DOUBLE) {
    ctx->single.reset();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(WhyNot(ksp, ctx, p, &side, &why));
  if (why.empty()) PetscCall(FusedCopySingle(ksp, ctx, p->pc, side, &why));
  if (why.empty()) {
    PetscCall(ctx->good.Make((std::size_t)e.Rows(), e.OnDevice(), &fine));
    if (fine) PetscCall(ctx->method->EnterSingle(e, &fine));
    if (!fine) why = "no memory is left for the vectors";
  }
  if (why.empty()) PetscCall(Pays(ksp, ctx, p->pc, &why));
  if (why.empty()) {
    PetscCall(MixedRound(ctx, p->pc, FusedRounding::begin, &fine));
    if (!fine) why = "the residual is out of the range of single precision";
  }
  ctx->precision_remark = why;
  ctx->mixed            = why.empty();
  if (!ctx->mixed) {
    std::memcpy(static_cast<void *>(&e.Host()), kept, sizeof(kept));
    PetscCall(PetscInfo(ksp, "-ksp_fused_precision %s: in double precision: %s\n", KSPFusedPrecisions[ctx->precision], why.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  p->mixed.on        = true;
  p->mixed.factor    = ctx->precision_factor;
  p->mixed.reference = p->mixed.most = p->mixed.best = e.Host().dp;
  p->unfolded                                        = p->pc;
  p->pc                                              = single_pc(ctx, p->pc);
  e.SetFolded(ctx->single);
  keep_solution(ctx, &p->mixed, e.Host().dp);
  FusedMixedSetTest(ksp, ctx, p, &e.Host());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedMixedLook(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedEngine  &e = *ctx->engine;
  FusedScalars &S = e.Host();
  FusedMixed   &m = p->mixed;

  PetscFunctionBegin;
  if (S.stop == FusedStop::no) {
    for (int it = p->seen + 1; it <= S.it; it++) m.most = PetscMax(m.most, e.Norm(it));
    m.due = m.due || S.dp <= m.factor * m.most || S.it - m.best_at >= FusedTuning::precision_iterations;
    if (!m.due || !p->under_way.empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Update(ksp, ctx, p));
    FusedMixedSetTest(ksp, ctx, p, &S);
  } else if (S.stop == FusedStop::test || S.stop == FusedStop::limit) PetscCall(Update(ksp, ctx, p));
  else m.failed = failure(S.stop);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int FusedMixedBatch(const FusedContext *ctx, const FusedProgress &p, int batch)
{
  const FusedMixed   &m    = p.mixed;
  const FusedScalars &S    = ctx->engine->Host();
  const int           done = S.it - m.since;
  const bool          told = done >= FusedTuning::mixed_sample && S.dp > 0 && S.dp < m.reference;
  const double        rate = told ? std::log(m.reference / S.dp) / done : m.rate;

  if (rate <= 0 || !(S.converged > 0 && S.converged < m.reference)) return batch;
  const double expected = PetscMin(std::log(m.reference / S.converged) / rate, S.last - m.since), left = m.since + expected - p.launched,
               most = PetscMax(left, expected / FusedTuning::mixed_tail);
  int power         = 1;

  while (2 * power <= most) power *= 2; /* graphs have powers of two */
  return PetscMin(batch, power);
}

PetscErrorCode FusedMixedLeave(KSP ksp, FusedContext *ctx, FusedProgress *p)
{
  FusedEngine  &e = *ctx->engine;
  FusedScalars &S = e.Host();

  PetscFunctionBegin;
  ctx->precision_remark = "from iteration " + std::to_string(S.it) + " on in double precision: " + p->mixed.failed;
  PetscCall(PetscInfo(ksp, "-ksp_fused_precision %s: %s\n", KSPFusedPrecisions[ctx->precision], ctx->precision_remark.c_str()));
  p->mixed = FusedMixed();
  p->pc    = p->unfolded;
  e.SetFolded(nullptr);
  S.stop = FusedStop::no;
  S.last = p->end;
  FusedSetTest(ksp, &S);
  PetscCall(e.SetScalars());
  PetscCall(ctx->method->LeaveSingle(e, p->pc));
  PetscCall(MixedFetchSums(e));
  ctx->method->Started(e);
  S.settled = 1;
  p->told   = false;
  p->under_way.clear();
  p->launched = p->seen;
  ctx->method->GoOn(S);
  if (ctx->chosen == KSP_FUSED_PERSISTENT) PetscCall(FusedChooseAgain(ksp, ctx, p));
  PetscCall(FusedMakePlan(ctx, p->pc));
  PetscCall(FusedFoldPlan(ksp, ctx, p->pc, PETSC_FALSE, &p->fold_from));
  if (p->fold_from != INT_MAX) p->fold_from += p->launched;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing to do where an update has come last */
PetscErrorCode FusedMixedEnd(FusedContext *ctx, const FusedProgress &p)
{
  FusedEngine &e = *ctx->engine;

  PetscFunctionBegin;
  if (e.Host().it == p.mixed.since && e.Host().stop != FusedStop::no) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(e.SetScalars());
  PetscCall(ctx->method->Land(e, p.unfolded, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
