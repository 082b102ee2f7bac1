/*
   The operators that a block has given to fused solvers, one on either side: the same again while somebody holds it and the block is what it was.
*/
#pragma once

#include "../device/space.hpp"
#include "operator.hpp"

namespace heptane
{

class KeptOperator {
public:
  /* Null: nobody holds one any more, or it is of another version */
  std::shared_ptr<FusedOperator> Get(Where where, std::uint64_t version) const
  {
    std::shared_ptr<FusedOperator> op = (where == Where::host ? on_host : on_device).lock();

    return op && op->Version() == version ? op : nullptr;
  }
  void Keep(Where where, std::uint64_t version, const std::shared_ptr<FusedOperator> &op)
  {
    op->SetVersion(version);
    (where == Where::host ? on_host : on_device) = op;
  }

private:
  std::weak_ptr<FusedOperator> on_host, on_device;
};

} // namespace heptane
