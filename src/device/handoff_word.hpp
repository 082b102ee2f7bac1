/*
   Numbers that one thread passes to one other thread of the same kernel. Between kernels all words are handoff_empty,
   so that neither a barrier nor a count of kernels is needed. Host and device share this source.
*/
#pragma once

#include "scalar.hpp"
#include <cstdint>
#include <cstring>

namespace heptane
{

/* A NaN that no arithmetic produces */
constexpr std::uint64_t handoff_empty = ~std::uint64_t(0);

HEPTANE_HD std::uint64_t handoff_load(const std::uint64_t *word)
{
#if defined(__CUDA_ARCH__)
  std::uint64_t bits;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(bits) : "l"(word) : "memory");
  return bits;
#else
  return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

HEPTANE_HD void handoff_store(std::uint64_t *word, std::uint64_t bits)
{
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(bits) : "memory");
#else
  __atomic_store_n(word, bits, __ATOMIC_RELAXED);
#endif
}

HEPTANE_HD void handoff_put(std::uint64_t *word, double value)
{
  std::uint64_t bits;

  std::memcpy(&bits, &value, sizeof(bits));
  handoff_store(word, bits == handoff_empty ? bits ^ 1 : bits);
}

/*
   Polls until the number is there. The producer must not depend on progress of this thread: on a device it is one of
   the blocks of the lowest numbers, which run first, and stores the number before any wait of its own
*/
HEPTANE_HD double handoff_take(std::uint64_t *word)
{
  std::uint64_t bits;
  double        value;

  do bits = handoff_load(word);
  while (bits == handoff_empty);
  handoff_store(word, handoff_empty);
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

} // namespace heptane
