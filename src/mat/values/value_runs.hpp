/*
   The places of compressed-row entries in a format's value array: runs of rows, each a fixed pattern of places that
   advances by one place per row. Filling a format from compressed rows, writing back and adding proceed run by run:
   memory is accessed in order, and no column is read. Made from the places of the entries, for any format. The place of
   an entry is computed by the same function on host and device. No PETSc objects.
*/
#pragma once

#include "../csr/csr.hpp"
#include <memory>
#include <vector>
#if defined(PETSC_HAVE_CUDA)
  #include <cuda_runtime.h>
#endif

namespace heptane
{

/* Rows row .. row + rows - 1 of width entries each, consecutive from entry first: entry k of row row + i is at
   base + shape[k] + i */
struct ValueRun {
  PetscInt     row, rows, first, width;
  std::int64_t base;
  std::size_t  shape; /* offset of its shape */
};

struct ValueRunsView {
  const ValueRun *runs;
  const int      *shapes;
  std::size_t     count;
};

/* The run of entry e, which is one of first .. last */
HEPTANE_HD std::size_t run_of_entry(const ValueRunsView &R, PetscInt e, std::size_t first, std::size_t last)
{
  while (first < last) {
    const std::size_t middle = first + (last - first + 1) / 2;

    if (R.runs[middle].first <= e) first = middle;
    else last = middle - 1;
  }
  return first;
}

/* The place of entry e, which is in this run */
HEPTANE_HD std::int64_t place_in_run(const ValueRunsView &R, std::size_t run, PetscInt e)
{
  const ValueRun &r = R.runs[run];
  const PetscInt  i = (e - r.first) / r.width;

  return r.base + R.shapes[r.shape + static_cast<std::size_t>(e - r.first - i * r.width)] + i;
}

#if defined(PETSC_HAVE_CUDA)
/* values[place of e] = a[e - first] for the n entries from first on, all on the device; places without entry are
   unchanged */
cudaError_t launch_fill_runs(const ValueRunsView &R, PetscInt first, PetscInt n, const Scalar *a, Scalar *values, cudaStream_t stream);
/* a[e - first] = values[place of e] */
cudaError_t launch_extract_runs(const ValueRunsView &R, PetscInt first, PetscInt n, const Scalar *values, Scalar *a, cudaStream_t stream);
#endif

class ValueRuns {
public:
  /* slot[k]: place of entry k; the pattern's rows and entries per row are A's */
  ValueRuns(const Csr &A, const std::int64_t slot[]);
  ValueRuns() = default; /* of no entries: see ValueRunsMaker */
  /* Frees memory that only the construction needs */
  void Fit();

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
  /* A view of this object, in its memory, for the functions above */
  ValueRunsView View() const { return {runs.data(), shapes.data(), runs.size()}; }
  std::size_t   NumShapes() const { return shapes.size(); }
  /* Whether runs and shapes need at most a quarter of the memory of the entries: true for grids, false if all rows
     differ */
  bool Short() const;

private:
  friend class ValueRunsMaker;
  const ValueRun &RunOf(PetscInt row) const;
  template <class F>
  void ForRows(const std::vector<PetscInt> &rows, const F &f) const;

  std::vector<ValueRun> runs;   /* rows ascending; empty rows are in none */
  std::vector<int>      shapes; /* of all runs, equal ones once */
  bool                  usable = true;
};

/* Makes runs of places that are passed one after the other, so that no list of all of them is needed */
class ValueRunsMaker {
public:
  /* of a pattern with these rows; R has no runs yet */
  ValueRunsMaker(const Csr &A, ValueRuns *R);
  ~ValueRunsMaker();
  ValueRunsMaker(const ValueRunsMaker &)            = delete;
  ValueRunsMaker &operator=(const ValueRunsMaker &) = delete;

  /* The place of the next entry, in the order of the pattern */
  void Entry(std::int64_t place)
  {
    now[filled++] = place;
    if (filled == width) EndRow();
  }

  /* The places of the next `rows` rows, instead of their entries: the previous row's places, each plus one per row.
     None of these rows is empty. */
  void Follow(PetscInt rows)
  {
    if (before_row >= 0) { /* else the runs are not usable */
      R->runs.back().rows += rows;
      moved_on += rows;
      before_row = row + rows - 1;
    }
    row += rows;
    BeginRow();
  }

private:
  class ShapeTable;
  /* The next row with entries */
  void BeginRow()
  {
    while (row < A.rows && A.ptr[row] == A.ptr[row + 1]) row++;
    filled = 0;
    width  = row < A.rows ? static_cast<std::size_t>(A.ptr[row + 1] - A.ptr[row]) : 0;
    if (now.size() < width) Longer();
  }
  void EndRow();
  void Longer();

  const Csr                   A;
  ValueRuns                  *R;
  std::unique_ptr<ShapeTable> table;
  PetscInt                    row = 0, before_row = -1; /* the row being passed, and the previous one, whose places are in `before` */
  std::size_t                 width = 0, filled = 0, before_width = 0;
  std::int64_t                moved_on = 0; /* since then, by rows that followed */
  std::vector<std::int64_t>   now, before;
  std::vector<int>            shape, sorted;
};

} // namespace heptane
