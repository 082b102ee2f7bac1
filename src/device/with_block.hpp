/*
   Calls f(std::integral_constant<int, B>) with the block size as a compile-time constant for 1..compiled_blocks, or for
   the sizes of a list, and with B = 0 otherwise.
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

/* Block sizes with compiled instances */
template <int... B>
struct BlockSizes {};

template <class F>
auto with_block_of(BlockSizes<>, int, F &&f)
{
  return f(std::integral_constant<int, 0>{});
}

template <int B, int... Others, class F>
auto with_block_of(BlockSizes<B, Others...>, int block, F &&f)
{
  return block == B ? f(std::integral_constant<int, B>{}) : with_block_of(BlockSizes<Others...>(), block, std::forward<F>(f));
}

} // namespace heptane
