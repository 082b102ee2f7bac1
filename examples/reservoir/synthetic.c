/* The built-in heterogeneous field: layered, log-normal permeability with a correlated part, and a porosity that follows it.
   Every value depends on the seed and the cell's place alone, so the field is the same on any number of processes. */
#include "reservoir.h"
#include <stdint.h>

/* A uniform number in (0, 1) for the lattice point: the finaliser of SplitMix64 on a mix of the coordinates. */
static double LatticeUniform(uint64_t seed, PetscInt j, PetscInt h, PetscInt i)
{
  uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)j * UINT64_C(0xbf58476d1ce4e5b9) + (uint64_t)h * UINT64_C(0x94d049bb133111eb) +
               (uint64_t)i * UINT64_C(0xd6e8feb86659fd93);

  for (int k = 0; k < 2; k++) {
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
  }
  return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

/* A standard normal number, by Box and Muller. */
static double LatticeNormal(uint64_t seed, PetscInt j, PetscInt h, PetscInt i)
{
  return PetscSqrtReal(-2 * PetscLogReal((PetscReal)LatticeUniform(2 * seed, j, h, i))) *
         PetscCosReal(2 * PETSC_PI * (PetscReal)LatticeUniform(2 * seed + 1, j, h, i));
}

/* Uniform numbers on a coarse lattice, interpolated between eight points and scaled to unit variance: nearly normal, and neighbouring cells are correlated. */
static double CorrelatedNormal(uint64_t seed, PetscInt j, PetscInt h, PetscInt i)
{
  const PetscInt length[3] = {8, 8, 3}; /* cells */
  const PetscInt at[3]     = {j, h, i};
  PetscInt       low[3];
  double         weight[3], sum = 0, square = 0;

  for (int d = 0; d < 3; d++) {
    low[d]    = at[d] / length[d];
    weight[d] = (at[d] % length[d] + 0.5) / (double)length[d];
  }
  for (int c = 0; c < 8; c++) {
    const double w = (c & 1 ? weight[0] : 1 - weight[0]) * (c & 2 ? weight[1] : 1 - weight[1]) * (c & 4 ? weight[2] : 1 - weight[2]);

    sum += w * (LatticeUniform(seed, low[0] + !!(c & 1), low[1] + !!(c & 2), low[2] + !!(c & 4)) - 0.5);
    square += w * w;
  }
  return sum * PetscSqrtReal((PetscReal)(12 / square)); /* a uniform number has the variance 1/12 */
}

/* Fills kx and phi of the cells that this process knows. Collective only in reading the options. */
PetscErrorCode GridFillSynthetic(Grid *g)
{
  PetscInt  seed  = 1;
  PetscReal sigma = 1, inactive = 0;

  PetscFunctionBeginUser;
  PetscOptionsBegin(g->comm, NULL, "Synthetic reservoir field", NULL);
  PetscCall(PetscOptionsBoundedInt("-synthetic_seed", "Seed of the field", NULL, seed, &seed, NULL, 0));
  PetscCall(PetscOptionsRangeReal("-synthetic_sigma", "Standard deviation of log(permeability) inside a layer", NULL, sigma, &sigma, NULL, 0, 5));
  PetscCall(PetscOptionsRangeReal("-synthetic_inactive", "Fraction of inactive cells, at random", NULL, inactive, &inactive, NULL, 0, 0.95));
  PetscOptionsEnd();
  for (PetscInt m = g->gstart; m < g->gend; m++) {
    const PetscInt j = m % g->nj, h = m / g->nj % g->nh, i = m / g->nj / g->nh;
    const double   layer = LatticeNormal(8 * (uint64_t)seed, 0, 0, i);
    const double   local = 0.8 * CorrelatedNormal(8 * (uint64_t)seed + 1, j, h, i) + 0.6 * LatticeNormal(8 * (uint64_t)seed + 2, j, h, i);

    if (LatticeUniform(8 * (uint64_t)seed + 3, j, h, i) < (double)inactive) continue;
    g->kx[m - g->gstart]  = (PetscReal)(100 * PetscExpReal((PetscReal)(layer + (double)sigma * local)));
    g->phi[m - g->gstart] = PetscMin(0.35, PetscMax(0.08, 0.2 + 0.02 * (PetscReal)layer + 0.03 * (PetscReal)local));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
