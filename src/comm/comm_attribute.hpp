/*
   An object that a communicator of MPI keeps. It ends with the communicator, or in PetscFinalize(), in the order in which
   all ranks have made them: after PetscFinalize() the library may be unloaded.
*/
#pragma once

#include <algorithm>
#include <petscsys.h>
#include <vector>

namespace heptane
{

template <class T>
class CommAttribute {
public:
  /* nullptr: there is none */
  static PetscErrorCode Find(MPI_Comm comm, T **kept)
  {
    PetscMPIInt found = 0;

    PetscFunctionBegin;
    if (keyval != MPI_KEYVAL_INVALID) PetscCallMPI(MPI_Comm_get_attr(comm, keyval, kept, &found));
    if (!found) *kept = nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /* Makes one if there is none */
  static PetscErrorCode Get(MPI_Comm comm, T **kept)
  {
    PetscFunctionBegin;
    if (keyval == MPI_KEYVAL_INVALID) {
      PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, End, &keyval, nullptr));
      PetscCall(PetscRegisterFinalize(EndAll));
    }
    PetscCall(Find(comm, kept));
    if (*kept) PetscFunctionReturn(PETSC_SUCCESS);
    *kept = new T;
    PetscCallMPI(MPI_Comm_set_attr(comm, keyval, *kept));
    holders.push_back(comm);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  static inline int                   keyval = MPI_KEYVAL_INVALID;
  static inline std::vector<MPI_Comm> holders;

  static int MPIAPI End(MPI_Comm comm, int, void *kept, void *)
  {
    holders.erase(std::remove(holders.begin(), holders.end(), comm), holders.end());
    delete static_cast<T *>(kept);
    return MPI_SUCCESS;
  }

  static PetscErrorCode EndAll()
  {
    PetscFunctionBegin;
    while (!holders.empty()) PetscCallMPI(MPI_Comm_delete_attr(MPI_Comm(holders.front()), keyval));
    PetscCallMPI(MPI_Comm_free_keyval(&keyval));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace heptane
