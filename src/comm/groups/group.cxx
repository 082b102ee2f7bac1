/*
   Finds node and GPU of each process, and makes the communicators of the groups.
*/
#include "group.hpp"
#include "../../sys/collective.hpp"
#include "../../sys/comm_attribute.hpp"
#include "../../sys/places.hpp"
#include "../peer_memory.hpp"
#include "../peer_options.hpp"
#include <algorithm>
#include <climits>
#include <cstdlib>

namespace heptane
{

namespace
{

struct CachedGroup {
  std::shared_ptr<ProcessGroup> group;
  int                           size = -1; /* its -heptane_groups */
};

/* Processes of a group; 0: processes that share a GPU, 1: there are no groups */
PetscErrorCode SizeWanted(int *size)
{
  char  text[32] = "auto";
  char *end;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-heptane_groups", text, sizeof(text), NULL));
  const std::string wanted = text;
  const long        number = wanted == "auto" ? 0 : wanted == "no" ? 1 : std::strtol(text, &end, 10);

  PetscCheck(wanted == "auto" || wanted == "no" || (*text && !*end && number > 0 && number < INT_MAX), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-heptane_groups %s must be auto, no, or a number of processes, at least 1", text);
  *size = (int)number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "0, 4 and 8", the first ones */
std::string listed(const std::set<int> &numbers)
{
  std::string text;
  std::size_t k = 0;

  for (int n : numbers) {
    if (k == 8 && numbers.size() > 9) return text + ", ...";
    text += (k == 0 ? "" : k + 1 == numbers.size() ? " and " : ", ") + std::to_string(n);
    k++;
  }
  return text;
}

} // namespace

PetscErrorCode ProcessGroup::Make(MPI_Comm comm, const std::set<std::string> &gpus, const std::vector<int> &first, const std::vector<int> &leads,
                                  std::string *why)
{
  const std::set<int> leaders(leads.begin(), leads.end());
  PetscMPIInt         r;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &r));
  rank   = r - first[r];
  leader = leads[r] - first[r];
  PetscCallMPI(MPI_Comm_split(comm, first[r], r, &members));
  PetscCallMPI(MPI_Comm_split(comm, leads[r] != r, r, &peers));
  PetscCallMPI(MPI_Comm_size(members, &size));
  text = std::to_string(leads.size()) + " processes " +
         (gpus.empty() ? "in groups" : "share " + std::to_string(gpus.size()) + (gpus.size() > 1 ? " GPUs" : " GPU")) + ": solves run on process" +
         (leaders.size() > 1 ? "es " : " ") + listed(leaders);
  PetscCall(rendezvous.Create(members, peers, leader, first[r], why));
  PetscCall(PeerAgree(comm, why));
  if (!r && why->empty()) PetscCall(PetscInfo(NULL, "%s%s\n", text.c_str(), gpus.empty() ? "" : "; start CUDA's multi-process service for the rest"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A window that is free on all members is used again, or freed if it is too small or too large */
PetscErrorCode ProcessGroup::Window(Where side, std::size_t bytes, std::shared_ptr<GroupWindow> *window, std::string *why)
{
  std::vector<std::shared_ptr<GroupWindow>> kept;
  std::vector<int>                          free;
  const std::size_t                         wanted = (bytes / 65536 + 1) * 65536;

  PetscFunctionBegin;
  window->reset();
  for (const auto &w : windows) free.push_back(w.use_count() == 1);
  PetscCall(CollectiveReduce(members, free.data(), (int)free.size(), MPI_INT, MPI_MIN));
  for (std::size_t k = 0; k < windows.size(); k++) {
    const bool fits = windows[k]->Side() == side && windows[k]->Bytes() >= wanted && windows[k]->Bytes() / 2 <= wanted;

    if (!free[k] || windows[k]->Side() != side) kept.push_back(windows[k]);
    else if (fits && !*window) kept.push_back(*window = windows[k]);
    else windows[k]->Free();
  }
  windows = kept;
  if (*window) PetscFunctionReturn(PETSC_SUCCESS);
  auto made = std::make_shared<GroupWindow>();

  PetscCall(made->Make(members, leader, side, wanted, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  windows.push_back(made);
  *window = made;
  PetscFunctionReturn(PETSC_SUCCESS);
}

ProcessGroup::~ProcessGroup()
{
  int finalized = 0;

  (void)MPI_Finalized(&finalized);
  if (finalized) return;
  for (auto &w : windows) w->Free();
  rendezvous.Free();
  if (members != MPI_COMM_NULL) (void)MPI_Comm_free(&members);
  if (peers != MPI_COMM_NULL) (void)MPI_Comm_free(&peers);
}

PetscErrorCode ProcessGroup::Of(MPI_Comm comm, std::shared_ptr<ProcessGroup> *group)
{
  std::vector<GroupMember> all;
  std::vector<RankPlace>   places;
  std::set<std::string>    gpus;
  std::vector<int>         first, leader;
  PetscMPIInt              ranks;
  PeerOptions              exchange;
  CachedGroup             *kept = nullptr;
  int                      size = 1;
  std::string              why;

  PetscFunctionBegin;
  group->reset();
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (ranks == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(SizeWanted(&size));
  PetscCall(CommAttribute<CachedGroup>::Get(comm, &kept));
  if (!size && kept->size == 0 && !kept->group) PetscFunctionReturn(PETSC_SUCCESS); /* auto has found none */
  if (!size) {
    PetscCall(PeerOptionsGet(Where::device, &exchange));
    if (exchange.may_share) size = 1; /* all of them solve on the GPU that they share */
  }
  if (kept->size == size && !(kept->group && kept->group->rendezvous.Failed())) {
    *group = kept->group;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  kept->group.reset();
  kept->size = size;
#if PetscDefined(HAVE_MPI_PROCESS_SHARED_MEMORY)
  if (size != 1) {
    PetscCall(RankPlaces(comm, true, &places));
    for (const RankPlace &p : places) all.push_back({p.node, p.gpu ? std::string(p.uuid, sizeof(p.uuid)) : ""});
    for (const GroupMember &m : all) gpus.insert(m.gpu);
    if (gpus.erase("") && !size) size = 1; /* a process has no GPU */
  }
  if (size != 1) {
    group_processes(all, size, &first, &leader);
    if (std::set<int>(first.begin(), first.end()).size() < all.size()) {
      kept->group = std::make_shared<ProcessGroup>();
      PetscCall(kept->group->Make(comm, gpus, first, leader, &why));
      if (!why.empty()) {
        PetscCall(PetscInfo(NULL, "No groups of processes: %s\n", why.c_str()));
        kept->group.reset();
      }
    }
  }
#endif
  *group = kept->group;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
