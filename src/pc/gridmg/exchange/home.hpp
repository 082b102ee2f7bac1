/*
   The place of the grid: on the process of the matrix; on several processes in slabs, in shared memory; or as a whole
   on the first process, by messages.
*/
#pragma once

#include <string>

namespace heptane
{

class GridHome {
public:
  enum Place { own, slabs, first };

  GridHome() = default;
  explicit GridHome(Place of) : place(of) {}
  /* Slabs are impossible for this reason, the same on all processes */
  void First(const std::string &reason)
  {
    place = first;
    why   = reason;
  }
  bool               Is(Place of) const { return place == of; }
  const std::string &Why() const { return why; }

private:
  Place       place = own;
  std::string why;
};

} // namespace heptane
