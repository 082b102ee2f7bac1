/*
   placement: one solve whose vectors are on the host, run there, on the GPU and where -ksp_fused_place auto takes it,
   copies included, and the same solve with vectors on the GPU. bench/placement/crossing compares the times with the
   predictions of heptane-advise.
*/
static char help[] = "Times of solves from vectors on the host.\n\
  -edges n,n,...     cells along each edge of a cube, one unknown per cell (10,13,...,215: 1e3 to 1e7 rows)\n\
  -iterations n      of each solve (50)\n\
  -solver TYPE       fusedcg (default) or fusedbcgs\n\
  -type TYPE         of the matrix (bdiagh)\n\
  -pc TYPE           preconditioner (jacobi)\n\
  -rtol r            solve to this tolerance, not for a number of iterations\n\
  -boundary          cells of the surface have fixed values: a one on their diagonal is their only entry\n\
  -places p,p,...    of host, device, auto, cuda (all); the last one: vectors on the GPU\n\
  -values unchanged  the matrix stays as it is from solve to solve; sent: its values change on the host before each\n\n";

#include "../common/bench.hpp"
#include "../common/matrices.hpp"
#include "../common/reference.hpp"
#include "../common/results.hpp"
#include <petscksp.h>
#include <petsctime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace bench;

namespace
{

constexpr int         places              = 4;
constexpr const char *place_names[places] = {"host", "device", "auto", "cuda"};

struct Case {
  Problem             problem;
  Mat                 base = NULL, A = NULL;
  Vec                 b[places] = {NULL, NULL, NULL, NULL}, x[places] = {NULL, NULL, NULL, NULL};
  KSP                 ksp[places]   = {NULL, NULL, NULL, NULL};
  PetscInt            iterations    = 0;
  double              first[places] = {0, 0, 0, 0}; // the first solve of each place: kernels are loaded, memory is taken
  std::vector<double> seconds[places];
  std::string         chosen; // by auto, at its last solve
};

class Placement : public Bench {
  std::vector<PetscInt> edges;
  PetscInt              iterations = 50;
  PetscReal             rtol       = 0;
  PetscBool             boundary = PETSC_FALSE, wanted[places] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  std::string           solver = "fusedcg", type = "bdiagh", values = "unchanged", pc = "jacobi";

