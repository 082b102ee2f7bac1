/*
   Launch parameters that can be chosen at run time: threads of a block, rows of a thread, blocks of a grid. Launchers
   call the adviser if one is set; otherwise the tuning.hpp of each folder applies. src/tune sets an adviser for the
   table of -heptane_tuning. Has no PETSc objects.
*/
#pragma once

#include <algorithm>
#include <cstddef>

namespace heptane
{

/* Kernels with the same limiting resource: a table has numbers for each family */
enum class LaunchFamily : int {
  bdiagh_product,
  sellp_product,
  fused_product,  /* at most one sum */
  fused_products, /* four sums */
  pass,
  pass_cells,
  dense_apply,
  dense_inverse,
  dense_lu,
  dense_qr,
  dense_least_squares,
  number
};

struct LaunchQuestion {
  LaunchFamily family  = LaunchFamily::pass;
  const void  *kernel  = nullptr; /* determines registers and shared memory */
  const void  *narrow  = nullptr; /* of a pass: its form with one row per thread; null: no choice */
  int          size    = 1;       /* rows of a cell or of a dense block; vectors that a pass reads */
  std::size_t  items   = 0;       /* rows, or dense blocks */
  int          width   = 1;       /* items per thread, */
  int          lanes   = 1;       /* or threads per item */
  int          threads = 0;       /* of a block: as compiled, the maximum */
  int          unit    = 0;       /* other values must be multiples of it; 0: no other values */
  int          shared  = 0;       /* bytes of dynamic shared memory per item of a block */
  unsigned     grid    = 0;       /* of blocks in a strided loop: as many as compiled for; 0: as many as the items need */
  unsigned     room    = 0;       /* and at most */
};

struct LaunchChoice {
  int      threads = 0;     /* of a block */
  unsigned grid    = 0;     /* most blocks of a strided loop */
  unsigned unused  = 0;     /* bytes of unused dynamic shared memory, which reduce the resident blocks: emulates a smaller GPU */
  bool     narrow  = false; /* one row per thread */
};

/* null: no adviser */
using LaunchAdviser                 = LaunchChoice (*)(const LaunchQuestion &);
inline LaunchAdviser launch_adviser = nullptr;

inline LaunchChoice choose_launch(const LaunchQuestion &question)
{
  if (launch_adviser) return launch_adviser(question);
  LaunchChoice choice;

  choice.threads = question.threads;
  choice.grid    = question.grid;
  return choice;
}

/* Of a kernel with `lanes` threads per item and as many blocks as the items need */
template <class Kernel>
LaunchChoice choose_block(LaunchFamily family, Kernel *kernel, int size, std::size_t items, int threads, int lanes = 1, int shared = 0)
{
  if (!launch_adviser) return {threads, 0, 0, false};
  LaunchQuestion q;

  q.family  = family;
  q.kernel  = reinterpret_cast<const void *>(kernel);
  q.size    = size;
  q.items   = items;
  q.lanes   = lanes;
  q.threads = threads;
  q.unit    = 32;
  q.shared  = shared;
  return launch_adviser(q);
}

} // namespace heptane
