/*
   Calls f(std::integral_constant<int, B>) with the block size known to the compiler for 1..max_block, with B = 0 otherwise.
*/
#pragma once

#include "bdiagh_tuning.hpp"
#include <type_traits>
#include <utility>

namespace heptane
{

template <int B = 1, class F>
auto with_block(int block, F &&f)
{
  if constexpr (B > BdiaghTuning::max_block) {
    return f(std::integral_constant<int, 0>{});
  } else {
    return block == B ? f(std::integral_constant<int, B>{}) : with_block<B + 1>(block, std::forward<F>(f));
  }
}

} // namespace heptane
