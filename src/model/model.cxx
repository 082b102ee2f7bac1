/*
   The life of the model in a program.
*/
#include "model.hpp"
#include "../sys/device.hpp"
#include "../sys/number_options.hpp"
#include "../sys/report_file.hpp"
#include "measure.hpp"
#include "model_tuning.hpp"
#include <heptane.h>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

namespace heptane
{

namespace
{

constexpr char option[] = "-heptane_advise";

struct Model {
  bool                     advises = false, table = false, known = false; /* known: the machine's figures are */
  std::string              json, file;                                    /* of advice; of figures. Empty: none */
  bool                     write      = false;                            /* the figures are to be written into the file */
  PetscInt                 iterations = ModelTuning::iterations;
  Machine                  machine;
  std::vector<SolveAdvice> advices;
};
std::unique_ptr<Model> model;

PetscErrorCode ReadMachine(Model *m)
{
  std::ifstream     file(m->file);
  std::stringstream text;
  std::string       why;

  PetscFunctionBegin;
  text << file.rdbuf();
  PetscCheck(parse_machine(text.str(), &m->machine, &why), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "-heptane_machine %s: %s; name a file that is not there yet, and it is written with the figures of this machine", m->file.c_str(), why.c_str());
  m->known = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Read where the first process finds it; else all know whether it can be written */
PetscErrorCode UseFile(Model *m)
{
  PetscMPIInt rank;
  int         state[2] = {0, 1}; /* whether it is there, whether it could be written */

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    state[0] = std::ifstream(m->file).good();
    if (!state[0]) {
      state[1] = std::ofstream(m->file, std::ios::app).good();
      if (state[1]) (void)std::remove(m->file.c_str());
    }
  }
  PetscCallMPI(MPI_Bcast(state, 2, MPI_INT, 0, PETSC_COMM_WORLD));
  PetscCheck(state[1], PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-heptane_machine %s: the file cannot be written; its folder must exist and be writable",
             m->file.c_str());
  m->write = !state[0];
  if (state[0]) PetscCall(ReadMachine(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Options(Model *m)
{
  char      forms[PETSC_MAX_PATH_LEN] = "", file[PETSC_MAX_PATH_LEN] = "";
  PetscBool advises, named;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Heptane options: advice", NULL);
  PetscCall(PetscOptionsString(option, "Predicted and measured times of solves on host and GPU: table, json:FILE or table,json:FILE", "HeptaneInitialize",
                               forms, forms, sizeof(forms), &advises));
  PetscCall(OptionInt(PetscOptionsObject, "-heptane_advise_iterations", "Iterations that a solver is expected to take before its first solve",
                      "HeptaneInitialize", 1, PETSC_INT_MAX, &m->iterations));
  PetscCall(PetscOptionsString("-heptane_machine", "File with the figures of the machine: read, or written where it is not there", "HeptaneInitialize", file,
                               file, sizeof(file), &named));
  PetscOptionsEnd();
  m->advises = advises;
  if (advises) PetscCall(ReportForms(option, forms, &m->table, &m->json));
  if (!m->json.empty()) PetscCall(ReportCheckFile(option, m->json));
  PetscCheck(!named || *file, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-heptane_machine names no file");
  m->file = file;
  if (named) PetscCall(UseFile(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the first process that has them */
PetscErrorCode WriteMachine(const Model &m)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  std::ofstream file(m.file, std::ios::trunc);

  file << machine_json(m.machine) << std::flush;
  PetscCheck(file.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "-heptane_machine %s: the file could be written when the program began and cannot be now",
             m.file.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* null: none of this kind */
SolveAdvice *find(const std::string &solver, const std::string &matrix, const std::string &pc, double rows)
{
  const auto same = [&](const SolveAdvice &a) { return a.solver == solver && a.matrix == matrix && a.pc == pc && a.last.rows == rows; };
  const auto a    = std::find_if(model->advices.begin(), model->advices.end(), same);

  return a == model->advices.end() ? nullptr : &*a;
}

SolveAdvice *find_or_add(const std::string &solver, const std::string &matrix, const std::string &pc, const SolveWork &work, bool *added)
{
  SolveAdvice *a = find(solver, matrix, pc, work.rows);

  *added = !a;
  if (a) return a;
  SolveAdvice made;

  made.solver = solver;
  made.matrix = matrix;
  made.pc     = pc;
  made.first = made.last = work;
  model->advices.push_back(made);
  return &model->advices.back();
}

PetscErrorCode Environment(JsonLine *line)
{
  PetscMPIInt rank, ranks;
  PetscInt    major, minor, subminor;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscGetVersionNumber(&major, &minor, &subminor, NULL));
  line->Add("rank", (int)rank).Add("ranks", (int)ranks).Add("petsc", std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(subminor));
  line->Add("heptane", std::to_string(HEPTANE_VERSION_MAJOR) + "." + std::to_string(HEPTANE_VERSION_MINOR) + "." + std::to_string(HEPTANE_VERSION_PATCH));
  line->Add("scalar_bytes", (int)sizeof(PetscScalar));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ModelBegin()
{
  auto made = std::make_unique<Model>();

  PetscFunctionBegin;
  PetscCall(Options(made.get()));
  if (made->advises && !made->known) PetscCall(MeasureMessages(PETSC_COMM_WORLD, &made->machine));
  model = std::move(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool ModelAdvises()
{
  return model && model->advises;
}

PetscInt ModelIterations()
{
  return model ? model->iterations : ModelTuning::iterations;
}

PetscErrorCode ModelMachine(const Machine **machine)
{
  PetscBool usable;

  PetscFunctionBegin;
  PetscCheck(model, PETSC_COMM_SELF, PETSC_ERR_ORDER, "The library is not registered: call HeptaneInitialize()");
  if (!model->known) {
    PetscCall(DeviceUsable(&usable));
    PetscCall(MeasureHost(&model->machine));
    if (usable) PetscCall(MeasureDevice(&model->machine));
    model->known = true;
    if (model->write) PetscCall(WriteMachine(*model));
  }
  *machine = &model->machine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelBeforeSolve(const std::string &solver, const std::string &matrix, const std::string &pc, const SolveWork &work)
{
  const Machine *machine;
  PetscMPIInt    rank;
  bool           added;

  PetscFunctionBegin;
  if (!ModelAdvises()) PetscFunctionReturn(PETSC_SUCCESS);
  const SolveAdvice *a = find_or_add(solver, matrix, pc, work, &added);
  if (!added || !model->table) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ModelMachine(&machine));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s", advice_before(*machine, *a).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelSolved(const std::string &solver, const std::string &matrix, const std::string &pc, const SolveWork &work, bool device, double us)
{
  bool added;

  PetscFunctionBegin;
  if (!ModelAdvises()) PetscFunctionReturn(PETSC_SUCCESS);
  SolveAdvice *a     = find_or_add(solver, matrix, pc, work, &added);
  SolveTimes  &times = device ? a->device : a->host;

  times.us.push_back(us);
  times.iterations += work.iterations;
  a->last            = work;
  a->last.iterations = (a->host.iterations + a->device.iterations) / (double)(a->host.us.size() + a->device.us.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ModelEnd()
{
  const Machine *machine;
  PetscMPIInt    rank;
  JsonLine       environment;

  PetscFunctionBegin;
  if (ModelAdvises()) {
    PetscCall(ModelMachine(&machine));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    if (model->table && !rank) {
      (void)std::fputs(advice_table(*machine, model->advices).c_str(), stdout); /* longer than PetscPrintf() takes */
      (void)std::fflush(stdout);
    }
    PetscCall(Environment(&environment));
    if (!model->json.empty()) PetscCall(ReportWriteLines(option, model->json, advice_json(*machine, model->advices, environment)));
  }
  model.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
