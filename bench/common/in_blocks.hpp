/*
   Work on rows by all threads of the machine, for checks on the host: a check of 100M nonzeros by one thread takes longer than the solve.
*/
#pragma once
#include <petscsys.h>
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace bench
{

inline constexpr PetscInt rows_of_a_block = 65536;

inline PetscInt blocks_of(PetscInt rows)
{
  return (rows + rows_of_a_block - 1) / rows_of_a_block;
}

// work(first, last, block) for each block of rows, in any order, several at a time; PETSc must not be called there
template <class Work>
void in_blocks(PetscInt rows, Work work)
{
  constexpr unsigned       most   = 16; // more threads do not make memory faster
  const PetscInt           blocks = blocks_of(rows);
  std::atomic<PetscInt>    next{0};
  std::vector<std::thread> threads;
  const auto               take = [&] {
    for (PetscInt block = next++; block < blocks; block = next++) work(block * rows_of_a_block, std::min(rows, (block + 1) * rows_of_a_block), block);
  };

  for (unsigned k = 1; k < std::min(most, std::thread::hardware_concurrency()) && static_cast<PetscInt>(k) < blocks; k++) threads.emplace_back(take);
  take();
  for (std::thread &t : threads) t.join();
}

} // namespace bench
