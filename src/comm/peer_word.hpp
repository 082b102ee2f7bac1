/*
   The word that ranks of one node write into each other's memory: a value and its epoch in 16 bytes. The epoch tells a
   reader that the value is valid, so that neither a flag nor a fence is needed. Relaxed, at system scope. Uses neither
   MPI nor PETSc objects.
*/
#pragma once

#include "../device/scalar.hpp"

namespace heptane
{

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
  #error "words of 16 bytes at system scope need compute capability 7.0: configure PETSc with --with-cuda-arch=70 or newer"
#endif

/* epoch 0: never stored */
struct alignas(16) PeerWord {
  double        value;
  std::uint64_t epoch;
};

/*
   The device stores and loads the word whole. The host stores two halves, the value first, then the epoch with release
   order; a reader acquires the epoch first. So a reader that finds epoch e has the value of e or of a later epoch of
   the same word. A later epoch is impossible: every word has two buffers, and its writer stores e + 2 only after it has
   seen a word (of epoch e + 1, or of another sum) that this reader has stored after it had read the value of e; that
   word is released and acquired too. peer_sums.hpp and peer_halo.hpp state the reads that this requires.
*/
HEPTANE_HD void peer_store(PeerWord *to, double value, std::uint64_t epoch)
{
#if defined(__CUDA_ARCH__)
  const long long bits = __double_as_longlong(value);

  asm volatile("{\n\t.reg .b128 both;\n\tmov.b128 both, {%1, %2};\n\tst.relaxed.sys.global.b128 [%0], both;\n\t}" ::"l"(to), "l"(bits), "l"(epoch) : "memory");
#else
  __atomic_store(&to->value, &value, __ATOMIC_RELAXED);
  __atomic_store_n(&to->epoch, epoch, __ATOMIC_RELEASE);
#endif
}

/* Orders no other access: other loads may move across it */
HEPTANE_HD PeerWord peer_load(const PeerWord *from)
{
  PeerWord word;

#if defined(__CUDA_ARCH__)
  long long          bits;
  unsigned long long epoch;

  asm volatile("{\n\t.reg .b128 both;\n\tld.relaxed.sys.global.b128 both, [%2];\n\tmov.b128 {%0, %1}, both;\n\t}" : "=l"(bits), "=l"(epoch) : "l"(from));
  word.value = __longlong_as_double(bits);
  word.epoch = epoch;
#else
  word.epoch = __atomic_load_n(&from->epoch, __ATOMIC_ACQUIRE);
  __atomic_load(&from->value, &word.value, __ATOMIC_RELAXED);
#endif
  return word;
}

/* A counter of this rank, which another block may have written earlier in the same kernel */
HEPTANE_HD std::uint64_t peer_counter(const std::uint64_t *counter)
{
  return *static_cast<const volatile std::uint64_t *>(counter);
}

} // namespace heptane
