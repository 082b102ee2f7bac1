/*
   How the entries of compressed rows lie in a format's value array: runs of rows, each a fixed pattern of places that moves on by one place
   per row. What fills a format from compressed rows, takes them back, or adds to them goes run by run: it reads and writes memory in order
   and looks at no column. Made from the places of the entries, whatever the format. Host only; knows no PETSc objects.
*/
#pragma once

#include "../csr/csr.hpp"
#include <vector>

namespace heptane
{

/* Rows row .. row + rows - 1 of width entries each, which follow each other from entry first: entry k of row row + i is at base + shape[k] + i */
struct ValueRun {
  PetscInt     row, rows, first, width;
  std::int64_t base;
  std::size_t  shape; /* where its shape begins */
};

struct ValueRunsView {
  const ValueRun *runs;
  const int      *shapes;
  std::size_t     count;
};

class ValueRuns {
public:
  /* slot[k]: place of entry k; the pattern's rows and entries per row are A's */
  ValueRuns(const Csr &A, const std::int64_t slot[]);

  /* Whether every entry has a place of its own that is found here; else nothing below may be called */
  bool Usable() const { return usable; }
  /* values[place of k] = a[k]; places without entry are left as they are */
  void Fill(const Scalar a[], Scalar values[]) const;
  /* a[k] = values[place of k] */
  void Extract(const Scalar values[], Scalar a[]) const;
  /* values[place of k] += alpha * a[k] */
  void Add(Scalar alpha, const Scalar a[], Scalar values[]) const;
  /* The same as Fill() for some rows, ascending */
  void FillRows(const std::vector<PetscInt> &rows, const Scalar a[], Scalar values[]) const;
  /* Appends places and values of the entries of these rows */
  void ListRows(const std::vector<PetscInt> &rows, const Scalar a[], std::vector<std::int64_t> &place, std::vector<Scalar> &value) const;
  /* Appends the places of the entries of a row */
  void PlacesOf(PetscInt row, std::vector<std::int64_t> &place) const;
  /* Place of entry k of a row, k counted in the row */
  std::int64_t Place(PetscInt row, PetscInt k) const;
  std::size_t  NumRuns() const { return runs.size(); }

private:
  const ValueRun &RunOf(PetscInt row) const;
  template <class F>
  void          ForRows(const std::vector<PetscInt> &rows, const F &f) const;
  ValueRunsView View() const { return {runs.data(), shapes.data(), runs.size()}; }

  std::vector<ValueRun> runs;   /* rows ascending; empty rows are in none */
  std::vector<int>      shapes; /* of all runs, equal ones once */
  bool                  usable = true;
};

} // namespace heptane
