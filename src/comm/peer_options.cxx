/*
   The options that select how the ranks of a node exchange sums and ghosts.
*/
#include "peer_options.hpp"
#include "../sys/collective.hpp"

namespace heptane
{

PetscErrorCode PeerOptionsGet(Where side, PeerOptions *options)
{
  const char *const choices[] = {"auto", "peer", "nccl", "mpi"};
  PetscInt          choice    = 0;
  PetscBool         share = PETSC_FALSE, check = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-heptane_comm", choices, PETSC_STATIC_ARRAY_LENGTH(choices), &choice, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_test_comm_share_gpu", &share, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_test_comm_check", &check, NULL));
  PetscCall(CommTimeout(&options->seconds));
  options->wanted    = choice == 1 || (choice == 0 && side == Where::device);
  options->nccl      = choice == 2 || (choice == 0 && side == Where::device);
  options->automatic = choice == 0;
  options->may_share = choice == 1 || share;
  options->check     = check;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
