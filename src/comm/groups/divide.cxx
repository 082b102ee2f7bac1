/*
   Which processes form a group, and which of them lead.
*/
#include "group.hpp"
#include <algorithm>
#include <map>
#include <set>

namespace heptane
{

namespace
{

/* Assigns a GPU to the group, and other GPUs to other groups if need be: an augmenting path of a bipartite matching */
bool give_gpu(int group, const std::vector<std::vector<std::string>> &gpus, std::set<std::string> *tried, std::map<std::string, int> *owner)
{
  for (bool moves : {false, true}) /* a free GPU is the first choice */
    for (const std::string &gpu : gpus[group]) {
      const auto taken = owner->find(gpu);

      if ((taken != owner->end()) != moves || !tried->insert(gpu).second) continue;
      if (moves && !give_gpu(taken->second, gpus, tried, owner)) continue;
      (*owner)[gpu] = group;
      return true;
    }
  return false;
}

/* The first processes of the groups of a node's processes [begin, end), and end */
std::vector<int> begins_of(const std::vector<GroupMember> &all, int begin, int end, int size)
{
  std::vector<int>      begins;
  std::set<std::string> gpus, ended;
  bool                  apart = true; /* the processes of each GPU are consecutive */

  for (int r = begin; r < end; r++) {
    if (size && (r - begin) % size == 0) begins.push_back(r);
    if (size) continue;
    if (all[r].gpu.empty()) apart = false;
    else gpus.insert(all[r].gpu);
    if (r == begin || all[r].gpu != all[r - 1].gpu) {
      apart = apart && ended.insert(all[r].gpu).second;
      begins.push_back(r);
    }
  }
  const int groups = std::max(1, static_cast<int>(gpus.size()));

  if (!size && !apart) begins.clear();
  for (int g = 0; !size && !apart && g < groups; g++) begins.push_back(begin + static_cast<int>(static_cast<long long>(end - begin) * g / groups));
  begins.push_back(end);
  return begins;
}

/* The leader of each group of processes [begins[g], begins[g + 1]) */
std::vector<int> leaders_of(const std::vector<GroupMember> &all, const std::vector<int> &begins)
{
  std::vector<std::vector<std::string>> gpus(begins.size() - 1);
  std::map<std::string, int>            owner;
  std::vector<int>                      leader = begins;

  for (std::size_t g = 0; g < gpus.size(); g++)
    for (int r = begins[g]; r < begins[g + 1]; r++)
      if (!all[r].gpu.empty()) gpus[g].push_back(all[r].gpu);
  for (std::size_t g = 0; g < gpus.size(); g++) {
    std::set<std::string> tried;

    (void)give_gpu(static_cast<int>(g), gpus, &tried, &owner);
  }
  for (const auto &[gpu, g] : owner) {
    int r = begins[g];

    while (all[r].gpu != gpu) r++;
    leader[g] = r;
  }
  return leader;
}

} // namespace

void group_processes(const std::vector<GroupMember> &all, int size, std::vector<int> *first, std::vector<int> *leader)
{
  const int ranks = static_cast<int>(all.size());

  first->assign(ranks, 0);
  leader->assign(ranks, 0);
  for (int begin = 0, end; begin < ranks; begin = end) {
    for (end = begin + 1; end < ranks && all[end].node == all[begin].node; end++)
      ;
    const std::vector<int> begins = begins_of(all, begin, end, size), leaders = leaders_of(all, begins);

    for (std::size_t g = 0; g + 1 < begins.size(); g++)
      for (int r = begins[g]; r < begins[g + 1]; r++) {
        (*first)[r]  = begins[g];
        (*leader)[r] = leaders[g];
      }
  }
}

} // namespace heptane
