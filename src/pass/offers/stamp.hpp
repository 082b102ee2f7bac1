/*
   The inputs of a cached object as an ordered list of numbers: the object is valid while the list is unchanged. An
   empty stamp equals no other stamp. Short lists need no allocation, so that stamps can be compared in every product.
*/
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace heptane
{

class Stamp {
public:
  /* Made of these numbers, in this order */
  template <class... T>
  static Stamp Of(const T &...values)
  {
    Stamp s;

    (s << ... << values);
    return s;
  }
  /* A unique number for an object that has none of its own: a stamp with this number differs from all earlier stamps */
  static std::uint64_t NewNumber()
  {
    static std::uint64_t given_out = 0;

    return ++given_out;
  }
  /* numbers, by their bits, and addresses */
  template <class T>
  Stamp &operator<<(T value)
  {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_pointer_v<T>, "a stamp takes numbers and addresses");
    static_assert(sizeof(T) <= sizeof(std::uint64_t), "no two values may have the same bits here");
    std::uint64_t bits = 0;

    std::memcpy(&bits, &value, sizeof(value));
    Add(bits);
    return *this;
  }
  Stamp &operator<<(const Stamp &other)
  {
    const Stamp from = other; /* other may be this stamp */

    Add(from.count);
    for (std::size_t k = 0; k < from.count; k++) Add(from.Number(k));
    return *this;
  }
  void Clear()
  {
    count = 0;
    more.clear();
  }
  bool operator==(const Stamp &other) const
  {
    if (!count || count != other.count) return false;
    for (std::size_t k = 0; k < count; k++)
      if (Number(k) != other.Number(k)) return false;
    return true;
  }
  bool operator!=(const Stamp &other) const { return !(*this == other); }

private:
  static constexpr std::size_t most_few = 8;

  std::uint64_t Number(std::size_t k) const { return k < most_few ? few[k] : more[k - most_few]; }
  void          Add(std::uint64_t bits)
  {
    if (count < most_few) few[count] = bits;
    else more.push_back(bits);
    count++;
  }

  std::size_t                count         = 0;
  std::uint64_t              few[most_few] = {};
  std::vector<std::uint64_t> more; /* after these */
};

} // namespace heptane
