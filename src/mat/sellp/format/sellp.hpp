/*
   The sliced ELLPACK format of one sequential block, with dense blocks: its layout and bytes, and the choice of its
   parameters. A cell is block rows. A slice has `slice` consecutive places and is as wide, in blocks, as its longest
   cell. Place p holds cell p, or the cell assigned by sorting by length within windows. With R = slice * block rows per
   slice, component s of block k of row r of slice S is value ((head[S].first + k) * block + s) * R + r, its block
   column column(S, k, r / block). No PETSc objects, no device. An entry is in a slice or, with all of its cell, in the
   remainder.
*/
#pragma once

#include "../../csr/groups.hpp"
#include "../../values/format_layout.hpp"
#include "slice.hpp"

namespace heptane
{

/* Criteria for the storage of a pattern; the fields are the options -mat_sellp_* ; 0: chosen */
struct SellpLimits {
  PetscInt  block    = 0;
  PetscInt  slice    = 0; /* -1: all rows in one slice (ELLPACK) */
  PetscInt  window   = 0; /* 1: not sorted */
  PetscInt  long_row = 0; /* blocks per cell; longer ones go to the remainder */
  PetscReal max_fill = 0; /* stored values per nonzero inside the blocks for which blocks are used; 0: while they take fewer bytes than scalar rows */
  PetscInt  index    = 0; /* bits of the block columns: 0 the fewest that a slice needs, or none; 16 if they fit; 32 */

  bool operator==(const SellpLimits &o) const
  {
    return block == o.block && slice == o.slice && window == o.window && long_row == o.long_row && max_fill == o.max_fill && index == o.index;
  }
};

enum class SellpFit {
  slices,    /* slices, perhaps with a remainder */
  empty,     /* no nonzeros */
  requested, /* everything in the remainder: requested by the caller (off-process block), or a row has a column twice */
  bad_block, /* error: the requested block size does not divide the local sizes */
  too_large  /* error: more than 32-bit indices count */
};

struct SellpLayout final : FormatLayoutOf<SellpLayout> {
  int slice = SellpTuning::slice_step, window = 1;
  int cells = 0, slices = 0; /* slices == 0: everything is in the remainder */

  std::vector<SellpSlice>    head;  /* [slices] */
  std::vector<int>           index; /* index data of the slices, see slice.hpp; padding with index has a column of its own row (of an empty row: a valid one) */
  std::vector<int>           length; /* [slices * slice] blocks of the cell at each place, 0 after the last */
  std::vector<std::uint16_t> place;  /* [cells] cell at each place, counted from the first of the window; empty: place p holds cell p */

  bool     repeated      = false; /* a row has a column twice: all entries are in the remainder */
  SellpFit fit           = SellpFit::empty;
  double   blocks        = 0;  /* in slices, without padding */
  double   by_kind[3]    = {}; /* places, padding included, in slices of each SellpIndex */
  double   fill          = 1;  /* stored values per nonzero inside blocks, before slices are padded */
  int      refused_block = 0;  /* a block size whose blocks are too empty, and how full they would be */
  double   refused_fill  = 1;

  std::size_t block_columns() const { return slices ? static_cast<std::size_t>(head[slices - 1].first) + head[slices - 1].width : 0; }
  std::size_t block_places() const { return block_columns() * slice; } /* of blocks */
  std::size_t slice_rows() const { return static_cast<std::size_t>(slice) * block; }
  bool        same(const FormatLayout &) const override;
  SlotGroups  slot_groups() const override { return {block_columns(), slice_rows(), block}; } /* one for each row of each block */
  /* padding blocks over the stored blocks that are not padding */
  double   padding() const { return blocks > 0 ? static_cast<double>(block_places()) / blocks - 1 : 0; }
  int      cell_at(int p) const { return place.empty() ? p : p - p % window + place[p]; }
  SellpMix mix() const
  {
    const double all = by_kind[0] + by_kind[1] + by_kind[2];
    if (by_kind[2] > by_kind[1] && by_kind[2] > by_kind[0]) return SellpMix::wide;
    if (by_kind[0] >= SellpTuning::probe_none * all)
      return block_columns() <= static_cast<std::size_t>(SellpTuning::pair_width) * slices ? SellpMix::short_none : SellpMix::none;
    return by_kind[0] < SellpTuning::few * all ? SellpMix::narrow : SellpMix::both;
  }
  int    column(int S, int k, int lane) const { return sellp_column(index.data(), head[S], slice, k, lane, cell_at(S * slice + lane)); }
  double matrix_bytes() const override
  {
    return sizeof(Scalar) * 1.0 * values() + 4.0 * (index.size() + remainder_col.size() + 2 * remainder_row.size()) + sizeof(SellpSlice) * 1.0 * head.size() +
           2.0 * place.size();
  }
  /* the same of compressed rows with 32-bit indices */
  double csr_bytes() const { return (sizeof(Scalar) + 4.0) * nnz + 4.0 * rows; }
  /* bytes of x and y, read and written once */
  double vector_bytes() const { return sizeof(Scalar) * (1.0 * rows + cols); }

  /* See format_places.hpp */
  template <class F, class Follow>
  void each_slot(const Csr &A, F f, Follow follow) const;
  template <class F>
  void each_slot_anyhow(const Csr &A, F f) const;
  template <class F>
  bool each_of_groups(const Csr &A, F f) const;
};

/* Finds the layout of a pattern. given_block: that of MatSetBlockSize(), 1 if none. all_remainder: store compressed
   rows whatever the pattern. */
SellpLayout sellp_find_layout(const Csr &A, PetscInt given_block, bool all_remainder, const SellpLimits &limits);

/* The blocks of the slices by block columns, for products with the transpose */
struct SellpTranspose {
  std::vector<std::int64_t> ptr, block; /* see SellpColumns */
  std::vector<int>          row;
};
SellpTranspose sellp_transpose(const SellpLayout &L);

/* Whether some columns are so long that, with a thread per column, the threads of short columns would idle; T: of L */
bool sellp_columns_uneven(const SellpLayout &L, const SellpTranspose &T);
/* Whether products with the transpose use the scalar columns in groups: for uneven ones, and for single rows, whose
   values a thread per column would gather one by one */
bool sellp_by_scalar_columns(const SellpLayout &L, const SellpTranspose &T);
/* The scalar columns, rows put aside included; padding has entries whose values are zero */
CsrColumns sellp_scalar_columns(const SellpLayout &L, const SellpTranspose &T);

/* Index of the diagonal block of the cell at each place (see sellp_diagonal_limit); empty unless all cells have one in
   slices */
std::vector<std::uint16_t> sellp_diagonal_places(const SellpLayout &L);

/* The offset of each cell's diagonal block among the values, with columns slice_rows() apart; empty unless all cells
   have one in slices */
std::vector<std::int64_t> sellp_diagonal_offsets(const SellpLayout &L);

} // namespace heptane
