/*
   Reference results and their comparison.
*/
#include "reference.hpp"
#include "device.hpp"
#include "in_blocks.hpp"
#include "random.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace bench
{

double x_value(PetscInt index)
{
  return static_cast<PetscScalar>(uniform(0x5eed0001, static_cast<std::uint64_t>(index)));
}

double added_value(PetscInt index)
{
  return static_cast<PetscScalar>(uniform(0x5eed0002, static_cast<std::uint64_t>(index)));
}

double rhs_value(PetscInt index)
{
  return static_cast<PetscScalar>(uniform(0x5eed0003, static_cast<std::uint64_t>(index)));
}

static PetscErrorCode fill(Vec v, double (*value)(PetscInt))
{
  PetscScalar *a;
  PetscInt     begin, end;

  PetscFunctionBeginUser;
  PetscCall(VecGetOwnershipRange(v, &begin, &end));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = begin; i < end; i++) a[i - begin] = value(i);
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode fill_x(Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(fill(x, x_value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode poison(Vec v)
{
  PetscScalar *a;
  PetscMemType where;
  PetscInt     n;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(v, &n));
  PetscCall(VecGetArrayWrite(v, &a));
  for (PetscInt i = 0; i < n; i++) a[i] = std::numeric_limits<PetscReal>::quiet_NaN();
  PetscCall(VecRestoreArrayWrite(v, &a));
  PetscCall(VecGetArrayWriteAndMemType(v, &a, &where));
  if (PetscMemTypeDevice(where)) PetscCall(device_fill_nan(a, n));
  PetscCall(VecRestoreArrayWriteAndMemType(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode fill_added(Vec z)
{
  PetscFunctionBeginUser;
  PetscCall(fill(z, added_value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode fill_rhs(const Problem &p, Vec b)
{
  PetscScalar *a;

  PetscFunctionBeginUser;
  if (p.rhs) {
    PetscCall(VecGetArrayWrite(b, &a));
    std::copy(p.rhs.get(), p.rhs.get() + p.rows, a);
    PetscCall(VecRestoreArrayWrite(b, &a));
  } else PetscCall(fill(b, rhs_value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void product(const Problem &p, Reference *ref)
{
  std::vector<double> x(p.global_cols);

  for (PetscInt c = 0; c < p.global_cols; c++) x[c] = x_value(c);
  in_blocks(p.rows, [&](PetscInt first, PetscInt last, PetscInt) {
    for (PetscInt row = first; row < last; row++) {
      double sum = 0, scale = 0;

      for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) {
        const double term = static_cast<double>(p.a[k]) * x[p.j[k]];

        sum += term;
        scale += std::abs(term);
      }
      ref->value[row] = sum;
      ref->scale[row] = scale;
    }
  });
}

// Every rank adds its rows' contributions to all columns; the sums over ranks are cut to this rank's columns
static PetscErrorCode transpose_product(MPI_Comm comm, const Problem &p, Reference *ref)
{
  std::vector<double> sum(p.global_cols, 0), scale(p.global_cols, 0);
  PetscInt            end;
  PetscMPIInt         n;

  PetscFunctionBeginUser;
  for (PetscInt row = 0; row < p.rows; row++) {
    const double x = x_value(p.row_start + row);

    for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) {
      sum[p.j[k]] += static_cast<double>(p.a[k]) * x;
      scale[p.j[k]] += std::abs(static_cast<double>(p.a[k]) * x);
    }
  }
  PetscCall(PetscMPIIntCast(p.global_cols, &n));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum.data(), n, MPI_DOUBLE, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, scale.data(), n, MPI_DOUBLE, MPI_SUM, comm));
  PetscCallMPI(MPI_Scan(&p.cols, &end, 1, MPIU_INT, MPI_SUM, comm));
  ref->value.assign(sum.begin() + (end - p.cols), sum.begin() + end);
  ref->scale.assign(scale.begin() + (end - p.cols), scale.begin() + end);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void diagonal(const Problem &p, Reference *ref)
{
  for (PetscInt row = 0; row < p.rows; row++) {
    for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) {
      if (p.j[k] == p.row_start + row) ref->value[row] += p.a[k];
    }
    ref->scale[row] = std::abs(ref->value[row]);
  }
}

PetscErrorCode reference_compute(MPI_Comm comm, const Problem &p, What what, Reference *ref)
{
  PetscFunctionBeginUser;
  ref->value.assign(p.rows, 0);
  ref->scale.assign(p.rows, 0);
  switch (what) {
  case What::matmult:
  case What::matscale:
    product(p, ref);
    break;
  case What::matmultadd:
    product(p, ref);
    for (PetscInt row = 0; row < p.rows; row++) {
      ref->value[row] += added_value(p.row_start + row);
      ref->scale[row] += std::abs(added_value(p.row_start + row));
    }
    break;
  case What::matmulttranspose:
    PetscCall(transpose_product(comm, p, ref));
    break;
  case What::matgetdiagonal:
    diagonal(p, ref);
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode reference_error(MPI_Comm comm, const Reference &ref, double factor, const PetscScalar result[], double *error)
{
  double worst = 0;

  PetscFunctionBeginUser;
  for (size_t row = 0; row < ref.value.size(); row++) {
    const double difference = std::abs(static_cast<double>(result[row]) - factor * ref.value[row]);
    const double relative   = difference == 0 ? 0 : difference / (factor * ref.scale[row]);

    // written so that NaN, which fails every comparison, counts as an infinite error
    if (!(relative <= worst)) worst = std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
  }
  PetscCallMPI(MPI_Allreduce(&worst, error, 1, MPI_DOUBLE, MPI_MAX, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode reference_residual(MPI_Comm comm, const Problem &p, Vec x, double damage, double *relative)
{
  struct Squares {
    double residual = 0, rhs = 0;
  };
  Vec                  all;
  VecScatter           scatter;
  const PetscScalar   *a;
  std::vector<Squares> of_block(blocks_of(p.rows)); // added in order, whoever computed them
  double               squares[2] = {0, 0};

  PetscFunctionBeginUser;
  PetscCall(VecScatterCreateToAll(x, &scatter, &all));
  PetscCall(VecScatterBegin(scatter, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(scatter, x, all, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(all, &a));
  in_blocks(p.rows, [&](PetscInt first, PetscInt last, PetscInt block) {
    for (PetscInt row = first; row < last; row++) {
      const PetscInt global = p.row_start + row;
      const double   b      = (p.rhs ? static_cast<double>(p.rhs[row]) : rhs_value(global)) + (global == 0 ? damage : 0);
      double         r      = b;

      for (PetscInt k = p.i[row]; k < p.i[row + 1]; k++) r -= static_cast<double>(p.a[k]) * static_cast<double>(a[p.j[k]]);
      of_block[block].residual += r * r;
      of_block[block].rhs += b * b;
    }
  });
  for (const Squares &s : of_block) {
    squares[0] += s.residual;
    squares[1] += s.rhs;
  }
  PetscCall(VecRestoreArrayRead(all, &a));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&all));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, squares, 2, MPI_DOUBLE, MPI_SUM, comm));
  *relative = std::sqrt(squares[0] / squares[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
