/*
   Which processes form a group, and which of them lead.
*/
#include "../../src/comm/groups/group.hpp"

namespace
{

/* A process for each letter, which names its GPU; '-': none. Nodes are divided by blanks */
std::vector<GroupMember> processes(const std::string &gpus)
{
  std::vector<GroupMember> all;
  int                      node = 0;

  for (char c : gpus)
    if (c == ' ') node = static_cast<int>(all.size());
    else all.push_back({node, c == '-' ? "" : std::string(1, c)});
  return all;
}

using List = std::vector<int>;

void expect(const std::string &gpus, int size, const List &firsts, const List &leaders)
{
  List first, leader;

  group_processes(processes(gpus), size, &first, &leader);
  EXPECT_EQ(first, firsts) << gpus;
  EXPECT_EQ(leader, leaders) << gpus;
}

} // namespace

TEST(Groups, OfGpusWithConsecutiveProcesses)
{
  expect("aabb", 0, {0, 0, 2, 2}, {0, 0, 2, 2});
  expect("aaab", 0, {0, 0, 0, 3}, {0, 0, 0, 3});
  expect("aabb ccdd", 0, {0, 0, 2, 2, 4, 4, 6, 6}, {0, 0, 2, 2, 4, 4, 6, 6});
}

TEST(Groups, OfGpusGivenInTurn)
{
  expect("abab", 0, {0, 0, 2, 2}, {0, 0, 3, 3});
  expect("abcabc", 0, {0, 0, 2, 2, 4, 4}, {0, 0, 2, 2, 4, 4});
  expect("abbaba", 0, {0, 0, 0, 3, 3, 3}, {0, 0, 0, 4, 4, 4});
  expect("ababa", 0, {0, 0, 2, 2, 2}, {0, 0, 3, 3, 3});
}

TEST(Groups, OneForEachProcessWithAGpuOfItsOwn)
{
  expect("abcd", 0, {0, 1, 2, 3}, {0, 1, 2, 3});
}

TEST(Groups, OfANumberOfProcesses)
{
  expect("-----", 2, {0, 0, 2, 2, 4}, {0, 0, 2, 2, 4});
  expect("--- --", 2, {0, 0, 2, 3, 3}, {0, 0, 2, 3, 3});
  expect("abab", 2, {0, 0, 2, 2}, {0, 0, 3, 3});
}
