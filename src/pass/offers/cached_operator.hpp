/*
   Cache of the operators that a block has created for fused solvers, one on the host and one on the device: returned
   again while a solver holds them and the block is unchanged.
*/
#pragma once

#include "../../device/space.hpp"
#include "operator.hpp"

namespace heptane
{

class CachedOperator {
public:
  /* Null: the operator has been released, or is of another version */
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
