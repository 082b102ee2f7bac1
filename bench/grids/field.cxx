/*
   Flow in permeability fields: see field.hpp.
*/
#include "field.hpp"
#include "../common/random.hpp"
#include <algorithm>
#include <cmath>

namespace bench
{

namespace
{

using Numbers = std::vector<double>;

// Standard normal numbers, by Box and Muller
Numbers normal(std::size_t count, std::uint64_t seed)
{
  Numbers z(count);

  for (std::size_t k = 0; k < count; k++)
    z[k] = std::sqrt(-2 * std::log(0.5 - 0.5 * uniform(seed, 2 * k))) * std::cos(3.14159265358979324 * uniform(seed, 2 * k + 1));
  return z;
}

// Mean 0, variance 1; a single number stays what it is
void standardise(Numbers *v)
{
  double mean = 0, square = 0;

  for (double x : *v) mean += x / static_cast<double>(v->size());
  for (double x : *v) square += (x - mean) * (x - mean) / static_cast<double>(v->size());
  if (square > 0)
    for (double &x : *v) x = (x - mean) / std::sqrt(square);
}

// Gaussian filter along an axis, periodic
void smooth(const Field &f, int axis, double sigma, Numbers *v)
{
  const int         n = f.n[axis], reach = static_cast<int>(4 * sigma + 0.5);
  const std::size_t stride = axis == 0 ? 1 : axis == 1 ? static_cast<std::size_t>(f.n[0]) : static_cast<std::size_t>(f.n[0]) * f.n[1];
  Numbers           weight, line(static_cast<std::size_t>(n));

  if (n == 1) return;
  for (int d = -reach; d <= reach; d++) weight.push_back(std::exp(-0.5 * d * d / (sigma * sigma)));
  for (std::size_t first = 0; first < v->size(); first++) {
    if (first / stride % static_cast<std::size_t>(n)) continue;
    for (int k = 0; k < n; k++) line[static_cast<std::size_t>(k)] = (*v)[first + static_cast<std::size_t>(k) * stride];
    for (int k = 0; k < n; k++) {
      double sum = 0;

      for (int d = -reach; d <= reach; d++) sum += weight[static_cast<std::size_t>(d + reach)] * line[static_cast<std::size_t>(((k + d) % n + n) % n)];
      (*v)[first + static_cast<std::size_t>(k) * stride] = sum;
    }
  }
}

// What decides which cells are inactive: those with the smallest numbers
Numbers activity(const Field &f)
{
  Numbers v = normal(f.cells(), mix(static_cast<std::uint64_t>(f.seed), 3));

  for (int axis = 0; axis < 3 && f.how == Inactive::regions; axis++) smooth(f, axis, axis == 2 ? 1.5 : 4, &v);
  return v;
}

// In [0, 1)
double part(const Field &f, int what, std::uint64_t index)
{
  return 0.5 + 0.5 * uniform(mix(static_cast<std::uint64_t>(f.seed), static_cast<std::uint64_t>(what)), index);
}

// Three channels in each four layers: sines along y with a phase, length and height of their own, five cells wide
Numbers channels(const Field &f)
{
  Numbers k(f.cells(), 1.0);

  for (int z = 0; z < f.n[2]; z++)
    for (int c = 0; c < 3; c++) {
      const auto   draw   = [&](int what) { return part(f, 4, static_cast<std::uint64_t>((z / 4 * 3 + c) * 4 + what)); };
      const double middle = draw(0) * f.n[0], height = f.n[0] * (0.1 + 0.2 * draw(1)), length = f.n[1] * (0.3 + 0.7 * draw(2)), phase = 6.2831853 * draw(3);

      for (int y = 0; y < f.n[1]; y++) {
        const int at = static_cast<int>(middle + height * std::sin(phase + 6.2831853 * y / length));

        for (int x = std::max(0, at - 2); x <= std::min(f.n[0] - 1, at + 2); x++) k[(static_cast<std::size_t>(z) * f.n[1] + y) * f.n[0] + x] = f.channels;
      }
    }
  return k;
}

// What the permeability of a cell is multiplied by along an axis
double along(const Field &f, PetscInt cell, int axis)
{
  if (f.turning == 1) return 1;
  const PetscInt x = cell % f.n[0], y = cell / f.n[0] % f.n[1], z = cell / f.n[0] / f.n[1];
  const auto     cube = static_cast<std::uint64_t>((z / 16 * 1000 + y / 16) * 1000 + x / 16);

  return axis == static_cast<int>(3 * part(f, 5, cube)) ? f.turning : 1;
}

// A cell of layer k near `from` that is active, looking along x; -1: none
long long near(const Field &f, const std::vector<double> &perm, int k, bool last)
{
  const int       j  = last ? std::max(0, f.n[1] - 3) : std::min(2, f.n[1] - 1);
  const long long at = (static_cast<long long>(k) * f.n[1] + j) * f.n[0];

  for (int d = 2; d < f.n[0] + 2; d++) {
    const long long cell = at + (last ? f.n[0] - 1 - d % f.n[0] : d % f.n[0]);

    if (perm[static_cast<std::size_t>(cell)] > 0) return cell;
  }
  return -1;
}

} // namespace

std::vector<double> permeability(const Field &f)
{
  if (f.channels > 0) return channels(f);
  const auto        seed  = static_cast<std::uint64_t>(f.seed);
  const std::size_t plane = static_cast<std::size_t>(f.n[0]) * f.n[1];
  Numbers layer = normal(static_cast<std::size_t>(f.n[2]), mix(seed, 0)), wide = normal(f.cells(), mix(seed, 1)), noise = normal(f.cells(), mix(seed, 2));

  standardise(&layer);
  smooth(f, 0, 4, &wide);
  smooth(f, 1, 4, &wide);
  standardise(&wide);
  for (std::size_t c = 0; c < f.cells(); c++) noise[c] = 0.5 * noise[c] + std::sqrt(0.5) * wide[c] + 0.5 * layer[c / plane];
  standardise(&noise);
  for (double &x : noise) x = 100 * std::exp(f.std * x);
  if (f.inactive > 0) {
    const Numbers by    = activity(f);
    Numbers       order = by;
    const auto    at    = order.begin() + static_cast<std::ptrdiff_t>(f.inactive * static_cast<double>(f.cells()));

    std::nth_element(order.begin(), at, order.end());
    for (std::size_t c = 0; c < f.cells(); c++)
      if (by[c] < *at) noise[c] = 0;
  }
  return noise;
}

PetscErrorCode field_system(const Field &f, Mat *A, Vec *b)
{
  const std::vector<double> perm  = permeability(f);
  const PetscInt            cells = static_cast<PetscInt>(f.cells()), stride[] = {1, f.n[0], f.n[0] * f.n[1]};
  const double              geometry[] = {f.size[1] * f.size[2] / f.size[0], f.size[0] * f.size[2] / f.size[1], f.size[0] * f.size[1] / f.size[2] * f.kz_ratio};
  std::vector<double>       diagonal(f.cells(), 0.0);
  double                    mean = 0, active = 0;
  const auto                flux = [&](PetscInt cell, int axis, int side) { // with the neighbour at that side
    const PetscInt other = cell + side * stride[axis];

    if (cell / stride[axis] % f.n[axis] == (side < 0 ? 0 : f.n[axis] - 1)) return 0.0;
    const double k = perm[static_cast<std::size_t>(cell)] * along(f, cell, axis), l = perm[static_cast<std::size_t>(other)] * along(f, other, axis);
    return k > 0 && l > 0 ? geometry[axis] * 2 / (1 / k + 1 / l) : 0.0;
  };

  PetscFunctionBeginUser;
  for (PetscInt c = 0; c < cells; c++) {
    for (int axis = 0; axis < 3; axis++) diagonal[static_cast<std::size_t>(c)] += flux(c, axis, -1) + flux(c, axis, 1);
    mean += diagonal[static_cast<std::size_t>(c)];
    active += perm[static_cast<std::size_t>(c)] > 0;
  }
  mean /= std::max(1.0, active);
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, cells, cells, cells, cells));
  PetscCall(MatSetType(*A, "bdiagh"));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSeqAIJSetPreallocation(*A, 7, nullptr));
  for (PetscInt c = 0; c < cells; c++) {
    PetscScalar value[7];
    PetscInt    column[7], m = 1;

    column[0] = c;
    value[0]  = perm[static_cast<std::size_t>(c)] > 0 ? diagonal[static_cast<std::size_t>(c)] + 1e-6 * mean : 1;
    for (int k = 0; k < 6; k++) {
      const PetscInt other = c + (k % 2 ? 1 : -1) * stride[k / 2];

      if (c / stride[k / 2] % f.n[k / 2] == (k % 2 ? f.n[k / 2] - 1 : 0)) continue; // others are stored even where they are zero: block diagonals stay full
      column[m]  = other;
      value[m++] = -flux(c, k / 2, k % 2 ? 1 : -1);
    }
    PetscCall(MatSetValues(*A, 1, &c, m, column, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCreateVecs(*A, nullptr, b));
  PetscCall(VecSet(*b, 0));
  for (int k = 0; k < f.n[2]; k++)
    for (bool last : {false, true}) {
      const long long cell = near(f, perm, k, last);

      if (cell >= 0) PetscCall(VecSetValue(*b, static_cast<PetscInt>(cell), last ? -1 : 1, ADD_VALUES));
    }
  PetscCall(VecAssemblyBegin(*b));
  PetscCall(VecAssemblyEnd(*b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace bench
