/*
   Numbers left by one thread for another: every round anew in the same words, whichever comes first, and the word is as it was behind each; the one NaN that means nothing is left as another one.
*/
#include "device/once_word.hpp"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <thread>
#include <vector>

using namespace heptane;

namespace
{

TEST(OnceWord, EveryNumberOnce)
{
  const int                  words = 5, rounds = 2000;
  std::vector<std::uint64_t> word(words, once_absent);
  int                        wrong = 0;
  std::uint64_t              turn  = 0; /* rounds are apart, as kernels are */

  std::thread giver([&] {
    for (int r = 0; r < rounds; r++) {
      while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != static_cast<std::uint64_t>(r)) std::this_thread::yield();
      for (int w = 0; w < words; w++) once_leave(&word[w], r * 10.0 + w);
    }
  });
  for (int r = 0; r < rounds; r++) {
    for (int w = words - 1; w >= 0; w--) {
      wrong += once_take(&word[w]) != r * 10.0 + w;
      wrong += once_look(&word[w]) != once_absent;
    }
    __atomic_store_n(&turn, static_cast<std::uint64_t>(r + 1), __ATOMIC_RELEASE);
  }
  giver.join();
  EXPECT_EQ(wrong, 0);
}

TEST(OnceWord, NoNumberIsTakenForNone)
{
  std::uint64_t word = once_absent;
  double        none;

  std::memcpy(&none, &once_absent, sizeof(none));
  for (double value : {0.0, -0.0, 1.0, -HUGE_VAL, std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(), none}) {
    once_leave(&word, value);
    ASSERT_NE(once_look(&word), once_absent);
    const double taken = once_take(&word);

    EXPECT_TRUE(std::isnan(value) ? std::isnan(taken) : std::memcmp(&taken, &value, sizeof(value)) == 0) << value;
  }
}

} // namespace
