/*
   The beginning and the end of a solve.
*/
#include "driver.hpp"

namespace heptane
{

PetscErrorCode FusedDriver::Begin(KSP solver, const std::vector<Vec> &all, PetscBool blocking)
{
  PetscFunctionBegin;
  counts       = FusedCounts();
  HostMemory() = FusedMemory();
  PetscCall(Open(solver, all));
  if (Processes() > 1) PetscCall(processes.Link());
  if (OnDevice()) PetscCall(on_device.Begin(blocking));
  PetscCall(FindOperator());
  PetscCall(processes.Choose());
  const ProcessSums &by = processes.Sums();
  if (OnDevice()) PetscCall(on_device.SumBy(by));
  else {
    on_device.Leave();
    on_host.SumBy(by);
  }
  if (Matrix() && !by.Takes(*Matrix())) DropOperator();
  halo_by = !Matrix() ? "MatMult()" : Matrix()->Exchange() ? Matrix()->Exchange()->Exchange() : "";
  PetscCall(Acquire());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedDriver::End()
{
  PetscFunctionBegin;
  DropOperator();
  SetFolded(nullptr);
  SetPasses(nullptr);
  PetscCall(Release());
  Close();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FusedDriver::CheckProcesses()
{
  const FusedCounts of_solve = counts;

  PetscFunctionBegin;
  PetscCall(processes.Sums().Agree());
  if (!processes.Counts()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CheckExchange());
  counts = of_solve;
  PetscCall(processes.CheckCounts());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
