/* The fluid: nc phases with quadratic relative permeability, constant viscosity and compressibility, and their mass and flux with derivatives.
   Knows one cell or one face at a time, neither the grid nor the matrix. All arrays of derivatives are row-major nc x nc blocks, rows = phases. */
#include "reservoir.h"

#define MAX RESERVOIR_MAX_UNKNOWNS

static const PetscReal gravity = 9.80665e-5; /* bar per m and kg/m3 */

PetscErrorCode FluidCreate(MPI_Comm comm, PetscInt nc, Fluid *f)
{
  const PetscReal density[3] = {800, 1000, 150}, viscosity[3] = {1, 0.5, 0.05}, compressibility[3] = {1e-4, 5e-5, 1e-3};

  PetscFunctionBeginUser;
  f->nc            = nc;
  f->share         = 0.1;
  f->mean_gradient = 0;
  PetscOptionsBegin(comm, NULL, "Reservoir fluid", NULL);
  PetscCall(PetscOptionsRangeReal("-dissolved", "Part of every phase that is made of the other components", NULL, f->share, &f->share, NULL, 0, 0.5));
  PetscOptionsEnd();
  for (PetscInt a = 0; a < nc; a++) {
    const PetscReal t = a < 3 ? 0 : (PetscReal)(a - 2) / (MAX - 2);

    f->gradient[a]        = gravity * (a < 3 ? density[a] : 750 - 500 * t);
    f->viscosity[a]       = a < 3 ? viscosity[a] : (PetscReal)0.9 - (PetscReal)0.7 * t;
    f->compressibility[a] = a < 3 ? compressibility[a] : (PetscReal)1e-4 + (PetscReal)5e-4 * t;
    f->mean_gradient += f->gradient[a] / nc;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Saturation of phase 0: what the others leave. */
static inline PetscScalar Saturation0(PetscInt nc, const PetscScalar u[])
{
  PetscScalar s = 1;

  for (PetscInt a = 1; a < nc; a++) s -= u[a];
  return s;
}

/* Mobility S^2 / viscosity of each phase (1/cP) and its derivative to the phase's own saturation. */
void FluidMobility(const Fluid *f, const PetscScalar u[], PetscScalar mobility[], PetscScalar derivative[])
{
  for (PetscInt a = 0; a < f->nc; a++) {
    const PetscScalar s = a ? u[a] : Saturation0(f->nc, u);

    mobility[a]   = s * s / f->viscosity[a];
    derivative[a] = 2 * s / f->viscosity[a];
  }
}

/* mass[a] = volume S_a exp(c_a u_0): volume of phase a at reference pressure in a pore volume. */
void FluidMass(const Fluid *f, PetscReal volume, const PetscScalar u[], PetscScalar mass[])
{
  for (PetscInt a = 0; a < f->nc; a++) mass[a] = volume * (a ? u[a] : Saturation0(f->nc, u)) * PetscExpScalar(f->compressibility[a] * u[0]);
}

/* block += derivative of FluidMass. */
void FluidMassDerivative(const Fluid *f, PetscReal volume, const PetscScalar u[], PetscScalar block[])
{
  const PetscInt nc = f->nc;

  for (PetscInt a = 0; a < nc; a++) {
    const PetscScalar b = volume * PetscExpScalar(f->compressibility[a] * u[0]);

    block[a * nc] += f->compressibility[a] * b * (a ? u[a] : Saturation0(nc, u));
    if (a) block[a * nc + a] += b;
    else
      for (PetscInt s = 1; s < nc; s++) block[s] -= b;
  }
}

/* Flow of every phase from cell i to cell j, whose depths differ by depth = z_i - z_j; mobility is taken upstream of the phase's own potential.
   flux += flow, here += derivative to u_i, there += derivative to u_j. */
void FluidFlux(const Fluid *f, PetscReal trans, PetscReal depth, const PetscScalar ui[], const PetscScalar uj[], PetscScalar flux[], PetscScalar here[],
               PetscScalar there[])
{
  const PetscInt    nc = f->nc;
  const PetscScalar si = Saturation0(nc, ui), sj = Saturation0(nc, uj);

  for (PetscInt a = 0; a < nc; a++) {
    const PetscScalar potential = ui[0] - uj[0] - f->gradient[a] * depth;
    const PetscBool   from_i    = PetscRealPart(potential) >= 0 ? PETSC_TRUE : PETSC_FALSE;
    const PetscScalar s         = a ? (from_i ? ui[a] : uj[a]) : (from_i ? si : sj);
    const PetscScalar tm        = trans * s * s / f->viscosity[a];
    const PetscScalar slope     = 2 * trans * s / f->viscosity[a] * potential;
    PetscScalar      *upstream  = from_i ? here : there;

    flux[a] += tm * potential;
    here[a * nc] += tm;
    there[a * nc] -= tm;
    if (a) upstream[a * nc + a] += slope;
    else
      for (PetscInt c = 1; c < nc; c++) upstream[c] -= slope;
  }
}

/* From equations of phases to equations of components: component c is 1 - share of phase c plus an equal part of the share of every phase.
   x holds one row of ncol numbers a phase. This makes every coupling a dense block. */
void FluidMixRows(const Fluid *f, PetscInt ncol, PetscScalar x[])
{
  const PetscInt nc = f->nc;

  if (nc == 1) return;
  for (PetscInt s = 0; s < ncol; s++) {
    PetscScalar sum = 0;

    for (PetscInt a = 0; a < nc; a++) sum += x[a * ncol + s];
    for (PetscInt a = 0; a < nc; a++) x[a * ncol + s] = (1 - f->share) * x[a * ncol + s] + f->share / nc * sum;
  }
}

/* Pressure in balance with the mean density; heavy phases are richer below, but nowhere pure, so that gravity goes on to move them. */
void FluidInitialState(const Fluid *f, PetscReal z, PetscReal height, PetscScalar u[])
{
  PetscReal weight[MAX], sum = 0;

  for (PetscInt a = 0; a < f->nc; a++) {
    weight[a] = PetscExpReal((f->gradient[a] / f->mean_gradient - 1) * (2 * z / height - 1));
    sum += weight[a];
  }
  u[0] = f->mean_gradient * z;
  for (PetscInt a = 1; a < f->nc; a++) u[a] = weight[a] / sum;
}
