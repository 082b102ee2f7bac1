/*
   placement: one solve whose vectors are on the host, run there, on the GPU and where -ksp_fused_place auto takes it, copies included. With -heptane_advise json:FILE the library writes what it
   has predicted for each size beside what it has measured; bench/placement/crossing compares both.
*/
static char help[] = "Times of solves from vectors on the host.\n\
  -edges n,n,...     cells along each edge of a cube, one unknown per cell (10,13,...,215: 1e3 to 1e7 rows)\n\
  -iterations n      of each solve (50)\n\
  -solver TYPE       fusedcg (default) or fusedbcgs\n\
  -type TYPE         of the matrix (bdiagh)\n\
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

constexpr int         places              = 3;
constexpr const char *place_names[places] = {"host", "device", "auto"};

struct Case {
  Problem             problem;
  Mat                 base = NULL, A = NULL;
  Vec                 b = NULL, x[places] = {NULL, NULL, NULL};
  KSP                 ksp[places] = {NULL, NULL, NULL};
  std::vector<double> seconds[places];
  std::string         chosen; // by auto, at its last solve
};

class Placement : public Bench {
  std::vector<PetscInt> edges;
  PetscInt              iterations = 50;
  std::string           solver = "fusedcg", type = "bdiagh", values = "unchanged";

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
  PetscCall(PetscOptionsGetString(NULL, NULL, "-values", text, sizeof(text), &set));
  if (set) values = text;
  PetscCheck(values == "unchanged" || values == "sent", comm, PETSC_ERR_USER_INPUT, "-values %s: unchanged or sent", text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Placement::make(PetscInt n, Case *c)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(problem_general_hepta(comm, {n, n, n, 1}, Values::spd, 1, &c->problem));
  PetscCall(matrix_make(comm, c->problem, type, &c->base, &c->A));
  PetscCall(VecCreateSeq(comm, c->problem.rows, &c->b));
  PetscCall(fill_rhs(c->problem, c->b));
  for (int p = 0; p < places; p++) {
    PetscCall(VecDuplicate(c->b, &c->x[p]));
    PetscCall(KSPCreate(comm, &c->ksp[p]));
    PetscCall(KSPSetType(c->ksp[p], solver.c_str()));
    PetscCall(KSPGetPC(c->ksp[p], &pc));
    PetscCall(PCSetType(pc, PCJACOBI));
    PetscCall(KSPSetOperators(c->ksp[p], c->A, c->A));
    PetscCall(KSPSetTolerances(c->ksp[p], 1e-200, 0, PETSC_CURRENT, iterations));
    PetscCall(PetscOptionsSetValue(NULL, "-ksp_fused_place", place_names[p]));
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
  PetscCall(KSPSolve(c->ksp[p], c->b, c->x[p]));
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
  std::sort(s.begin(), s.end());
  return s[s.size() / 2];
}

PetscErrorCode Placement::report(Case *c)
{
  PetscReal norm, difference;
  double    us[places];
  Record    r;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(c->x[0], NORM_2, &norm));
  PetscCall(VecAXPY(c->x[1], -1.0, c->x[0]));
  PetscCall(VecNorm(c->x[1], NORM_2, &difference));
  const bool verified = difference <= (sizeof(PetscReal) == 8 ? 1e-8 : 1e-3) * norm;
  failed              = failed || !verified;
  for (int p = 0; p < places; p++) us[p] = 1e6 * median(c->seconds[p]);
  r.add("suite", "placement").add("what", "ksp_placed").add("ksp", solver).add("mat", type).add("pc", "jacobi").add("values", values);
  r.add("rows", (PetscInt64)c->problem.global_rows).add("iterations", (PetscInt64)iterations).add("samples", (PetscInt64)c->seconds[0].size());
  r.add("host_us", us[0]).add("device_us", us[1]).add("auto_us", us[2]).add("auto_on", c->chosen).add("verified", verified);
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
  }
  PetscCall(VecDestroy(&c->b));
  PetscCall(MatDestroy(&c->A));
  PetscCall(MatDestroy(&c->base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The first solve of each place does not count: it takes memory and loads kernels
PetscErrorCode Placement::run()
{
  PetscFunctionBeginUser;
  for (PetscInt n : edges) {
    Case c;

    PetscCall(make(n, &c));
    for (PetscInt s = 0; s <= timer.samples; s++)
      for (int k = places; k-- > 0;) { // auto first: it has seen nothing
        PetscCall(solve(&c, k));
        if (!s) c.seconds[k].clear();
      }
    PetscCall(placed(c.ksp[2], &c.chosen));
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
