/*
   The plans made for a matrix's remainder, each for one distribution of rows to blocks, and their device copies. No
   PETSc objects.
*/
#pragma once

#include "persistent_remainder.hpp"
#include <cuda_runtime.h>
#include <memory>

namespace heptane
{

/* The plans for a layout's remainder, kept with their copies on the device */
class BdiaghRemainderPlans {
public:
  explicit BdiaghRemainderPlans(std::shared_ptr<const BdiaghLayout> of) : layout(std::move(of)) {}
  BdiaghRemainderPlans(const BdiaghRemainderPlans &)                 = delete;
  BdiaghRemainderPlans      &operator=(const BdiaghRemainderPlans &) = delete;
  std::size_t                Entries() const { return layout->remainder_values(); }
  const BdiaghRemainderPlan &Plan(const BdiaghWindow &);
  /* The plan on the device; *R keeps its values and `kept` */
  cudaError_t View(const BdiaghWindow &, cudaStream_t stream, BdiaghPersistentRemainder *R);

private:
  struct Made {
    BdiaghRemainderPlan  plan;
    std::shared_ptr<int> device; /* all arrays of the plan, concatenated */
  };
  Made &Find(const BdiaghWindow &);

  std::shared_ptr<const BdiaghLayout> layout;
  std::vector<Made>                   made;
};

} // namespace heptane
