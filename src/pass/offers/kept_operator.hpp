/*
   The operators that a block has given to fused solvers, one on either side: the same again while somebody holds it and the block is what it was.
*/
#pragma once

#include "../../device/space.hpp"
#include "operator.hpp"

namespace heptane
{

class KeptOperator {
public:
  /* Null: nobody holds one any more, or it is of another version */
  std::shared_ptr<FusedMatrix> Get(Where where, std::uint64_t version) const
  {
    std::shared_ptr<FusedMatrix> op = (where == Where::host ? on_host : on_device).lock();

    return op && op->Version() == version ? op : nullptr;
  }
  void Keep(Where where, std::uint64_t version, const std::shared_ptr<FusedMatrix> &op)
  {
    op->SetVersion(version);
    (where == Where::host ? on_host : on_device) = op;
  }

private:
  std::weak_ptr<FusedMatrix> on_host, on_device;
};

} // namespace heptane
