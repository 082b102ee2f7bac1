/*
   The rows whose values MatSetValues() has set since the last assembly: known while they are few and nothing else has written values. Every call of it raises the state of
   each block by one, and so does every other way to write values: the number of calls tells whether there was another. Knows no PETSc objects but their states.
*/
#pragma once

#include <petscsys.h>
#include <vector>

namespace heptane
{

class SetRows {
public:
  /* Nothing was set; rows are listed; not known which rows, or nobody needs to know */
  enum class Status { none, listed, unknown };

  Status           Now() const { return status; }
  PetscObjectState Calls() const { return calls; }
  /* The first call after an assembly. most: so many rows are listed at most */
  void Begin(std::size_t most)
  {
    status = Status::listed;
    limit  = most;
  }
  void GiveUp() { status = Status::unknown; }
  /* One call for n rows, local are those from first on, of which there are rows; negative ones are skipped, others' belong to other processes */
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
