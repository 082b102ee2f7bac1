/*
   The options that decide how the ranks of a node exchange sums and ghosts.
*/
#include "peer_options.hpp"

namespace heptane
{

PetscErrorCode PeerOptionsGet(Where side, PeerOptions *options)
{
  const char *const choices[] = {"auto", "peer", "mpi"};
  PetscInt          choice = 0, node_size = 0;
  PetscReal         seconds = options->seconds;
  PetscBool         share = PETSC_FALSE, check = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetEList(NULL, NULL, "-heptane_comm", choices, PETSC_STATIC_ARRAY_LENGTH(choices), &choice, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-heptane_comm_timeout", &seconds, NULL));
  PetscCheck(seconds > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-heptane_comm_timeout %g: give the seconds that a process may be late, more than 0",
             (double)seconds);
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_comm_share_gpu", &share, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-heptane_comm_check", &check, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-heptane_comm_node_size", &node_size, NULL));
  PetscCheck(node_size >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-heptane_comm_node_size %" PetscInt_FMT ": give the number of processes of a node",
             node_size);
  options->node_size = (int)PetscMin(node_size, PETSC_MPI_INT_MAX);
  options->wanted    = choice == 1 || (choice == 0 && side == Where::device);
  options->automatic = choice == 0;
  options->may_share = choice == 1 || share;
  options->check     = check;
  options->seconds   = (double)seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