  PetscErrorCode options() override;
  PetscErrorCode run() override;
  PetscErrorCode make(PetscInt edge, Case *c);
  PetscErrorCode solve(Case *c, int place);
  PetscErrorCode report(Case *c);
  PetscErrorCode destroy(Case *c);
};

PetscErrorCode Placement::options()
{
  PetscInt  given[64], number = 64;
  char      text[64];
  PetscBool set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-edges", given, &number, &set));
  if (set) edges.assign(given, given + number);
  else edges = {10, 13, 17, 22, 28, 36, 46, 64, 87, 118, 160, 215};
  for (PetscInt n : edges) PetscCheck(n > 1, comm, PETSC_ERR_ARG_OUTOFRANGE, "-edges %" PetscInt_FMT ": two cells at least", n);
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-iterations", &iterations, NULL));
  PetscCheck(iterations > 0, comm, PETSC_ERR_ARG_OUTOFRANGE, "-iterations %" PetscInt_FMT ": one at least", iterations);
  PetscCall(PetscOptionsGetString(NULL, NULL, "-solver", text, sizeof(text), &set));
  if (set) solver = text;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", text, sizeof(text), &set));
  if (set) type = text;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-pc", text, sizeof(text), &set));
  if (set) pc = text;
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-rtol", &rtol, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-boundary", &boundary, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-places", text, sizeof(text), &set));
  const std::string list = std::string(",") + text + ",";
  for (int p = 0; p < places && set; p++) wanted[p] = (PetscBool)(list.find(std::string(",") + place_names[p] + ",") != std::string::npos);
  PetscCall(PetscOptionsGetString(NULL, NULL, "-values", text, sizeof(text), &set));
  if (set) values = text;
  PetscCheck(values == "unchanged" || values == "sent", comm, PETSC_ERR_USER_INPUT, "-values %s: unchanged or sent", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The rows of cells on the surface of a cube of n^3
PetscErrorCode fix_surface(Mat A, PetscInt n)
{
  std::vector<PetscInt> rows;

  PetscFunctionBeginUser;
  for (PetscInt k = 0; k < n * n * n; k++)
    for (PetscInt at : {k % n, k / n % n, k / n / n})
      if (at == 0 || at == n - 1) {
        rows.push_back(k);
        break;
      }
  PetscCall(MatZeroRows(A, (PetscInt)rows.size(), rows.data(), 1.0, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Placement::make(PetscInt n, Case *c)
{
  PC preconditioner;

  PetscFunctionBeginUser;
  PetscCall(problem_general_hepta(comm, {n, n, n, 1}, Values::spd, 1, &c->problem));
  PetscCall(matrix_make(comm, c->problem, type, &c->base, &c->A));
  if (boundary) PetscCall(fix_surface(c->A, n));
  for (int p = 0; p < places; p++) {
    const bool cuda = std::string(place_names[p]) == "cuda";

    if (cuda) PetscCall(MatCreateVecs(c->A, &c->b[p], NULL));
    else PetscCall(VecCreateSeq(comm, c->problem.rows, &c->b[p]));
    PetscCall(fill_rhs(c->problem, c->b[p]));
    PetscCall(VecDuplicate(c->b[p], &c->x[p]));
    PetscCall(KSPCreate(comm, &c->ksp[p]));
    PetscCall(KSPSetType(c->ksp[p], solver.c_str()));
    PetscCall(KSPGetPC(c->ksp[p], &preconditioner));
    PetscCall(PCSetType(preconditioner, pc.c_str()));
    PetscCall(KSPSetOperators(c->ksp[p], c->A, c->A));
    PetscCall(KSPSetTolerances(c->ksp[p], rtol > 0 ? rtol : 1e-200, 0, PETSC_CURRENT, rtol > 0 ? PETSC_CURRENT : iterations));
    PetscCall(PetscOptionsSetValue(NULL, "-ksp_fused_place", cuda ? "vectors" : place_names[p]));
    PetscCall(KSPSetFromOptions(c->ksp[p]));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-ksp_fused_place"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Placement::solve(Case *c, int p)
{
  PetscLogDouble begin, end;
  PetscScalar   *a;

  PetscFunctionBeginUser;
  if (values == "sent") { // as an application does that assembles on the host
    PetscCall(MatSeqAIJGetArray(c->A, &a));
    PetscCall(MatSeqAIJRestoreArray(c->A, &a));
  }
  PetscCall(KSPSetUp(c->ksp[p]));
  PetscCall(device_synchronize(device));
  PetscCall(PetscTime(&begin));
  PetscCall(KSPSolve(c->ksp[p], c->b[p], c->x[p]));
  PetscCall(device_synchronize(device));
  PetscCall(PetscTime(&end));
  c->seconds[p].push_back(end - begin);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The line of KSPView() that says where the solver's last solve ran
PetscErrorCode placed(KSP ksp, std::string *where)
{
  char       *buffer = nullptr;
  size_t      size   = 0;
  PetscViewer viewer;
  FILE       *memory = open_memstream(&buffer, &size);

  PetscFunctionBeginUser;
  PetscCheck(memory, PETSC_COMM_SELF, PETSC_ERR_SYS, "no memory for the text of KSPView");
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, memory, &viewer));
  PetscCall(KSPView(ksp, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  std::fclose(memory);
  const std::string text(buffer, size), head = "fused: mode ";
  std::free(buffer);
  const size_t at = text.find(head), on = text.find(" on the ", at);

  *where = at == std::string::npos || on == std::string::npos ? "" : text.substr(on + 8, text[on + 8] == 'h' ? 4 : 6);
  PetscFunctionReturn(PETSC_SUCCESS);
}

double median(std::vector<double> s)
{
  if (s.empty()) return 0;
  std::sort(s.begin(), s.end());
  return s[s.size() / 2];
}

PetscErrorCode Placement::report(Case *c)
{
  PetscReal norm, difference;
  double    us[places];
  Record    r;
  bool      verified = true;

  PetscFunctionBeginUser;
  for (int p = 1; p < places; p++) { // all against the first one
    const int first = (int)(std::find(wanted, wanted + places, PETSC_TRUE) - wanted);

    if (!wanted[p] || p <= first) continue;
    PetscCall(VecCopy(c->x[first], c->b[p]));
    PetscCall(VecNorm(c->b[p], NORM_2, &norm));
    PetscCall(VecAXPY(c->b[p], -1.0, c->x[p]));
    PetscCall(VecNorm(c->b[p], NORM_2, &difference));
    verified = verified && difference <= (sizeof(PetscReal) == 8 ? PetscMax(1e-8, 100 * rtol) : 1e-3) * norm;
  }
  failed = failed || !verified;
  for (int p = 0; p < places; p++) us[p] = 1e6 * median(c->seconds[p]);
  r.add("suite", "placement").add("what", "ksp_placed").add("ksp", solver).add("mat", type).add("pc", pc).add("values", values).add("boundary", (bool)boundary);
  r.add("rows", (PetscInt64)c->problem.global_rows).add("iterations", (PetscInt64)c->iterations).add("samples", (PetscInt64)timer.samples);
  for (int p = 0; p < places; p++) // 0: not measured
    r.add((std::string(place_names[p]) + "_us").c_str(), us[p]).add((std::string(place_names[p]) + "_first_us").c_str(), 1e6 * c->first[p]);
  r.add("auto_on", c->chosen).add("verified", verified);
  r.add("gpu", device.name).add("driver", device.driver).add("cuda", device.cuda);
  PetscCall(PetscPrintf(comm, "%s\n", r.json().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Placement::destroy(Case *c)
{
  PetscFunctionBeginUser;
  for (int p = 0; p < places; p++) {
    PetscCall(KSPDestroy(&c->ksp[p]));
    PetscCall(VecDestroy(&c->x[p]));
    PetscCall(VecDestroy(&c->b[p]));
  }
  PetscCall(MatDestroy(&c->A));
  PetscCall(MatDestroy(&c->base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Placement::run()
{
  PetscFunctionBeginUser;
  for (PetscInt n : edges) {
    Case c;

    PetscCall(make(n, &c));
    for (PetscInt s = 0; s <= timer.samples; s++)
      for (int k = 0; k < places; k++) {
        if (!wanted[k]) continue;
        PetscCall(solve(&c, k));
        PetscCall(KSPGetIterationNumber(c.ksp[k], &c.iterations));
        if (!s) {
          c.first[k] = c.seconds[k][0];
          c.seconds[k].clear();
        }
      }
    if (wanted[2]) PetscCall(placed(c.ksp[2], &c.chosen));
    PetscCall(report(&c));
    PetscCall(destroy(&c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  return Placement().main(argc, argv, help);
}
