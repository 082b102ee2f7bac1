/*
   CG without red columns: see reduced.hpp. Memory, set-up, and its passes on the host.
*/
#include "reduced.hpp"
#include "../exchange/stages.hpp"
#include "../host/host.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include <petscdevice_cuda.h>
#endif

namespace heptane
{

namespace
{

/* f(k, column, GridColumn) for the places of a colour */
template <class F>
void for_cells_of(const GridLevel<Scalar> &E, int colour, F f)
{
  for (int k = 0; k < E.K; k++)
    for (std::size_t column = 0; column < E.columns; column++) f(k, column, GridColumn(E, colour, column));
}

/* Red lines solved in exact.x for the right-hand sides value(k, column, GridColumn) */
template <class Real, class F>
void solve_red(const GridReduced<Real> &R, F value)
{
  const GridLevel<Scalar> &E = R.exact;

  grid_solve_lines_host<1>(E, 0, [&](int k, std::size_t column, Scalar(&z)[1]) {
    const GridColumn C(E, 0, column);

    z[0] = C.exists ? E.entry<1>(grid_pivot, 0, 0)[E.at(k, 0, column)] * value(k, column, C) : Scalar(0);
    return true;
  });
}

template <class Real>
void set_up_host(const GridMatrix &A, const GridReduced<Real> &R, GridReport *report)
{
  const GridLevel<Scalar> &E = R.exact;
  std::vector<GridLine<1>> lines(E.columns);
  GridLineCell<1>          cell;

  for (int colour = 0; colour < 2; colour++)
    for_cells_of(E, colour, [&](int k, std::size_t column, const GridColumn &) { grid_reduced_load(A, R, k, colour, column); });
  for_cells_of(E, 0, [&](int k, std::size_t column, const GridColumn &) {
    const std::size_t c = E.at(k, 0, column);

    cell.load(E, c);
    if (!lines[column].factor(E, c, cell)) report->count[grid_singular]++;
  });
}

} // namespace

template <class Real>
std::string grid_reduced_why_not(const GridSystem<Real> &S)
{
  bool remainder = false;

  for (const GridRemainder<Real> &K : S.remainder) remainder |= K.rows > 0;
  if (S.B > 1) return "there are several unknowns per cell";
  if (remainder) return "there are entries off the block diagonals";
  if (S.levels.size() < 2) return "there is one level";
  if (S.plan.steps.size() < 5 || S.plan.steps[2].op != GridOp::restrict) return "there are several sweeps";
  return "";
}

template <class Real>
PetscErrorCode GridReducedCg<Real>::Allocate(Where where, bool *got)
{
  GridLevel<Real>   &L     = S.levels[0];
  GridLevel<Scalar> &E     = R.exact;
  const std::size_t  cells = L.cells, black = cells / 2;
  Scalar            *at;

  PetscFunctionBegin;
  memory.Resize((grid_slots + 1) * cells + 4 * black);
  const bool fresh = !memory.At(where);

  PetscCall(memory.TryMemory(where, &at));
  *got = at != nullptr;
  if (!at) PetscFunctionReturn(PETSC_SUCCESS);
  if (fresh && where == Where::host) std::fill_n(at, memory.Size(), Scalar(0)); /* a number that is multiplied by zero must be finite */
#if PetscDefined(HAVE_CUDA)
  else if (fresh) PetscCallCUDA(cudaMemset(at, 0, memory.Size() * sizeof(Scalar)));
#endif

  E.K       = L.K;
  E.J       = L.J;
  E.I       = L.I;
  E.H       = L.H;
  E.columns = L.columns;
  E.cells   = cells;
  E.coef    = at;
  E.x       = at + grid_slots * cells;
  R.r       = E.x + cells;
  R.w       = R.r + black;
  R.p       = R.w + black;
  R.x       = R.p + black;
  z_memory.Resize(Divided() ? 0 : black);
  if (Divided()) R.z = slab.piece->z;
  else PetscCall(z_memory.Zeros(where, &R.z));
  R.owned_first   = Divided() ? static_cast<std::size_t>(slab.rows.south) * L.H : 0;
  R.owned_columns = Divided() ? static_cast<std::size_t>(slab.rows.owned) * L.H : L.columns;
  x_memory.Resize(cells);
  PetscCall(x_memory.Zeros(where, &L.x));
  R.level   = L;
  R.natural = S.natural;
  R.scale   = S.scale;
  R.count   = L.columns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
PetscErrorCode GridReducedCg<Real>::SetUp(const GridMatrix &A, const GridSystem<Real> &of, const GridDevice<Real> *on, std::string *why)
{
  GridMatrix whole = A;
  GridReport report;
  bool       got;

  PetscFunctionBegin;
  whole.scale = 1;
  S           = of;
  device      = on;
  PetscCall(Allocate(on ? Where::device : Where::host, &got));
  if (!got) {
    *why = "there is no memory for it";
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  flops = 0;
  for (const GridStep &s : S.plan.steps) {
    const GridLevel<Real> &L = S.levels[s.level];

    flops += (double)L.K * L.J * L.I * (s.op == GridOp::solve ? 7 : 4);
  }
  flops += 20. * R.exact.K * R.exact.J * R.exact.I; /* the product, and vector operations */
  launches = 2;                                     /* passes, on the host */
  if (!on) set_up_host(whole, R, &report);
#if PetscDefined(HAVE_CUDA)
  else PetscCall(DeviceSetUp(whole, &report));
#endif
  *why = WhyNot(report);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Real>
void GridReducedCg<Real>::HostCycle(bool of_z, Scalar sums[4])
{
  const GridLevel<Real>   &L = R.level;
  const GridLevel<Scalar> &E = R.exact;

  for_cells_of(E, 0, [&](int k, std::size_t column, const GridColumn &) { L.x[E.at(k, 0, column)] = 0; });
  for_cells_of(E, 1, [&](int k, std::size_t column, const GridColumn &) { L.b[E.at(k, 1, column)] = static_cast<Real>(R.r[R.black(k, column)]); });
  if (Divided()) {
    const GridSystem<Real> &coarse = slab.piece->coarse;
    const auto              run    = [](const GridSystem<Real> &of, std::size_t from, std::size_t to) {
      grid_steps_host(of, from, to);
      return PETSC_SUCCESS;
    };

    grid_steps_host(S, 1, 3);
    PetscCallAbort(PETSC_COMM_SELF,
                   grid_run_stages(
                     slab.coarse, slab.others, nullptr, [&](int from, int to) { return run(S, static_cast<std::size_t>(from), static_cast<std::size_t>(to)); },
                     [&] { return run(coarse, 0, coarse.plan.steps.size()); }));
    grid_steps_host(S, S.plan.steps.size() - 2, S.plan.steps.size() - 1);
  } else grid_steps_host(S, 1, S.plan.steps.size() - 1);
  for_cells_of(E, 1, [&](int k, std::size_t column, const GridColumn &) {
    if (R.owns(column)) R.z[R.black(k, column)] = L.x[E.at(k, 1, column)];
  });
  if (Divided()) PetscCallAbort(PETSC_COMM_SELF, slab.others->Halo(GridRankSums(), nullptr));
  solve_red(R, [&](int k, std::size_t column, const GridColumn &C) { return grid_red_of_z(R, k, column, C); });
  std::fill_n(sums, 4, Scalar(0));
  for_cells_of(E, 1, [&](int k, std::size_t column, const GridColumn &C) {
    const Scalar r = R.r[R.black(k, column)], z = R.scale * static_cast<Scalar>(R.z[R.black(k, column)]);

    if (!C.exists || !R.owns(column)) return;
    sums[0] += z * r;
    if (of_z) sums[1] += z * z;
  });
  if (of_z)
    for_cells_of(E, 0, [&](int k, std::size_t column, const GridColumn &) {
      if (R.owns(column)) sums[more] += E.x[E.at(k, 0, column)] * E.x[E.at(k, 0, column)];
    });
}

template <class Real>
void GridReducedCg<Real>::HostStart(const Scalar *r)
{
  if (Divided()) {
    PetscCallAbort(PETSC_COMM_SELF, slab.others->In(r, true, nullptr));
    r = slab.piece->start;
  }
  solve_red(R, [&](int k, std::size_t, const GridColumn &C) { return grid_red_of_r(R, r, k, C); });
  for_cells_of(R.exact, 1, [&](int k, std::size_t column, const GridColumn &C) {
    const std::size_t at = R.black(k, column);

    R.r[at] = grid_reduced_start(R, r, k, column, C);
    R.x[at] = 0; /* w and p are written before they are read */
  });
}

template <class Real>
Scalar GridReducedCg<Real>::HostProduct(Scalar b)
{
  Scalar sum = 0;

  for_cells_of(R.exact, 1, [&](int k, std::size_t column, const GridColumn &C) {
    const Scalar both = grid_reduced_product(R, b, k, column, C);

    if (R.owns(column)) sum += both;
  });
  return sum;
}

template <class Real>
Scalar GridReducedCg<Real>::HostUpdate(Scalar a)
{
  Scalar square = 0;

  for_cells_of(R.exact, 1, [&](int k, std::size_t column, const GridColumn &) {
    GridUpdate cell;

    cell.load(R, R.black(k, column));
    cell.store(R, a, R.black(k, column));
    if (R.owns(column)) square += cell.r * cell.r;
  });
  return square;
}

template <class Real>
void GridReducedCg<Real>::HostFinish(const Scalar *from, bool zero, Scalar *x, Scalar *r)
{
  const auto    before   = [&](std::size_t cell) { return zero ? Scalar(0) : x[cell]; };
  Scalar *const to[2]    = {x, r};
  const bool    was_zero = zero;

  if (Divided()) {
    from = r = slab.piece->start;
    x        = slab.piece->out;
    zero     = true;
  }
  solve_red(R, [&](int k, std::size_t column, const GridColumn &C) { return grid_red_of_x(R, from, k, column, C); });
  for (int colour = 0; colour < 2; colour++)
    for_cells_of(R.exact, colour, [&](int k, std::size_t column, const GridColumn &C) {
      const std::size_t cell = R.cell(k, C), at = R.black(k, column);

      if (!C.exists) return;
      if (colour) grid_reduced_finish(cell, before(cell), R.x[at], R.r[at], x, r);
      else grid_reduced_finish(cell, before(cell), R.exact.x[R.exact.at(k, 0, column)], Scalar(0), x, r);
    });
  if (Divided()) PetscCallAbort(PETSC_COMM_SELF, slab.others->Finish(was_zero, to[0], to[1], nullptr));
}

template std::string grid_reduced_why_not<float>(const GridSystem<float> &);
template std::string grid_reduced_why_not<double>(const GridSystem<double> &);
template class GridReducedCg<float>;
template class GridReducedCg<double>;

} // namespace heptane
