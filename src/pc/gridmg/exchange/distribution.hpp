/*
   The place of the grid: on the process of the matrix; on several processes in slabs, in shared memory; or as a whole
   on the first process, by messages.
*/
#pragma once

#include <string>

namespace heptane
{

class GridDistribution {
public:
  enum Place { local, slabs, root };

  GridDistribution() = default;
  explicit GridDistribution(Place of) : place(of) {}
  /* Slabs are impossible for this reason, the same on all processes */
  void ToRoot(const std::string &reason)
  {
    place = root;
    why   = reason;
  }
  bool               Is(Place of) const { return place == of; }
  const std::string &Why() const { return why; }

private:
  Place       place = local;
  std::string why;
};

} // namespace heptane
