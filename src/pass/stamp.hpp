/*
   What something that is kept was made from, as a list of numbers in order: it is good while the list is the same. A stamp that nothing was added to is that of nothing:
   it is equal to no other.
*/
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace heptane
{

class Stamp {
public:
  /* numbers, by their bits, and addresses */
  template <class T>
  Stamp &operator<<(T value)
  {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>, "a stamp takes numbers and addresses");
    static_assert(sizeof(T) <= sizeof(std::uint64_t), "no two values may have the same bits here");
    std::uint64_t bits = 0;

    std::memcpy(&bits, &value, sizeof(value));
    numbers.push_back(bits);
    return *this;
  }
  Stamp &operator<<(const Stamp &other)
  {
    const std::vector<std::uint64_t> more = other.numbers; /* it may be this one */

    numbers.push_back(more.size());
    numbers.insert(numbers.end(), more.begin(), more.end());
    return *this;
  }
  void Clear() { numbers.clear(); }
  bool operator==(const Stamp &other) const { return !numbers.empty() && numbers == other.numbers; }
  bool operator!=(const Stamp &other) const { return !(*this == other); }

private:
  std::vector<std::uint64_t> numbers;
};

} // namespace heptane
