/*
   While a set-up is left out, the operations that need it are replaced by operations that make it first. Only PETSc's
   table of operations is changed, and only as long as the preconditioner keeps its type.
*/
#include "deferred.hpp"
#include "../../sys/composed.hpp"
#include "../../private/pc.hpp"

namespace heptane
{

namespace
{

struct Deferred {
  struct _PCOps stock; /* as they were */
  DeferredUser *user     = nullptr;
  bool          left_out = false;
};

constexpr char deferred_name[] = "HeptaneDeferredSetUp";

PetscErrorCode SetUp(PC pc);

/* PCSetType() has replaced the table */
bool is_installed(PC pc, const Deferred *d)
{
  return d && d->user && pc->ops->setup == SetUp;
}

PetscErrorCode Realise(PC pc)
{
  bool left_out;

  PetscFunctionBegin;
  PetscCall(DeferredRemove(pc, &left_out));
  PetscCall(PetscInfo(pc, "The set-up that was left out is made now\n"));
  PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <auto op>
struct Realised;
template <class... Args, PetscErrorCode (*_PCOps::*op)(PC, Args...)>
struct Realised<op> {
  static PetscErrorCode Call(PC pc, Args... args)
  {
    PetscFunctionBegin;
    PetscCall(Realise(pc));
    PetscCall((*(pc->ops[0].*op))(pc, args...));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

template <auto... op>
void replace(struct _PCOps *ops)
{
  ((ops->*op = ops->*op ? Realised<op>::Call : nullptr), ...);
}

template <PetscErrorCode (*_PCOps::*op)(PC, KSP, Vec, Vec)>
PetscErrorCode AroundSolve(PC pc, KSP ksp, Vec b, Vec x)
{
  Deferred *d;
  bool      leave_out;

  PetscFunctionBegin;
  PetscCall(ComposedGet(pc, deferred_name, "operations of a preconditioner", &d));
  PetscCall(d->user->IsSolver(ksp, &leave_out));
  if (!leave_out) PetscCall(Realised<op>::Call(pc, ksp, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode View(PC pc, PetscViewer viewer)
{
  Deferred *d;

  PetscFunctionBegin;
  PetscCall(ComposedGet(pc, deferred_name, "operations of a preconditioner", &d));
  PetscCall(d->user->ViewPc(pc, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUp(PC pc)
{
  Deferred *d;
  Deferral  deferral;

  PetscFunctionBegin;
  PetscCall(ComposedGet(pc, deferred_name, "operations of a preconditioner", &d));
  PetscCall(d->user->SetUpPc(pc, &deferral));
  if (deferral == Deferral::given_up) {
    bool left_out;

    PetscCall(DeferredRemove(pc, &left_out));
    PetscCall((*pc->ops->setup)(pc));
  } else if (deferral == Deferral::made) PetscCall((*d->stock.setup)(pc));
  else if (!d->left_out) {
    d->left_out = true;
    replace<&_PCOps::apply, &_PCOps::applytranspose, &_PCOps::matapply, &_PCOps::applyrichardson, &_PCOps::applyBA, &_PCOps::applysymmetricleft,
            &_PCOps::applysymmetricright>(pc->ops);
    if (pc->ops->presolve) pc->ops->presolve = AroundSolve<&_PCOps::presolve>;
    if (pc->ops->postsolve) pc->ops->postsolve = AroundSolve<&_PCOps::postsolve>;
    if (pc->ops->view) pc->ops->view = View;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DeferredInstall(PC pc, DeferredUser *user, std::string *why)
{
  Deferred *d;

  PetscFunctionBegin;
  PetscCall(ComposedQuery(pc, deferred_name, &d));
  if (is_installed(pc, d)) {
    if (d->user != user) *why = "another solver has the preconditioner too";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!pc->ops->setup || !pc->ops->apply) PetscFunctionReturn(PETSC_SUCCESS);
  d        = new Deferred;
  d->stock = *pc->ops;
  d->user  = user;
  PetscCall(Compose(pc, deferred_name, d));
  pc->ops->setup = SetUp;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeferredAsks(PC pc, const DeferredUser *user, bool *asks)
{
  Deferred *d;

  PetscFunctionBegin;
  PetscCall(ComposedQuery(pc, deferred_name, &d));
  *asks = is_installed(pc, d) && d->user == user;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DeferredRemove(PC pc, bool *left_out)
{
  Deferred *d;

  PetscFunctionBegin;
  *left_out = false;
  PetscCall(ComposedQuery(pc, deferred_name, &d));
  if (!is_installed(pc, d)) PetscFunctionReturn(PETSC_SUCCESS);
  *pc->ops  = d->stock;
  *left_out = d->left_out;
  d->user   = nullptr;
  if (!*left_out) PetscFunctionReturn(PETSC_SUCCESS);
  pc->setupcalled      = PETSC_FALSE;
  pc->failedreason     = PC_NOERROR;
  pc->failedreasonrank = PC_NOERROR;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
