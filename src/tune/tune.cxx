/*
   The life of tuning in a program.
*/
#include "tune.hpp"
#include "../metrics/trace.hpp"
#include "../model/measure.hpp"
#include "../model/model.hpp"
#include "../sys/number_options.hpp"
#include "launch_tuning.hpp"
#include "tune_measure.hpp"
#include <climits>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <tuple>

namespace heptane
{

namespace
{

enum class Answers { automatic, compiled, model, table };

struct Tune {
  bool         measures = false, done = false; /* done: it is decided whether a GPU is used */
  std::string  file;                           /* to be written; empty: none */
  std::string  source;                         /* where the table comes from, for messages */
  Answers      answers         = Answers::automatic;
  PetscInt     multiprocessors = 0, shared = 0; /* of the artificial GPU; 0: as it is */
  PetscReal    rows = 1e8;
  TuningTable  table;
  LaunchDevice believed;
  DeviceLimits real;

  std::map<std::tuple<const void *, int, std::size_t>, LaunchChoice> given;
};
std::unique_ptr<Tune> tune;

bool was_compiled_for(const DeviceLimits &d)
{
  for (const auto &gpu : LaunchTuning::compiled_for)
    if (gpu.major == d.major && gpu.minor == d.minor && gpu.multiprocessors == d.multiprocessors) return true;
  return false;
}

PetscErrorCode ReadTable(const char option[], const std::string &name, TuningTable *table)
{
  std::ifstream     file(name);
  std::stringstream text;
  std::string       why;

  PetscFunctionBegin;
  PetscCheck(file.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s %s: the file cannot be read; -heptane_tune %s measures the GPU at hand and writes it",
             option, name.c_str(), name.c_str());
  text << file.rdbuf();
  PetscCheck(parse_tuning(text.str(), table, &why), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s %s: %s; remove it, and -heptane_tune %s measures the GPU at hand and writes it", option, name.c_str(), why.c_str(), name.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file that is there is not overwritten */
PetscErrorCode CheckWritable(const std::string &name)
{
  PetscFunctionBegin;
  PetscCheck(!std::ifstream(name).good(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "-heptane_tune %s: the file is there already; -heptane_tuning %s reads it, and it has to be removed to be measured again", name.c_str(),
             name.c_str());
  PetscCheck(std::ofstream(name, std::ios::app).good(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "-heptane_tune %s: the file cannot be written; its folder must exist and be writable", name.c_str());
  (void)std::remove(name.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Options(Tune *t)
{
  char        file[PETSC_MAX_PATH_LEN] = "", answers[PETSC_MAX_PATH_LEN] = "auto";
  PetscBool   measures, named;
  PetscMPIInt ranks;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Heptane options: tuning", NULL);
  PetscCall(PetscOptionsString("-heptane_tune", "Measure all launches of this GPU that can be chosen, print the best and the model's, and write them to a file",
                               "HeptaneInitialize", file, file, sizeof(file), &measures));
  PetscCall(PetscOptionsString("-heptane_tuning", "Who chooses launches: auto, compiled, model, or a file of -heptane_tune", "HeptaneInitialize", answers,
                               answers, sizeof(answers), &named));
  PetscCall(OptionReal(PetscOptionsObject, "-heptane_tune_rows", "Rows of the largest problem that is measured", "HeptaneInitialize", 4e4, 1e9, &t->rows));
  PetscCall(OptionInt(PetscOptionsObject, "-heptane_tune_multiprocessors", "Choose launches for a GPU with so many multiprocessors, 0: as they are",
                      "HeptaneInitialize", 0, INT_MAX, &t->multiprocessors));
  PetscCall(OptionInt(PetscOptionsObject, "-heptane_tune_shared",
                      "Choose launches for a GPU with so many bytes of shared memory per multiprocessor, 0: as it is", "HeptaneInitialize", 0, INT_MAX,
                      &t->shared));
  PetscOptionsEnd();
  PetscCheck(!measures || !named, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-heptane_tune measures, -heptane_tuning says who chooses without: give one of them");
  t->measures = measures;
  t->file     = file;
  if (measures) {
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
    PetscCheck(ranks == 1, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "-heptane_tune measures one GPU with one process: run the program so once with a file, and give that to any number by -heptane_tuning");
    if (*file) PetscCall(CheckWritable(file));
  }
  const std::string by = answers;

  t->answers = by == "auto" ? Answers::automatic : by == "compiled" ? Answers::compiled : by == "model" ? Answers::model : Answers::table;
  if (t->answers == Answers::table) {
    PetscCheck(!by.empty(), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-heptane_tuning takes auto, compiled, model, or the name of a file");
    t->source = by;
    PetscCall(ReadTable("-heptane_tuning", by, &t->table));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a question has been answered before, or now by f */
template <class F>
LaunchChoice given_or(const LaunchQuestion &q, F &&f)
{
  const auto key   = std::make_tuple(q.kernel, q.size, q.items);
  const auto found = tune->given.find(key);

  return found != tune->given.end() ? found->second : tune->given[key] = choice_of(tune->believed.limits, tune->real, q, f());
}

LaunchChoice model_choice(const LaunchQuestion &q)
{
  return given_or(q, [&] { return choose_candidate(tune->believed, q, kernels_of(q)); });
}

LaunchChoice table_choice(const LaunchQuestion &q)
{
  return given_or(q, [&] { return candidate_of(tune->table, tune->believed.limits, q); });
}

PetscErrorCode Believe(Tune *t)
{
  PetscFunctionBegin;
  PetscCall(DeviceLimitsNow(&t->real));
  t->believed.limits = t->real;
  t->believed.spread = t->real.multiprocessors;
  PetscCheck(t->multiprocessors <= t->real.multiprocessors, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-heptane_tune_multiprocessors %" PetscInt_FMT ": this GPU has %d, of which fewer can be used and not more", t->multiprocessors,
             t->real.multiprocessors);
  PetscCheck(t->shared <= t->real.shared, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-heptane_tune_shared %" PetscInt_FMT ": a multiprocessor of this GPU has %ld bytes, of which fewer can be used and not more", t->shared,
             t->real.shared);
  if (t->multiprocessors) t->believed.limits.multiprocessors = static_cast<int>(t->multiprocessors);
  if (t->shared) t->believed.limits.shared = static_cast<long>(t->shared);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The latency of the memory, measured now, and its rate, as the program has measured it or read it from the file of -heptane_machine */
PetscErrorCode Figures(Tune *t)
{
  const Machine *machine;

  PetscFunctionBegin;
  PetscCall(ModelMachine(&machine));
  PetscCheck(machine->HasDevice(), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "The file of -heptane_machine has no figures of a GPU: leave it out, or name one that is not there yet");
  PetscCall(MeasureMemoryLatency(&t->believed.latency_us));
  t->believed.scalar_bytes = sizeof(PetscScalar);
  PetscCall(DeviceCacheBytes(&t->believed.cache_bytes));
  t->believed.cache_latency_us   = machine->latency_us;
  t->believed.cache_bytes_per_us = machine->device_pass.Rate(LaunchTuning::cache_part * t->believed.cache_bytes);
  t->believed.bytes_per_us       = machine->device_pass.Rate(LaunchTuning::rate_bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Measure(Tune *t)
{
  PetscFunctionBegin;
  PetscCall(MeasureLaunches(t->believed, t->real, (double)t->rows, &t->table));
  (void)std::fputs(tuning_text(t->table).c_str(), stdout); /* longer than PetscPrintf() takes */
  (void)std::fflush(stdout);
  if (!t->file.empty()) {
    std::ofstream file(t->file, std::ios::trunc);

    file << tuning_json(t->table) << std::flush;
    PetscCheck(file.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "-heptane_tune %s: the file could be written when the program began and cannot be now",
               t->file.c_str());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode TuneBegin()
{
  auto made = std::make_unique<Tune>();

  PetscFunctionBegin;
  PetscCall(Options(made.get()));
  tune = std::move(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TuneDevice(PetscBool usable)
{
  Tune *const t = tune.get();

  PetscFunctionBegin;
  if (!t || t->done) PetscFunctionReturn(PETSC_SUCCESS);
  t->done = true;
  PetscCheck(usable || !t->measures, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "-heptane_tune measures launches on a GPU, and this run uses none: leave it out, or run where -info tells that a CUDA device is usable");
  if (!usable) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Believe(t));
  const bool artificial = t->multiprocessors || t->shared;

  if (t->answers == Answers::automatic && !t->measures) t->answers = was_compiled_for(t->real) && !artificial ? Answers::compiled : Answers::model;
  if (t->answers == Answers::table) {
    const std::string why = tuning_differs(t->table, t->believed.limits);

    PetscCheck(why.empty(), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "-heptane_tuning %s: it %s; measure this one with -heptane_tune and another file",
               t->source.c_str(), why.c_str());
  }
  if (t->measures || t->answers == Answers::model) PetscCall(Figures(t));
  if (t->measures) {
    PetscCall(Measure(t));
    t->answers = Answers::table;
  }
  launch_adviser = t->answers == Answers::table ? table_choice : t->answers == Answers::model ? model_choice : nullptr;
  PetscCall(PetscInfo(NULL, "Launches on %s are chosen by %s\n", t->real.name.c_str(),
                      launch_adviser ? (t->answers == Answers::table ? "a table" : "the model") : "the numbers that are compiled in"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TuneEnd()
{
  PetscFunctionBegin;
  if (tune && tune->measures && !tune->done)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "-heptane_tune: nothing was measured, since the program has made no matrix of heptane's types\n"));
  launch_adviser = nullptr;
  tune.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
