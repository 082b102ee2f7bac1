/*
   Bounded wait for words of other ranks: a rank that does not arrive ends the wait with an error. Uses neither MPI nor
   PETSc objects.
*/
#pragma once

#include "peer_word.hpp"
#include <cmath>
#if !defined(__CUDA_ARCH__)
  #include <ctime>
  #include <sched.h>
#endif

namespace heptane
{

/*
   failed: set by the wait that exceeds the limit, never cleared; in this rank's memory, in the memory space of the
   polls. failed_flags: the flags of all ranks, set with it
*/
struct PeerLimit {
  std::uint64_t nanoseconds  = 0;
  int          *failed       = nullptr;
  int *const   *failed_flags = nullptr; /* [ranks], in the memory space of the polls */
  int           ranks        = 0;
};

/*
   Polls between two readings of the clock, and before the first. Guesses: on the device a poll costs 0.7 us, and few
   polls usually suffice; on the host it costs some ns, and a reading ends with a yield.
*/
#if defined(__CUDA_ARCH__)
constexpr unsigned peer_polls = 256, peer_first_check = 32;
#else
constexpr unsigned peer_polls = 64, peer_first_check = 1;
#endif

/* In ns, from an arbitrary origin */
HEPTANE_HD std::uint64_t peer_clock()
{
#if defined(__CUDA_ARCH__)
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
#else
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
#endif
}

HEPTANE_HD bool peer_failed(const PeerLimit &limit)
{
#if defined(__CUDA_ARCH__)
  int failed;
  asm volatile("ld.relaxed.sys.global.s32 %0, [%1];" : "=r"(failed) : "l"(limit.failed));
  return failed;
#else
  return __atomic_load_n(limit.failed, __ATOMIC_RELAXED);
#endif
}

HEPTANE_HD void peer_raise(int *failed)
{
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.sys.global.s32 [%0], %1;" ::"l"(failed), "r"(1) : "memory");
#else
  __atomic_store_n(failed, 1, __ATOMIC_RELEASE);
#endif
}

/*
   Sets the flag on all ranks before any later store of this thread: a reader of a value derived from the missing word
   also finds the flag
*/
HEPTANE_HD void peer_raise(const PeerLimit &limit)
{
  peer_raise(limit.failed);
  for (int r = 0; r < limit.ranks; r++) peer_raise(limit.failed_flags[r]);
#if defined(__CUDA_ARCH__)
  __threadfence_system();
#endif
}

/* For more ranks than cores: the other rank may need this core */
HEPTANE_HD void peer_yield()
{
#if !defined(__CUDA_ARCH__)
  (void)sched_yield();
#endif
}

/*
   Polls until ready(); false if the limit was exceeded, in this wait or an earlier one. Even then, data that has
   arrived is accepted. The load of `failed` overlaps a poll, so that it costs no extra time.
*/
template <class Ready>
HEPTANE_HD bool peer_wait(const PeerLimit &limit, Ready &&ready)
{
  std::uint64_t begun = 0;

  for (unsigned polls = 0;; polls++) {
    const bool check = polls % peer_polls == peer_first_check, failed = check && peer_failed(limit);

    if (ready()) return true;
    if (failed) return false;
    if (check) {
      const std::uint64_t now = peer_clock();

      if (!begun) begun = now;
      if (now - begun > limit.nanoseconds) {
        peer_raise(limit);
        return false;
      }
      peer_yield();
    }
  }
}

/*
   Reads the words of this epoch whose bit is in `missing`, at from(i), when they arrive: all are loaded before the
   first is tested, then the missing words again
*/
template <int N, class From>
HEPTANE_HD bool peer_words(const PeerLimit &limit, std::uint64_t epoch, unsigned missing, From &&from, PeerWord (&word)[N])
{
  static_assert(N <= 32, "a bit for each");

  return peer_wait(limit, [&] {
    HEPTANE_UNROLL
    for (int i = 0; i < N; i++)
      if (missing >> i & 1) word[i] = peer_load(from(i));
    HEPTANE_UNROLL
    for (int i = 0; i < N; i++)
      if (word[i].epoch == epoch) missing &= ~(1u << i);
    return !missing;
  });
}

/* The result of a failed wait */
HEPTANE_HD double peer_nan()
{
  return NAN;
}

} // namespace heptane
