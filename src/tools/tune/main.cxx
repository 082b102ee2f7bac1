/*
   heptane-tune: measures the launches that can be chosen on a GPU.
*/
static char help[] = "heptane-tune [FILE]: measures all launches that can be chosen on this GPU, and prints the fastest and the model's.\n\
  FILE                written with the measured launches, for -heptane_tuning FILE of the library; must not exist\n\
  -rows n             of the largest problem that is measured, at least 40000 (1e8: all)\n\
  -multiprocessors n  as a GPU with n multiprocessors would be (0: all)\n\
  -shared bytes       as a GPU with this many bytes of shared memory per multiprocessor (0: all)\n\
  -machine FILE       figures of the machine: read, or measured and written if the file does not exist\n\n";

#include "../../metrics/trace.hpp"
#include "../../sys/device.hpp"
#include "../../sys/number_options.hpp"
#include "../advise/figures.hpp"
#include "launch_tuning.hpp"
#include "tune_measure.hpp"
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace heptane;

namespace
{

struct Tune {
  PetscInt     multiprocessors = 0, shared = 0; /* of the artificial GPU; 0: of the real one */
  PetscReal    rows = 1e8;
  TuningTable  table;
  LaunchDevice assumed;
  DeviceLimits real;
};

PetscErrorCode Options(Tune *t)
{
  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "heptane-tune", NULL);
  PetscCall(OptionReal(PetscOptionsObject, "-rows", "Rows of the largest problem that is measured", NULL, 4e4, 1e9, &t->rows));
  PetscCall(OptionInt(PetscOptionsObject, "-multiprocessors", "Multiprocessors of the GPU to tune for; 0: of this one", NULL, 0, INT_MAX, &t->multiprocessors));
  PetscCall(
    OptionInt(PetscOptionsObject, "-shared", "Bytes of shared memory per multiprocessor of the GPU to tune for; 0: of this one", NULL, 0, INT_MAX, &t->shared));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetAssumedDevice(Tune *t)
{
  PetscFunctionBegin;
  PetscCall(DeviceLimitsNow(&t->real));
  t->assumed.limits = t->real;
  t->assumed.spread = t->real.multiprocessors;
  PetscCheck(t->multiprocessors <= t->real.multiprocessors, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-multiprocessors %" PetscInt_FMT ": this GPU has %d, of which fewer can be used and not more", t->multiprocessors, t->real.multiprocessors);
  PetscCheck(t->shared <= t->real.shared, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-shared %" PetscInt_FMT ": a multiprocessor of this GPU has %ld bytes, of which fewer can be used and not more", t->shared, t->real.shared);
  if (t->multiprocessors) t->assumed.limits.multiprocessors = static_cast<int>(t->multiprocessors);
  if (t->shared) t->assumed.limits.shared = static_cast<long>(t->shared);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The latency of the memory, measured now, and its rate, measured or read from the file of -machine */
PetscErrorCode Figures(Tune *t)
{
  Machine machine;

  PetscFunctionBegin;
  PetscCall(MachineFigures(&machine));
  PetscCheck(machine.HasDevice(), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "The file of -machine has no figures of a GPU: leave it out, or name one that is not there yet");
  PetscCall(MeasureMemoryLatency(&t->assumed.latency_us));
  t->assumed.scalar_bytes = sizeof(PetscScalar);
  PetscCall(DeviceCacheBytes(&t->assumed.cache_bytes));
  t->assumed.cache_latency_us   = machine.latency_us;
  t->assumed.cache_bytes_per_us = machine.device_pass.Rate(LaunchTuning::cache_part * t->assumed.cache_bytes);
  t->assumed.bytes_per_us       = machine.device_pass.Rate(LaunchTuning::rate_bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run(const char name[])
{
  Tune          t;
  std::ofstream file;
  PetscMPIInt   size;
  PetscBool     usable;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_SELF, PETSC_ERR_SUP, "heptane-tune measures one GPU with one process; any number of processes reads its table");
  PetscCall(Options(&t));
  PetscCheck(!*name || !std::ifstream(name).good(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN,
             "%s: the file is there already; -heptane_tuning %s reads it, and it has to be removed to be measured again", name, name);
  PetscCall(DeviceUsable(&usable));
  PetscCheck(usable, PETSC_COMM_SELF, PETSC_ERR_SUP, "heptane-tune measures launches on a GPU, and this run uses none: -info says why");
  if (*name) file.open(name);
  PetscCheck(file.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s: the file cannot be written; its folder must exist and be writable", name);
  PetscCall(SetAssumedDevice(&t));
  PetscCall(Figures(&t));
  PetscCall(MeasureLaunches(t.assumed, t.real, (double)t.rows, &t.table));
  (void)std::fputs(tuning_text(t.table).c_str(), stdout); /* longer than the buffer of PetscPrintf() */
  (void)std::fflush(stdout);
  if (*name) file << tuning_json(t.table) << std::flush;
  PetscCheck(file.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s: the file cannot be written", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  const std::string name = argc > 1 && argv[1][0] != '-' ? argv[1] : "";

  if (argc > 1 && !std::strcmp(argv[1], "--help")) {
    (void)std::fputs(help, stdout);
    return 0;
  }
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(Run(name.c_str()));
  PetscCall(PetscFinalize());
  return 0;
}
