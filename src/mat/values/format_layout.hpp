/*
   How a format stores the entries of a compressed-row pattern: the part common to all formats, and the places of
   entries among the values. Host only; no PETSc objects.

   An entry of the pattern is stored exactly once, in the format or in the remainder; places without entry hold zero.
*/
#pragma once

#include "../csr/csr.hpp"
#include <cstdint>
#include <vector>

namespace heptane
{

class ValueRunsMaker; /* value_runs.hpp */

/* Shape of groups of slots that a run of caller's values can fill: group q < stride of column c < columns holds slots
   (c * width + s) * stride + q, s < width */
struct SlotGroups {
  std::size_t columns = 0, stride = 0;
  int         width = 1;

  std::size_t slots() const { return columns * stride * width; }
};

class FormatLayout {
public:
  FormatLayout()                                = default;
  FormatLayout(const FormatLayout &)            = default;
  FormatLayout(FormatLayout &&)                 = default;
  FormatLayout &operator=(const FormatLayout &) = default;
  FormatLayout &operator=(FormatLayout &&)      = default;
  virtual ~FormatLayout()                       = default;

  int      rows = 0, cols = 0; /* scalar */
  int      block = 1;          /* divides rows and cols */
  PetscInt nnz   = 0;          /* entries of the pattern */
  /*
     remainder: compressed rows of the rows that have remainder entries; their values follow the format's, in this order
  */
  std::vector<int> remainder_row; /* [nr] */
  std::vector<int> remainder_ptr; /* [nr + 1] */
  std::vector<int> remainder_col; /* [remainder_ptr[nr]] */

  std::vector<PetscInt> group; /* row_groups() of the pattern; empty if there are too many */

  /* Whether the values are exactly the values of the compressed rows in their order: all of them are in the remainder,
     whose lists may not exist yet */
  bool         in_order() const { return !slot_groups().columns; }
  bool         listed() const { return !in_order() || !remainder_row.empty() || !nnz; }
  std::size_t  format_values() const { return slot_groups().slots(); } /* with padding */
  std::size_t  remainder_values() const { return in_order() ? static_cast<std::size_t>(nnz) : remainder_col.size(); }
  std::size_t  values() const { return format_values() + remainder_values(); }
  virtual bool same(const FormatLayout &) const = 0; /* other is of the same format */
  /* Bytes of the matrix as a product reads it */
  virtual double matrix_bytes() const = 0;
  /* The groups that hold the values of the format */
  virtual SlotGroups slot_groups() const = 0;
  /* slot[k]: place of compressed-row entry k in the value array */
  virtual void slots(const Csr &A, int slot[]) const          = 0;
  virtual void slots(const Csr &A, std::int64_t slot[]) const = 0;
  /* The same, passed one after the other */
  virtual void places(const Csr &A, ValueRunsMaker *maker) const = 0;
  /*
     Whether every group is filled by an arithmetic run of a caller's entries, all with the same step, or empty:
     start[c * stride + q] is the first entry, -1 for none; tail[] the entry of each slot beyond the groups. entry[k]:
     that of compressed-row entry k, null: k itself. Columns of A are sorted.
  */
  virtual bool entry_runs(const Csr &A, const int entry[], std::vector<int> &start, std::vector<int> &tail, std::size_t *step) const = 0;
  virtual bool entry_runs(const Csr &A, const std::int64_t entry[], std::vector<std::int64_t> &start, std::vector<std::int64_t> &tail,
                          std::size_t *step) const                                                                                   = 0;
  /* Values from compressed rows (a) into the format, and back. Places without entry are left as they are. */
  virtual void put(const Csr &A, const Scalar a[], Scalar values[]) const     = 0;
  virtual void extract(const Csr &A, const Scalar values[], Scalar a[]) const = 0;

protected:
  /* Common part of the test whether two layouts of one format are equal */
  bool same_base(const FormatLayout &o) const
  {
    return rows == o.rows && cols == o.cols && block == o.block && nnz == o.nnz && remainder_row == o.remainder_row && remainder_ptr == o.remainder_ptr &&
           remainder_col == o.remainder_col;
  }
};

/* The places of the entries by a format's walks over a pattern, which format_places.hpp names */
template <class Layout>
class FormatLayoutOf : public FormatLayout {
public:
  void slots(const Csr &A, int slot[]) const final;
  void slots(const Csr &A, std::int64_t slot[]) const final;
  void places(const Csr &A, ValueRunsMaker *maker) const final;
  bool entry_runs(const Csr &A, const int entry[], std::vector<int> &start, std::vector<int> &tail, std::size_t *step) const final;
  bool entry_runs(const Csr &A, const std::int64_t entry[], std::vector<std::int64_t> &start, std::vector<std::int64_t> &tail, std::size_t *step) const final;
  void put(const Csr &A, const Scalar a[], Scalar values[]) const final;
  void extract(const Csr &A, const Scalar values[], Scalar a[]) const final;

private:
  const Layout &self() const { return static_cast<const Layout &>(*this); }
  template <class Index>
  void slots_as(const Csr &A, Index slot[]) const;
  template <class Index>
  bool runs_as(const Csr &A, const Index entry[], std::vector<Index> &start, std::vector<Index> &tail, std::size_t *step) const;
};

} // namespace heptane
