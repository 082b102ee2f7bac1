/*
   A level of the multigrid hierarchy: storage of its cells and coefficients. Passed to kernels by value; uses no PETSc
   objects.
   Columns along the line axis have a checkerboard colouring. Cell (k, j, i), k along the line, i along the faster axis
   across, has colour (i + j) % 2 and index at(k, colour, j * H + i / 2). So the columns of one colour are contiguous,
   and so are their neighbours of the other colour. A row has H = (I + 1) / 2 columns of each colour; if it has fewer,
   the last one is padding with zero coefficients and a zero solution.
*/
#pragma once

#include "../../../device/bfloat16.hpp"
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace heptane
{

/* The blocks of coefficients of a cell */
enum GridSlot {
  grid_below, /* to the previous cell of the line; after the set-up multiplied by the inverse pivot */
  grid_above, /* to the next cell of the line, likewise */
  grid_west,  /* to the neighbours across, along i and along j; zero if there is none */
  grid_east,
  grid_south,
  grid_north,
  grid_pivot, /* during the set-up the sum of all blocks of the block row, after it the inverse pivot of the line */
  grid_slots
};

/* Packs two single-precision numbers into one as BFloat16. Double precision is never packed. */
HEPTANE_HD float grid_pack(float first, float second)
{
  const std::uint32_t bits = bfloat16_bits(first) | bfloat16_bits(second) << 16;
  float               pair;

  std::memcpy(&pair, &bits, sizeof(pair));
  return pair;
}
HEPTANE_HD void grid_unpack(float pair, float &first, float &second)
{
  std::uint32_t bits, shifted;

  std::memcpy(&bits, &pair, sizeof(pair));
  shifted = bits << 16;
  bits &= 0xffff0000u;
  std::memcpy(&first, &shifted, sizeof(first));
  std::memcpy(&second, &bits, sizeof(second));
}
HEPTANE_HD double grid_pack(double first, double)
{
  return first;
}
HEPTANE_HD void grid_unpack(double, double &, double &)
{}

/* GridLevel::half as a compile-time constant; other callers pass the bool */
template <bool HALF>
struct GridPacked {
  static constexpr bool value = HALF;
  HEPTANE_HD constexpr  operator bool() const { return HALF; }
};

template <class Real>
struct GridLevel {
  int         K = 0, J = 0, I = 0, H = 0; /* cells of a line; columns along j, along i; places of one colour along i */
  int         pair_j = 0, pair_i = 0;     /* see GridExtent */
  int         unknowns = 0;               /* per cell, for functions with unknowns at run time: B = 0 */
  std::size_t columns  = 0;               /* places of one colour in a layer: J * H */
  std::size_t cells    = 0;               /* 2 * columns * K */
  bool        half     = false;           /* couplings across lines have 16 bits each: west stores west and east, south stores south and north */
  Real       *coef = nullptr; /* [slots() * B * B * cells]: entry (i, s) of a block of the cell at c is coef[((stored(slot) * B + i) * B + s) * cells + c] */
  Real       *x = nullptr, *b = nullptr; /* [B * cells] component by component */
  Real       *d = nullptr;               /* change of x, and workspace for columns that exceed the registers; may be null */

  HEPTANE_HD std::size_t at(int k, int colour, std::size_t column) const { return (2 * static_cast<std::size_t>(k) + colour) * columns + column; }
  HEPTANE_HD std::size_t of_cell(int k, int j, int i) const { return at(k, (i + j) & 1, static_cast<std::size_t>(j) * H + (i >> 1)); }
  HEPTANE_HD int         slots() const { return half ? grid_slots - 2 : grid_slots; }
  /* Order of the stored blocks: along the line, pivot, west, south; then east and north, which are absent if couplings
     have 16 bits */
  HEPTANE_HD static constexpr int stored(int slot) { return slot < grid_west ? slot : slot == grid_pivot ? 2 : slot % 2 == 0 ? 2 + slot / 2 : 4 + slot / 2; }
  template <int B>
  HEPTANE_HD int block() const
  {
    return B > 0 ? B : unknowns;
  }
  template <int B>
  HEPTANE_HD Real *entry(int slot, int i, int s) const
  {
    return coef + static_cast<std::size_t>((stored(slot) * block<B>() + i) * block<B>() + s) * cells;
  }
  /* Entry (i, s) of the four couplings across the line of the cell at c: as stored, and unpacked. packed: `half`, or
     GridPacked */
  template <int B, class Packed>
  HEPTANE_HD void load_across(Packed packed, int i, int s, std::size_t c, Real (&v)[4]) const
  {
    v[0] = entry<B>(grid_west, i, s)[c];
    v[2] = entry<B>(grid_south, i, s)[c];
    v[1] = packed ? Real(0) : entry<B>(grid_east, i, s)[c];
    v[3] = packed ? Real(0) : entry<B>(grid_north, i, s)[c];
  }
  template <class Packed>
  HEPTANE_HD static void unpack_across(Packed packed, Real (&v)[4])
  {
    if (!packed) return;
    grid_unpack(v[0], v[0], v[1]);
    grid_unpack(v[2], v[2], v[3]);
  }
  template <int B, class Packed>
  HEPTANE_HD void across(Packed packed, int i, int s, std::size_t c, Real (&v)[4]) const
  {
    load_across<B>(packed, i, s, c, v);
    unpack_across(packed, v);
  }
  template <int B>
  HEPTANE_HD void store_across(int i, int s, std::size_t c, const Real (&v)[4]) const
  {
    entry<B>(grid_west, i, s)[c]  = half ? grid_pack(v[0], v[1]) : v[0];
    entry<B>(grid_south, i, s)[c] = half ? grid_pack(v[2], v[3]) : v[2];
    if (half) return;
    entry<B>(grid_east, i, s)[c]  = v[1];
    entry<B>(grid_north, i, s)[c] = v[3];
  }
};

/* J x I lines of K cells, without memory */
template <class Real>
GridLevel<Real> grid_level_of(int K, int J, int I)
{
  GridLevel<Real> L;

  L.K       = K;
  L.J       = J;
  L.I       = I;
  L.H       = (I + 1) / 2;
  L.columns = static_cast<std::size_t>(J) * L.H;
  L.cells   = 2 * L.columns * K;
  return L;
}

/* A column of one colour: its position in the grid, and its neighbours of the other colour, -1 if there is none */
struct GridColumn {
  int       j, i;
  bool      exists; /* it is not padding */
  long long west, east, south, north;

  template <class Real>
  HEPTANE_HD GridColumn(const GridLevel<Real> &L, int colour, std::size_t column)
  {
    const unsigned row = static_cast<unsigned>(column) / static_cast<unsigned>(L.H); /* columns are fewer than rows, which fit in 32 bits */
    const int      h = static_cast<int>(static_cast<unsigned>(column) - row * static_cast<unsigned>(L.H)), parity = (colour + static_cast<int>(row)) & 1;

    j      = static_cast<int>(row);
    i      = 2 * h + parity;
    exists = i < L.I;
    west   = exists && i > 0 ? static_cast<long long>(column) - 1 + parity : -1;
    east   = i + 1 < L.I ? static_cast<long long>(column) + parity : -1;
    south  = exists && j > 0 ? static_cast<long long>(column) - L.H : -1;
    north  = exists && j + 1 < L.J ? static_cast<long long>(column) + L.H : -1;
  }
};

} // namespace heptane
