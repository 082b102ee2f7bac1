/*
   The options that select how the ranks of a node exchange sums and ghosts.
*/
#include "peer_options.hpp"
#include "../sys/number_options.hpp"

namespace heptane
{

/* Seconds, 116 days: 100 times this limit must fit into nanoseconds of 64 bits */
constexpr double longest = 1e7;
static_assert(1e9 * PeerOptions::patience * longest < 1e19, "fits");

PetscErrorCode PeerOptionsGet(Where side, PeerOptions *options)
{
  const char *const choices[] = {"auto", "peer", "nccl", "mpi"};
  PetscInt          choice    = 0;
  PetscReal         seconds   = options->seconds;
  PetscBool         share = PETSC_FALSE, check = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-heptane_comm", choices, PETSC_STATIC_ARRAY_LENGTH(choices), &choice, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_test_comm_share_gpu", &share, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_test_comm_check", &check, NULL));
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Heptane options: communication", NULL);
  PetscCall(OptionReal(PetscOptionsObject, "-heptane_comm_timeout", "Seconds that a process may be late", NULL, 1e-9, no_bound, &seconds));
  PetscOptionsEnd();
  options->wanted    = choice == 1 || (choice == 0 && side == Where::device);
  options->nccl      = choice == 2 || (choice == 0 && side == Where::device);
  options->automatic = choice == 0;
  options->may_share = choice == 1 || share;
  options->check     = check;
  options->seconds   = PetscMin((double)seconds, longest);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
