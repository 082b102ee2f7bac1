/*
   Every row of the table in mat/values/coherence.hpp: each event in each state, the refused ones too.
*/
#include "mat/values/coherence.hpp"
#include <sstream>
#include <type_traits>

namespace
{

/* r: compressed rows valid; h, d: format valid on host, device. Not r: armed */
const char *const states[] = {"r--", "rh-", "r-d", "rhd", "-h-", "--d", "-hd"};

std::string name_of(const Coherence &c)
{
  EXPECT_NE(c.HostValid(), c.Armed());
  EXPECT_EQ(c.FormatValid() == Valid::nowhere, !c.FormatValid(Where::host) && !c.FormatValid(Where::device));
  return {c.HostValid() ? 'r' : '-', c.FormatValid(Where::host) ? 'h' : '-', c.FormatValid(Where::device) ? 'd' : '-'};
}

/* No memory is made, so that copies between host and device are of nothing and need no GPU */
Coherence in(const std::string &name)
{
  Coherence c;

  if (name[1] == 'h') c.FormatWritten(Where::host);
  else if (name[2] == 'd') c.FormatWritten(Where::device);
  if (name[1] == 'h' && name[2] == 'd') {
    EXPECT_EQ(c.FormatRead(Where::device, false), PETSC_SUCCESS);
  }
  if (name[0] == 'r') c.RowsRead();
  EXPECT_EQ(name_of(c), name);
  return c;
}

/* next: for each of the states that which follows, "no" if the event is refused, which changes nothing */
template <class Event>
void Row(const char *event, const char *next, Event happens)
{
  std::istringstream list(next);

  ASSERT_EQ(PetscPushErrorHandler(PetscReturnErrorHandler, nullptr), PETSC_SUCCESS);
  for (const char *before : states) {
    Coherence      c    = in(before);
    PetscErrorCode ierr = PETSC_SUCCESS;
    std::string    after;

    ASSERT_TRUE(list >> after);
    if constexpr (std::is_void_v<decltype(happens(c))>) happens(c);
    else ierr = happens(c);
    EXPECT_EQ(ierr, after == "no" ? PETSC_ERR_PLIB : PETSC_SUCCESS) << event << " in " << before;
    EXPECT_EQ(name_of(c), after == "no" ? before : after) << event << " in " << before;
  }
  EXPECT_EQ(PetscPopErrorHandler(), PETSC_SUCCESS);
}

TEST(Coherence, EveryRowOfTheTable)
{
  using C           = Coherence;
  constexpr Where h = Where::host, d = Where::device;

  Row("1 FormatFilled(host)", "rh- no no no no no no", [](C &c) { return c.FormatFilled(h); });
  Row("1 FormatFilled(device)", "r-d no no no no no no", [](C &c) { return c.FormatFilled(d); });
  Row("2 FormatRead(host)", "no rh- rhd rhd -h- -hd -hd", [](C &c) { return c.FormatRead(h, false); });
  Row("2 FormatRead(device)", "no rhd r-d rhd -hd --d -hd", [](C &c) { return c.FormatRead(d, false); });
  Row("2 FormatRead(device), empty", "no r-d r-d r-d --d --d --d", [](C &c) { return c.FormatRead(d, true); });
  Row("3 FormatWritten(host)", "-h- -h- -h- -h- -h- -h- -h-", [](C &c) { return c.FormatWritten(h); });
  Row("3 FormatWritten(device)", "--d --d --d --d --d --d --d", [](C &c) { return c.FormatWritten(d); });
  Row("4 RowsRead()", "r-- rh- r-d rhd rh- r-d rhd", [](C &c) { return c.RowsRead(); });
  Row("5 RowsWritten()", "r-- r-- r-- r-- r-- r-- r--", [](C &c) { return c.RowsWritten(); });
  Row("6 RowsCounted()", "r-- r-- r-- r-- -h- --d -hd", [](C &c) { return c.RowsCounted(); });
  Row("7 RowsRefilled()", "r-- rh- r-d rhd no no no", [](C &c) { return c.RowsRefilled(); });
  Row("8 BothWritten()", "r-- rh- r-- rh- no no no", [](C &c) { return c.BothWritten(); });
  Row("9 PatternChanged()", "r-- r-- r-- r-- no no no", [](C &c) { return c.PatternChanged(); });
}

TEST(Coherence, MemoryStaysUntilThePatternChanges)
{
  Coherence c;
  Scalar   *first, *again;

  ASSERT_EQ(c.Zeros(3, Where::host, &first), PETSC_SUCCESS);
  EXPECT_EQ(first[2], Scalar(0));
  EXPECT_EQ(name_of(c), "r--"); /* memory is not values */
  c.FormatWritten(Where::host);
  c.RowsWritten();
  ASSERT_EQ(c.Zeros(3, Where::host, &again), PETSC_SUCCESS);
  EXPECT_EQ(again, first);
  ASSERT_EQ(c.PatternChanged(), PETSC_SUCCESS);
  EXPECT_EQ(c.At(Where::host), nullptr);
}

} // namespace
