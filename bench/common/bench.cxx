/*
   The frame of a benchmark program.
*/
#include "bench.hpp"

namespace bench
{

PetscErrorCode Bench::all()
{
  PetscFunctionBeginUser;
  comm = PETSC_COMM_WORLD;
  PetscCall(device_initialize(&device));
  PetscCall(timer_options(&timer));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-bench_corrupt", &corrupt, nullptr));
  PetscCall(options());
  PetscCall(host_copy_rate(comm, &host_copy));
  PetscCall(run());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int Bench::main(int argc, char **argv, const char help[])
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, help));
  PetscCall(all());
  PetscCall(PetscFinalize());
  return failed ? 1 : 0;
}

} // namespace bench
