/*
   Runs are found row by row: a row whose places equal the previous row's, each plus one, continues its run.
*/
#include "value_runs.hpp"
#include "../../device/host_clones.hpp"
#include <algorithm>
#include <climits>
#include <unordered_map>

namespace heptane
{

namespace
{

/* Places of a row counted from its first; false if they do not fit, or two entries share one */
bool shape_of(const std::int64_t slot[], std::size_t width, std::vector<int> &shape, std::vector<int> &sorted)
{
  bool ascending = true;

  shape.resize(width);
  for (std::size_t k = 0; k < width; k++) {
    const std::int64_t d = slot[k] - slot[0];
    if (d > INT_MAX || d < INT_MIN) return false;
    shape[k] = static_cast<int>(d);
    if (k && shape[k] <= shape[k - 1]) ascending = false;
  }
  if (ascending) return true;
  sorted = shape;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

/* Rows per tile: this many places of a row are written or read with unit stride while their entries are in the
   first-level cache */
constexpr int tile = 32; /* four cache lines per place of the shape; 8 to 64 differ by less than the noise of a shared host */

struct Fills {
  Scalar                  *values;
  const Scalar            *a;
  HEPTANE_HOST_INLINE void operator()(std::int64_t place, PetscInt entry) const { values[place] = a[entry]; }
};

struct Extracts {
  const Scalar            *values;
  Scalar                  *a;
  HEPTANE_HOST_INLINE void operator()(std::int64_t place, PetscInt entry) const { a[entry] = values[place]; }
};

struct Adds {
  Scalar                  *values;
  const Scalar            *a;
  Scalar                   alpha;
  HEPTANE_HOST_INLINE void operator()(std::int64_t place, PetscInt entry) const { values[place] += alpha * a[entry]; }
};

/* f(place, entry) for all entries of a run of rows */
template <class F>
HEPTANE_HOST_INLINE void move_run(const int *shape, std::int64_t base, PetscInt rows, PetscInt first, PetscInt width, const F &f)
{
  PetscInt i = 0;

  for (; i + tile <= rows; i += tile)
    for (PetscInt k = 0; k < width; k++)
      for (int t = 0; t < tile; t++) f(base + shape[k] + i + t, first + (i + t) * width + k);
  if (rows - i == 1) {
    for (PetscInt k = 0; k < width; k++) f(base + shape[k] + i, first + i * width + k);
    return;
  }
  for (PetscInt k = 0; k < width; k++)
    for (PetscInt t = i; t < rows; t++) f(base + shape[k] + t, first + t * width + k);
}

} // namespace

/* Shapes that occurred, by their hash */
class ValueRunsMaker::ShapeTable {
public:
  explicit ShapeTable(std::vector<int> &all) : shapes(all) {}

  /* The offset of the shape in the list of all shapes; a new shape is appended */
  std::size_t Find(const std::vector<int> &shape)
  {
    std::uint64_t hash = 1469598103934665603u; /* FNV-1a over 32-bit words */
    for (int d : shape) hash = (hash ^ static_cast<std::uint32_t>(d)) * 1099511628211u;
    hash      = (hash ^ shape.size()) * 1099511628211u;
    Recent &r = recent[hash >> 58];
    if (r.hash == hash && r.width == shape.size() && std::equal(shape.begin(), shape.end(), shapes.begin() + static_cast<std::ptrdiff_t>(r.at))) return r.at;
    r = {hash, At(shape, hash), shape.size()};
    return r.at;
  }

private:
  struct Recent {
    std::uint64_t hash = 0;
    std::size_t   at = 0, width = 0;
  };

  std::size_t At(const std::vector<int> &shape, std::uint64_t hash)
  {
    for (auto [p, last] = known.equal_range(hash); p != last; ++p)
      if (p->second.second == shape.size() && std::equal(shape.begin(), shape.end(), shapes.begin() + static_cast<std::ptrdiff_t>(p->second.first)))
        return p->second.first;
    const std::size_t at = shapes.size();
    shapes.insert(shapes.end(), shape.begin(), shape.end());
    known.insert({
      hash, {at, shape.size()}
    });
    return at;
  }

