/*
   grids: the iterations that structured multigrid takes on problems of many shapes, as a table. Counts nothing but iterations, so a host's is a GPU's.
*/
static char help[] = "Iterations of cg with -pc_type gridmg to a relative residual of 1e-6, for its cycles, as rows of a table.\n\
  -only TEXT     problems whose name contains it\n\
  -shrink n      cells along each axis divided by it (1)\n\
  -cycles v,f,w  the columns\n\
  -into FILE     replaces what FILE has between the lines <!-- grids: begin --> and <!-- grids: end -->\n\
Options of the preconditioner act as everywhere: -pc_gridmg_smooths 2\n\n";

#include "field.hpp"
#include <petscksp.h>
#include <algorithm>
#include <fstream>
#include <sstream>

using namespace bench;

// The same with a part of the cells inactive
static auto without(double part, Inactive how)
{
  return [=](Field &f) {
    f.inactive = part;
    f.how      = how;
  };
}

static std::vector<Field> problems()
{
  const Field spe({
    "spe", {30, 110, 42},
     {20, 10,  2 },
     0.1, 2.5, 1
  }),
    iso({"iso", {48, 48, 48}, {1, 1, 1}, 1, 1.5, 2}), thin({"thin", {64, 64, 32}, {50, 50, 1}, 0.1, 1.5, 3});
  std::vector<Field> all;
  const auto         add = [&all](const Field &like, const std::string &name, auto change) {
    Field f = like;

    f.name = like.name + name;
    change(f);
    all.push_back(f);
  };
  const auto cells = [](int x, int y, int z) {
    return [=](Field &f) {
      const int n[3] = {x, y, z};

      std::copy(n, n + 3, f.n);
    };
  };
  const auto ratio = [](double r) { return [r](Field &f) { f.kz_ratio = r; }; };

  for (const Field *f : {&spe, &iso, &thin}) {
    add(*f, "", [](Field &) {});
    for (int seed : {11, 12}) add(*f, ", seed " + std::to_string(seed), [seed](Field &g) { g.seed = seed; });
  }
  add(spe, "", cells(60, 220, 85));
  add(iso, "", cells(96, 96, 96));
  add(spe, ", odd and prime", cells(61, 219, 83));
  add(iso, ", prime", cells(47, 43, 53));
  add(thin, ", prime", cells(67, 61, 31));
  add(spe, ", one cell thick in x", cells(1, 220, 150));
  add(spe, ", one cell thick in y", cells(220, 1, 150));
  add(spe, ", one cell thick in z", cells(220, 150, 1));
  add(spe, ", one line", cells(5000, 1, 1));
  add(spe, ", 9.0M cells", cells(120, 440, 170));
  add(spe, ", channels", [](Field &f) { f.channels = 1e4; });
  add(Field(all.back()), "", cells(60, 220, 85));
  add(iso, ", another strong axis in each cube of 16 cells", [](Field &f) { f.turning = 100; });
  add(iso, ", strong axis x", [](Field &f) { f.size[0] = 0.1; });
  add(iso, ", strong axis y", [](Field &f) { f.size[1] = 0.1; });
  add(iso, ", kz/kx 1e-3", ratio(1e-3));
  add(iso, ", kz/kx 10", ratio(10));
  add(spe, ", kz/kx 1e-3", ratio(1e-3));
  add(spe, ", kz/kx 10", ratio(10));
  for (const Field *f : {&spe, &iso, &thin}) {
    add(*f, ", 45 % inactive in regions", without(0.45, Inactive::regions));
    add(*f, ", 45 % inactive, scattered", without(0.45, Inactive::scattered));
  }
  return all;
}

// "21", or why there is no number
static PetscErrorCode solve(Mat A, Vec b, std::string *cell)
{
  KSPConvergedReason reason;
  PetscInt           its;
  KSP                ksp;
  PC                 pc;
  Vec                x;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, "gridmg"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 1e-6, PETSC_CURRENT, PETSC_CURRENT, 500));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  *cell = reason > 0 ? std::to_string(its) : std::string(KSPConvergedReasons[reason]);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Replaces the lines between the marks
static PetscErrorCode write(const char path[], const std::string &table)
{
  const std::string begin = "<!-- grids: begin -->\n", end = "<!-- grids: end -->";
  std::stringstream read;

  PetscFunctionBeginUser;
  read << std::ifstream(path).rdbuf();
  std::string       text  = read.str();
  const std::size_t first = text.find(begin), last = text.find(end);
  PetscCheck(first != std::string::npos && last != std::string::npos && first < last, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
             "-into %s: expected a file with the lines %.21s and %s", path, begin.c_str(), end.c_str());
  text.replace(first + begin.size(), last - first - begin.size(), table);
  std::ofstream out(path);
  out << text;
  out.close();
  PetscCheck(out.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "-into %s: cannot be written", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode run()
{
  char        only[256] = "", into[PETSC_MAX_PATH_LEN] = "", *cycles[8];
  PetscInt    shrink = 1, columns = 8, count = 0;
  PetscBool   given;
  std::string table = "| problem | cells |", line = "|---|---|";

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-only", only, sizeof(only), nullptr));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-into", into, sizeof(into), nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-shrink", &shrink, nullptr));
  PetscCheck(shrink >= 1, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-shrink %" PetscInt_FMT ": expected at least 1", shrink);
  PetscCall(PetscOptionsGetStringArray(nullptr, nullptr, "-cycles", cycles, &columns, &given));
  if (!given) {
    columns = 3;
    for (PetscInt k = 0; k < columns; k++) PetscCall(PetscStrallocpy(k ? k > 1 ? "w" : "f" : "v", &cycles[k]));
  }
  for (PetscInt k = 0; k < columns; k++) {
    table += std::string(" ") + cycles[k] + " |";
    line += "---|";
  }
  table += "\n" + line + "\n";
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s", table.c_str()));
  for (Field f : problems()) {
    Mat A;
    Vec b;

    if (f.name.find(only) == std::string::npos) continue;
    for (int &n : f.n) n = std::max(n > 1 ? 2 : 1, n / static_cast<int>(shrink));
    PetscCall(field_system(f, &A, &b));
    const std::string grid = std::to_string(f.n[0]) + "," + std::to_string(f.n[1]) + "," + std::to_string(f.n[2]);
    PetscCall(PetscOptionsSetValue(nullptr, "-pc_gridmg_grid", grid.c_str()));
    line = "| " + f.name + " | " + std::to_string(f.n[0]) + " x " + std::to_string(f.n[1]) + " x " + std::to_string(f.n[2]) + " |";
    for (PetscInt k = 0; k < columns; k++) {
      std::string cell;

      PetscCall(PetscOptionsSetValue(nullptr, "-pc_gridmg_cycle", cycles[k]));
      PetscCall(solve(A, b, &cell));
      line += " " + cell + " |";
    }
    line += "\n";
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s", line.c_str()));
    table += line;
    count++;
    PetscCall(MatDestroy(&A));
    PetscCall(VecDestroy(&b));
  }
  for (PetscInt k = 0; k < columns; k++) PetscCall(PetscFree(cycles[k]));
  PetscCheck(count, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-only %s: no problem is called so", only);
  if (into[0]) PetscCall(write(into, table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(run());
  PetscCall(PetscFinalize());
  return 0;
}
