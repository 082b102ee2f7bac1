/*
   Asks MPI which ranks share memory.
*/
#include "peer_nodes.hpp"
#include <set>
#include <utility>

namespace heptane
{

std::string peer_too_many(std::size_t ranks)
{
  if (ranks <= PeerSums::most_ranks) return "";
  return std::to_string(ranks) + " ranks, and at most " + std::to_string(PeerSums::most_ranks) + " can exchange words";
}

PetscErrorCode PeerNodesFind(MPI_Comm comm, int size, PeerNodes *nodes)
{
  PetscMPIInt                      ranks, rank, first = 0;
  std::set<std::pair<int, int>>    found;
  std::vector<std::pair<int, int>> of; /* [ranks], the first rank of its node, and which part of the node */

  PetscFunctionBegin;
  *nodes = PeerNodes();
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  MPI_Comm node;

  first = rank;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Bcast(&first, 1, MPI_INT, 0, node));
  PetscCallMPI(MPI_Comm_free(&node));
#endif
  std::vector<int> all(ranks);
  PetscCallMPI(MPI_Allgather(&first, 1, MPI_INT, all.data(), 1, MPI_INT, comm));
  for (int r = 0; r < ranks; r++) of.emplace_back(all[r], size ? r / size : 0);
  found.insert(of.begin(), of.end());
  nodes->nodes = static_cast<int>(found.size());
  for (int r = 0; r < ranks; r++) nodes->here.push_back(of[r] == of[rank]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