  Recent                                                                      recent[64]; /* found last: a grid has few shapes, again and again */
  std::vector<int>                                                           &shapes;
  std::unordered_multimap<std::uint64_t, std::pair<std::size_t, std::size_t>> known;
};

ValueRunsMaker::ValueRunsMaker(const Csr &P, ValueRuns *runs) : A(P), R(runs), table(std::make_unique<ShapeTable>(runs->shapes))
{
  BeginRow();
}

ValueRunsMaker::~ValueRunsMaker() = default;

void ValueRunsMaker::Longer()
{
  now.resize(width);
  before.resize(width);
}

void ValueRunsMaker::EndRow()
{
  bool follows = row == before_row + 1 && width == before_width;

  for (std::size_t k = 0; k < width && follows; k++) follows = now[k] == before[k] + moved_on + 1;
  if (follows) R->runs.back().rows++;
  else if (R->usable) {
    R->usable = shape_of(now.data(), width, shape, sorted);
    if (R->usable) R->runs.push_back({row, 1, A.ptr[row], static_cast<PetscInt>(width), now[0], table->Find(shape)});
  }
  before_row   = R->usable ? row : -1; /* no row follows if the runs are no longer usable */
  before_width = R->usable ? width : 0;
  now.swap(before);
  moved_on = 0;
  row++;
  BeginRow();
}

ValueRuns::ValueRuns(const Csr &A, const std::int64_t slot[])
{
  ValueRunsMaker maker(A, this);

  for (PetscInt k = 0; k < A.nnz(); k++) maker.Entry(slot[k]);
  Fit();
}

void ValueRuns::Fit()
{
  runs.shrink_to_fit();
  shapes.shrink_to_fit();
}

bool ValueRuns::Short() const
{
  std::size_t entries = 0;

  for (const ValueRun &run : runs) entries += static_cast<std::size_t>(run.rows) * static_cast<std::size_t>(run.width);
  return 4 * (runs.size() * sizeof(ValueRun) + shapes.size() * sizeof(int)) <= entries * sizeof(Scalar);
}

const ValueRun &ValueRuns::RunOf(PetscInt row) const
{
  return *(std::upper_bound(runs.begin(), runs.end(), row, [](PetscInt r, const ValueRun &run) { return r < run.row; }) - 1);
}

std::int64_t ValueRuns::Place(PetscInt row, PetscInt k) const
{
  const ValueRun &run = RunOf(row);

  return run.base + shapes[run.shape + static_cast<std::size_t>(k)] + (row - run.row);
}

void ValueRuns::PlacesOf(PetscInt row, std::vector<std::int64_t> &place) const
{
  if (runs.empty() || row < runs.front().row) return;
  const ValueRun &run = RunOf(row);

  if (row >= run.row + run.rows) return; /* an empty row */
  for (PetscInt k = 0; k < run.width; k++) place.push_back(run.base + shapes[run.shape + static_cast<std::size_t>(k)] + (row - run.row));
}

/* f(place, entry) for all entries of these rows */
template <class F>
void ValueRuns::ForRows(const std::vector<PetscInt> &rows, const F &f) const
{
  auto run = runs.begin();

  for (PetscInt row : rows) {
    /* if a run has many rows the next one is near; if few, a binary search follows */
    for (int near = 0; near < 8 && run != runs.end() && run->row + run->rows <= row; near++) ++run;
    run = std::lower_bound(run, runs.end(), row, [](const ValueRun &r, PetscInt i) { return r.row + r.rows <= i; });
    if (run == runs.end()) return;
    if (row < run->row) continue; /* an empty row */
    const PetscInt i = row - run->row, first = run->first + i * run->width;
    const int     *shape = shapes.data() + run->shape;
    for (PetscInt k = 0; k < run->width; k++) f(run->base + shape[k] + i, first + k);
  }
}

void ValueRuns::FillRows(const std::vector<PetscInt> &rows, const Scalar a[], Scalar values[]) const
{
  ForRows(rows, Fills{values, a});
}

void ValueRuns::ListRows(const std::vector<PetscInt> &rows, const Scalar a[], std::vector<std::int64_t> &place, std::vector<Scalar> &value) const
{
  ForRows(rows, [&](std::int64_t p, PetscInt entry) {
    place.push_back(p);
    value.push_back(a[entry]);
  });
}

namespace kernels
{

template <class F>
HEPTANE_HOST_INLINE void move_runs(const ValueRunsView &R, const F &f)
{
  for (std::size_t k = 0; k < R.count; k++) {
    const ValueRun &run = R.runs[k];
    move_run(R.shapes + run.shape, run.base, run.rows, run.first, run.width, f);
  }
}

HEPTANE_HOST_CLONES void fill(const ValueRunsView &R, const Scalar *a, Scalar *values)
{
  move_runs(R, Fills{values, a});
}

HEPTANE_HOST_CLONES void extract(const ValueRunsView &R, const Scalar *values, Scalar *a)
{
  move_runs(R, Extracts{values, a});
}

HEPTANE_HOST_CLONES void add(const ValueRunsView &R, Scalar alpha, const Scalar *a, Scalar *values)
{
  move_runs(R, Adds{values, a, alpha});
}

} // namespace kernels

void ValueRuns::Fill(const Scalar a[], Scalar values[]) const
{
  kernels::fill(View(), a, values);
}

void ValueRuns::Extract(const Scalar values[], Scalar a[]) const
{
  kernels::extract(View(), values, a);
}

void ValueRuns::Add(Scalar alpha, const Scalar a[], Scalar values[]) const
{
  kernels::add(View(), alpha, a, values);
}

} // namespace heptane
