/*
   An object that communicators of MPI keep: one for all that have the same processes in the same order, as
   MPI_Comm_dup() makes them. It ends with the last of these communicators, or in PetscFinalize(), in the order in which
   all ranks have made them: after PetscFinalize() the library may be unloaded.
*/
#pragma once

#include <algorithm>
#include <memory>
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
    PetscMPIInt found = 0, result;
    void       *of_comm;

    PetscFunctionBegin;
    *kept = nullptr;
    if (holders.empty()) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCallMPI(MPI_Comm_get_attr(comm, keyval, &of_comm, &found));
    if (found) *kept = static_cast<Holder *>(of_comm)->kept.get();
    for (std::size_t k = 0; k < holders.size() && !*kept; k++) {
      PetscCallMPI(MPI_Comm_compare(comm, holders[k]->comm, &result));
      if (result != MPI_CONGRUENT) continue;
      *kept = holders[k]->kept.get();
      PetscCall(Hold(comm, holders[k]->kept));
    }
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
    PetscCall(Hold(comm, std::make_shared<T>()));
    *kept = holders.back()->kept.get();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  struct Holder {
    MPI_Comm           comm;
    std::shared_ptr<T> kept;
  };

  static inline int                   keyval = MPI_KEYVAL_INVALID;
  static inline std::vector<Holder *> holders;

  static PetscErrorCode Hold(MPI_Comm comm, std::shared_ptr<T> kept)
  {
    PetscFunctionBegin;
    holders.push_back(new Holder{comm, std::move(kept)});
    PetscCallMPI(MPI_Comm_set_attr(comm, keyval, holders.back()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static int MPIAPI End(MPI_Comm, int, void *holder, void *)
  {
    holders.erase(std::remove(holders.begin(), holders.end(), holder), holders.end());
    delete static_cast<Holder *>(holder);
    return MPI_SUCCESS;
  }

  static PetscErrorCode EndAll()
  {
    PetscFunctionBegin;
    while (!holders.empty()) PetscCallMPI(MPI_Comm_delete_attr(holders.front()->comm, keyval));
    PetscCallMPI(MPI_Comm_free_keyval(&keyval));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace heptane
