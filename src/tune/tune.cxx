/*
   The table of -heptane_tuning in a program.
*/
#include "tune.hpp"
#include "../metrics/trace.hpp"
#include "launch_table.hpp"
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <tuple>

namespace heptane
{

namespace
{

struct Tune {
  std::string  file;
  LaunchTable  table;
  DeviceLimits device;

  std::map<std::tuple<const void *, int, std::size_t>, LaunchChoice> given;
};
std::unique_ptr<Tune> tune; /* null: -heptane_tuning was not given */

LaunchChoice table_choice(const LaunchQuestion &q)
{
  const auto key   = std::make_tuple(q.kernel, q.size, q.items);
  const auto found = tune->given.find(key);

  return found != tune->given.end() ? found->second : tune->given[key] = choice_of(tune->table, tune->device.multiprocessors, q);
}

} // namespace

PetscErrorCode TuneBegin()
{
  char              name[PETSC_MAX_PATH_LEN] = "";
  PetscBool         named;
  std::stringstream text;
  std::string       why;

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Heptane options: tuning", NULL);
  PetscCall(
    PetscOptionsString("-heptane_tuning", "Table of launches for this GPU, written by heptane-tune", "HeptaneInitialize", name, name, sizeof(name), &named));
  PetscOptionsEnd();
  tune.reset();
  if (!named) PetscFunctionReturn(PETSC_SUCCESS);
  std::ifstream file(name);
  auto          made = std::make_unique<Tune>();

  PetscCheck(file.good(), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "-heptane_tuning %s: the file cannot be read; heptane-tune %s measures a GPU and writes it",
             name, name);
  text << file.rdbuf();
  PetscCheck(read_table(text.str(), &made->table, &why), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "-heptane_tuning %s: %s; remove it, and heptane-tune %s measures a GPU and writes it", name, why.c_str(), name);
  made->file = name;
  tune       = std::move(made);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TuneDevice(PetscBool usable)
{
  PetscFunctionBegin;
  if (!usable || !tune) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DeviceLimitsNow(&tune->device));
  const std::string why = table_differs(tune->table, tune->device);

  PetscCheck(why.empty(), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, "-heptane_tuning %s: it %s; measure this one with heptane-tune and another file",
             tune->file.c_str(), why.c_str());
  launch_adviser = table_choice;
  PetscCall(PetscInfo(NULL, "Launches on %s are chosen by the table %s\n", tune->device.name.c_str(), tune->file.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TuneEnd()
{
  PetscFunctionBegin;
  launch_adviser = nullptr;
  tune.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
