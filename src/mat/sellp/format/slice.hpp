/*
   The head of a slice of the sliced ELLPACK format, and the storage of its block columns: none, 16 bits, 32 bits. For
   host and device; no PETSc objects.

   Index data of a slice, in 32-bit words:
   none    distance[width]: block column of block k of every cell is the cell + distance[k], ascending; equal slices
           share them
   narrow  base[width], then 16 bits per place, column by column like the blocks: block column of block k is base[k]
           plus these bits
   wide    the block column of every place
*/
#pragma once

#include "../../../device/scalar.hpp"
#include "tuning.hpp"
#include <cstring>

namespace heptane
{

enum class SellpIndex : int { none = 0, narrow = 1, wide = 2 };

/* 16 bytes, one load */
struct alignas(16) SellpSlice {
  int          first; /* its first column of blocks, counted over all slices */
  int          width; /* in blocks */
  std::int64_t index; /* 4 * (first word of its index data) + SellpIndex */
};

HEPTANE_HD SellpIndex sellp_kind(const SellpSlice &S)
{
  return static_cast<SellpIndex>(S.index & 3);
}

HEPTANE_HD const int *sellp_index(const int *index, const SellpSlice &S)
{
  return index + (S.index >> 2);
}

/* The block columns of the cell at lane l of a slice of each kind. inside: that of every place is in the matrix */
struct SellpColumnNone {
  const int            *distance;
  int                   cell;
  static constexpr bool inside = false;

  /* Wraps around if the sum exceeds int: it is then outside of the matrix */
  HEPTANE_HD int operator()(int k) const { return static_cast<int>(static_cast<unsigned>(cell) + static_cast<unsigned>(load_shared(distance + k))); }
};

struct SellpColumnNarrow {
  const int            *base;
  const unsigned char  *delta; /* 16 bits each; aligned, but not for the host's language */
  int                   slice, l;
  static constexpr bool inside = true;

  HEPTANE_HD SellpColumnNarrow(const int *index, int width, int height, int lane)
    : base(index), delta(reinterpret_cast<const unsigned char *>(index + width)), slice(height), l(lane)
  {}
  HEPTANE_HD int operator()(int k) const
  {
    const std::size_t place = static_cast<std::size_t>(k) * slice + l;
#if defined(__CUDA_ARCH__)
    return load_shared(base + k) + load_once(reinterpret_cast<const std::uint16_t *>(delta) + place);
#else
    std::uint16_t d;
    std::memcpy(&d, delta + place * sizeof(d), sizeof(d));
    return base[k] + d;
#endif
  }
};

struct SellpColumnWide {
  const int            *column;
  int                   slice, l;
  static constexpr bool inside = true;

  HEPTANE_HD int operator()(int k) const { return load_once(column + static_cast<std::size_t>(k) * slice + l); }
};

/*
   The block column of block k of the cell at lane l of a slice; of padding without index it may be outside the matrix
*/
HEPTANE_HD int sellp_column(const int *index, const SellpSlice &S, int slice, int k, int l, int cell)
{
  switch (sellp_kind(S)) {
  case SellpIndex::none:
    return SellpColumnNone{sellp_index(index, S), cell}(k);
  case SellpIndex::narrow:
    return SellpColumnNarrow(sellp_index(index, S), S.width, slice, l)(k);
  default:
    return SellpColumnWide{sellp_index(index, S), slice, l}(k);
  }
}

} // namespace heptane
