/*
   Calls f(std::integral_constant<int, B>) with the block size known to the compiler for 1..compiled_blocks, with B = 0 otherwise.
*/
#pragma once

#include <type_traits>
#include <utility>

namespace heptane
{

constexpr int compiled_blocks = 16;

template <int B = 1, class F>
auto with_block(int block, F &&f)
{
  if constexpr (B > compiled_blocks) {
    return f(std::integral_constant<int, 0>{});
  } else {
    return block == B ? f(std::integral_constant<int, B>{}) : with_block<B + 1>(block, std::forward<F>(f));
  }
}

} // namespace heptane
