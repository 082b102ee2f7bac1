/*
   The rows whose values MatSetValues() has set since the last assembly: listed while they are few and values are
   written in no other way. Each call raises the state of each block by one, as every other write does, so the number of
   calls reveals other writes. Uses no PETSc objects, only their states.
*/
#pragma once

#include <petscsys.h>
#include <vector>

namespace heptane
{

class SetRows {
public:
  /* No row set; rows are listed; rows not known, or not needed */
  enum class Status { none, listed, unknown };

  Status           Now() const { return status; }
  PetscObjectState Calls() const { return calls; }
  /* The first call after an assembly. most: the largest number of rows to list */
  void Begin(std::size_t most)
  {
    status = Status::listed;
    limit  = most;
  }
  void GiveUp() { status = Status::unknown; }
  /* One call for n rows. The local rows are first ... first + rows - 1; negative indices are skipped, all other rows
     belong to other processes */
  void Add(PetscInt n, const PetscInt row[], PetscInt first, PetscInt rows)
  {
    if (list.size() + (std::size_t)n > limit) {
      GiveUp();
      return;
    }
    calls++;
    for (PetscInt k = 0; k < n; k++)
      if (row[k] >= first && row[k] - first < rows) list.push_back(row[k] - first);
  }
  /* The rows, ascending, each once; forgotten with that */
  std::vector<PetscInt> Take();
  void                  Forget()
  {
    list.clear();
    calls  = 0;
    status = Status::none;
  }

private:
  Status                status = Status::none;
  PetscObjectState      calls  = 0;
  std::size_t           limit  = 0;
  std::vector<PetscInt> list;
};

} // namespace heptane
