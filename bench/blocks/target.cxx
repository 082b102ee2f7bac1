/*
   Setting up, calling and checking.
*/
#include "target.hpp"
#include "lapack_blocks.hpp"
#include "../common/capture.hpp"
#include "../common/random.hpp"
#include "../common/results.hpp"
#include <cmath>

namespace bench
{

void diagonal_blocks(const Problem &p, Blocks *d)
{
  const PetscInt b = p.block;

  d->count     = p.rows / b;
  d->b         = b;
  d->row_start = p.row_start;
  d->values.assign(static_cast<size_t>(p.rows) * b, 0);
  d->product.assign(p.rows, 0);
  for (PetscInt row = 0; row < p.rows; row++) {
    const PetscInt first = p.row_start + row / b * b;
    double         sum   = 0;

    for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++)
      if (p.j[k] >= first && p.j[k] < first + b) {
        d->values[static_cast<size_t>(row) * b + p.j[k] - first] = p.a[k];
        sum += static_cast<double>(p.a[k]) * x_value(p.j[k]);
      }
    d->product[row] = static_cast<PetscScalar>(sum);
  }
}

PetscErrorCode problem_blocks(MPI_Comm comm, PetscInt cells, PetscInt b, PetscInt seed, Problem *p)
{
  PetscInt mine = PETSC_DECIDE, end;

  PetscFunctionBeginUser;
  PetscCall(PetscSplitOwnership(comm, &mine, &cells));
  PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT, MPI_SUM, comm));
  p->name  = "blocks";
  p->shape = std::to_string(cells) + "x" + std::to_string(b);
  p->block = b;
  p->rows = p->cols = mine * b;
  p->row_start      = (end - mine) * b;
  p->global_rows = p->global_cols = cells * b;
  p->nnz                          = p->rows * b;
  p->global_nnz                   = static_cast<PetscInt64>(p->global_rows) * b;
  p->i.reset(new PetscInt[p->rows + 1]);
  p->j.reset(new PetscInt[p->nnz]);
  p->a.reset(new PetscScalar[p->nnz]);
  for (PetscInt row = 0; row <= p->rows; row++) p->i[row] = row * b;
  for (PetscInt row = 0; row < p->rows; row++)
    for (PetscInt s = 0; s < b; s++) {
      const PetscInt k = row * b + s;

      p->j[k] = p->row_start + row / b * b + s;
      p->a[k] = static_cast<PetscScalar>(uniform(seed, static_cast<std::uint64_t>(p->row_start) * b + k) + (row % b == s ? b : 0));
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_create(MPI_Comm comm, const Problem &p, const Blocks &d, Mat *base, Target *t)
{
  PetscBool device;

  PetscFunctionBeginUser;
  if (t->name.rfind("cublas-", 0) == 0) {
    PetscCheck(p.name == "blocks", comm, PETSC_ERR_SUP, "not applicable: cuBLAS takes blocks, not their matrix");
    PetscCall(cublas_blocks(t->name, d.values.data(), d.count, d.b, &t->library));
    t->device = true;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (t->name.rfind("lapack-", 0) == 0) {
    PetscCheck(p.name == "blocks", comm, PETSC_ERR_SUP, "not applicable: LAPACK takes blocks, not their matrix");
    PetscCall(lapack_blocks(t->name, d.values.data(), d.count, d.b, &t->library));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (t->A) PetscCall(PetscObjectReference((PetscObject)t->A));
  else PetscCall(matrix_make(comm, p, t->name, base, &t->A));
  PetscCall(matrix_on_device(t->A, &device));
  t->device = device;
  PetscCall(MatCreateVecs(t->A, &t->x, &t->z));
  PetscCall(PCCreate(comm, &t->pc));
  if (t->method.empty()) {
    PetscCall(PCSetType(t->pc, PCPBJACOBI));
  } else {
    const std::string prefix = t->method + "_";

    PetscCall(PCSetOptionsPrefix(t->pc, prefix.c_str()));
    PetscCall(PetscOptionsSetValue(nullptr, ("-" + prefix + "pc_blockjacobireg_method").c_str(), t->method.c_str()));
    PetscCall(PCSetType(t->pc, "blockjacobireg"));
  }
  PetscCall(PCSetOperators(t->pc, t->A, t->A));
  PetscCall(PCSetFromOptions(t->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_destroy(Target *t)
{
  PetscFunctionBeginUser;
  if (t->library) PetscCall(t->library->destroy());
  PetscCall(PCDestroy(&t->pc));
  PetscCall(VecDestroy(&t->x));
  PetscCall(VecDestroy(&t->z));
  PetscCall(MatDestroy(&t->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_before(Target *t)
{
  PetscFunctionBeginUser;
  if (t->library) {
    PetscCall(t->library->before());
  } else {
    PetscCall(MatScale(t->A, *t->factor == 1 ? 2.0 : 0.5));
    *t->factor = 3 - *t->factor;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode target_call(Target *t)
{
  PetscFunctionBeginUser;
  if (t->library) PetscCall(t->library->call());
  else PetscCall(PCSetUp(t->pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Largest |inverse (block x) - x|
static PetscErrorCode target_error(const Blocks &d, Target *t, double *error)
{
  std::vector<PetscScalar> answer(d.product.size());

  PetscFunctionBeginUser;
  if (t->library) {
    answer = d.product;
    PetscCall(t->library->solve(answer.data()));
  } else {
    PetscScalar       *z;
    const PetscScalar *x;

    PetscCall(poison(t->x));
    PetscCall(VecGetArrayWrite(t->z, &z));
    std::copy(d.product.begin(), d.product.end(), z);
    PetscCall(VecRestoreArrayWrite(t->z, &z));
    PetscCall(PCApply(t->pc, t->z, t->x));
    PetscCall(VecGetArrayRead(t->x, &x));
    std::copy(x, x + answer.size(), answer.begin());
    PetscCall(VecRestoreArrayRead(t->x, &x));
  }
  *error = 0;
  for (size_t row = 0; row < answer.size(); row++) {
    const double e = std::fabs(static_cast<double>(answer[row]) * (t->library ? 1 : *t->factor) - x_value(d.row_start + static_cast<PetscInt>(row)));

    if (!(e <= *error)) *error = std::isfinite(e) ? e : INFINITY;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string target_check(const Blocks &d, Target *t, double *error)
{
  ErrorCapture capture;
  double       now     = 0;
  std::string  message = capture.message(target_before(t));

  if (message.empty()) message = capture.message(target_call(t));
  if (message.empty()) message = capture.message(target_error(d, t, &now));
  if (!(now <= *error)) *error = now;
  if (message.empty() && !(now <= 1e3 * tolerance)) message = "wrong inverses: error " + cell("%.3g", now);
  return message;
}

void target_begin(MPI_Comm comm, const Problem &p, const Blocks &d, Mat *base, Target *t, Timed *timed, double *error)
{
  {
    ErrorCapture capture;
    timed->error = capture.message(target_create(comm, p, d, base, t));
  }
  if (timed->error.empty()) timed->error = target_check(d, t, error);
  timed->before_call = [t] { return target_before(t); };
  timed->call        = [t] { return target_call(t); };
}

} // namespace bench
