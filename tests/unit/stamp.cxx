/*
   What tells whether something kept is still good: order, number, bits and nesting count, and nothing is equal to nothing.
*/
#include "pass/offers/stamp.hpp"

using heptane::Stamp;

namespace
{

TEST(Stamp, NothingIsEqualToNothing)
{
  Stamp a, b;

  EXPECT_FALSE(a == b);
  EXPECT_TRUE(a != a);
  a << 1;
  EXPECT_TRUE(a == a);
  EXPECT_FALSE(a == b);
  a.Clear();
  EXPECT_TRUE(a != a);
}

TEST(Stamp, OrderAndNumberCount)
{
  EXPECT_TRUE((Stamp() << 1 << 2) == (Stamp() << 1 << 2));
  EXPECT_TRUE((Stamp() << 1 << 2) != (Stamp() << 2 << 1));
  EXPECT_TRUE((Stamp() << 1 << 2) != (Stamp() << 1));
  EXPECT_TRUE((Stamp() << 1) != (Stamp() << 1 << 0));
}

TEST(Stamp, ValuesByTheirBits)
{
  const double one = 1, next = 1 + 1e-15;
  int          i[2] = {0, 0};

  EXPECT_TRUE((Stamp() << one) != (Stamp() << next));
  EXPECT_TRUE((Stamp() << &i[0]) != (Stamp() << &i[1]));
  EXPECT_TRUE((Stamp() << &i[0]) == (Stamp() << &i[0]));
  EXPECT_TRUE((Stamp() << -1) != (Stamp() << 1));
  EXPECT_TRUE((Stamp() << true) != (Stamp() << false));
}

/* Where one ends and the next begins counts */
TEST(Stamp, Nested)
{
  EXPECT_TRUE((Stamp() << (Stamp() << 1 << 2) << 3) != (Stamp() << (Stamp() << 1) << 2 << 3));
  EXPECT_TRUE((Stamp() << (Stamp() << 1 << 2)) != (Stamp() << 1 << 2));
  EXPECT_TRUE((Stamp() << (Stamp() << 1 << 2) << 3) == (Stamp() << (Stamp() << 1 << 2) << 3));
}

/* More numbers than are kept without memory of their own, beginning and ending at every place */
TEST(Stamp, Long)
{
  for (int n = 1; n < 20; n++) {
    Stamp a, b, c;

    for (int k = 0; k < n; k++) {
      a << k;
      b << k;
      c << (k == n - 1 ? -1 : k);
    }
    EXPECT_TRUE(a == b) << n;
    EXPECT_TRUE(a != c) << n;
    c = a;
    EXPECT_TRUE(a == c) << n;
    b << 0;
    EXPECT_TRUE(a != b) << n;
    a.Clear();
    EXPECT_TRUE(a != c) << n;
    for (int k = 0; k < n; k++) a << k;
    EXPECT_TRUE(a == c) << n;
    a << a;
    c << c;
    EXPECT_TRUE(a == c) << n;
  }
}

TEST(Stamp, Of)
{
  EXPECT_TRUE(Stamp::Of(1, 2.5) == (Stamp() << 1 << 2.5));
  EXPECT_TRUE(Stamp::Of(Stamp::NewNumber()) != Stamp::Of(Stamp::NewNumber()));
}

} // namespace
