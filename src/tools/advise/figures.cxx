/*
   Figures from the file of -machine, or measured.
*/
#include "figures.hpp"
#include "../../sys/device.hpp"
#include <fstream>
#include <sstream>

namespace heptane
{

PetscErrorCode MachineFigures(Machine *machine)
{
  char        name[PETSC_MAX_PATH_LEN] = "";
  std::string why;
  PetscBool   named, usable;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-machine", name, sizeof(name), &named));
  PetscCheck(!named || *name, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "-machine names no file");
  std::ifstream file(name);
  if (named && file.good()) {
    std::stringstream text;

    text << file.rdbuf();
    PetscCheck(parse_machine(text.str(), machine, &why), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
               "-machine %s: %s; name a file that is not there yet, and it is written with the figures of this machine", name, why.c_str());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::ofstream written;
  if (named) written.open(name);
  PetscCheck(!named || written.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-machine %s: the file cannot be written; its folder must exist and be writable",
             name);
  PetscCall(DeviceUsable(&usable));
  PetscCall(MeasureHost(machine));
  if (usable) PetscCall(MeasureDevice(machine));
  if (named) written << machine_json(*machine) << std::flush;
  PetscCheck(!named || written.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "-machine %s: the file cannot be written", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
