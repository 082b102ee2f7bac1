/*
   Copies of plans on the device.
*/
#include "remainder_plans.hpp"

namespace heptane
{

BdiaghRemainderPlans::Made &BdiaghRemainderPlans::Find(const BdiaghWindow &w)
{
  for (Made &m : made)
    if (m.plan.window == w) return m;
  made.emplace_back();
  made.back().plan = bdiagh_plan_remainder(w, layout->remainder_row, layout->remainder_ptr, layout->remainder_col);
  return made.back();
}

const BdiaghRemainderPlan &BdiaghRemainderPlans::Plan(const BdiaghWindow &w)
{
  return Find(w).plan;
}

cudaError_t BdiaghRemainderPlans::View(const BdiaghWindow &w, cudaStream_t stream, BdiaghPersistentRemainder *R)
{
  Made                         &m        = Find(w);
  const BdiaghRemainderPlan    &P        = m.plan;
  const std::vector<int> *const arrays[] = {&layout->remainder_row, &P.list,      &P.piece, &P.extra,    &P.row_ptr,         &P.row_piece,
                                            &P.piece_ptr,           &P.extra_col, &P.place, &P.exported, &P.exported_before, &P.extra_number};
  const int **const             views[]  = {&R->row,       &R->list,      &R->piece, &R->extra,    &R->row_ptr,         &R->row_piece,
                                            &R->piece_ptr, &R->extra_col, &R->place, &R->exported, &R->exported_before, &R->extra_number};

  if (!m.device) {
    std::vector<int> all;
    int             *memory;

    for (const std::vector<int> *a : arrays) all.insert(all.end(), a->begin(), a->end());
    if (cudaError_t err = cudaMalloc(&memory, all.size() * sizeof(int))) return err;
    std::shared_ptr<int> owner(memory, [](int *a) { (void)cudaFree(a); });
    cudaError_t          err = cudaMemcpyAsync(memory, all.data(), all.size() * sizeof(int), cudaMemcpyHostToDevice, stream);
    if (!err) err = cudaStreamSynchronize(stream);
    if (err) return err;
    m.device = std::move(owner);
  }
  const int *at    = m.device.get();
  R->exported_rows = P.exported_rows;
  for (std::size_t k = 0; k < sizeof(arrays) / sizeof(*arrays); k++) {
    *views[k] = at;
    at += arrays[k]->size();
  }
  return cudaSuccess;
}

} // namespace heptane
