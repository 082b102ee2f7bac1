/*
   The piece of a process in a divided hierarchy, one allocation: vectors of its box, its divided levels with the first
   undivided one, and the undivided levels. All processes derive the layout of any piece from the plan. Uses no PETSc
   objects.
*/
#pragma once

#include "../../../device/space.hpp"
#include "../grid/division.hpp"
#include "../rows/system.hpp"

namespace heptane
{

enum class GridArray { coef, x, b, d };

template <class Real>
struct GridPiece {
  GridSystem<Real> slab, coarse;
  Scalar          *in = nullptr, *out = nullptr, *values = nullptr; /* [box]; values: of the matrix, as in GridValueCopy */
  Scalar          *start = nullptr; /* for CG without red columns: its first residual in the box, and z on black columns; null: not used */
  Real            *z     = nullptr;

  /* The first undivided level, in its slab */
  const GridLevel<Real> &Last() const { return slab.levels.back(); }
};

/* Numbers of an array per cell */
template <class Real>
int grid_parts(const GridLevel<Real> &L, GridArray array)
{
  return array == GridArray::coef ? L.slots() * L.unknowns * L.unknowns : L.unknowns;
}
template <class Real>
Real *grid_array(const GridLevel<Real> &L, GridArray array)
{
  return array == GridArray::coef ? L.coef : array == GridArray::x ? L.x : array == GridArray::b ? L.b : L.d;
}

/* The data that determine the layout of all pieces, equal on all processes */
struct GridPieces {
  GridPlan          plan; /* of the whole grid */
  GridDivision      division;
  int               unknowns = 1;
  bool              half     = false; /* as in GridOptions */
  std::vector<bool> joined;           /* levels with couplings to which remainder entries are added: see grid_choose_half() */
  bool              reduced = false;  /* with the arrays of CG without red columns */
  std::size_t       of_row  = 0;      /* cells of a row along the slabs' axis */
  std::size_t Box(int process) const { return of_row * static_cast<std::size_t>(division.Rows(plan, 0, process).all()) * static_cast<std::size_t>(unknowns); }
};

/* Lays out a piece in order from `base`. If `base` is null, all addresses are null and only the size is computed. */
class GridPlacer {
public:
  explicit GridPlacer(char *base) : at(base) {}

  template <class T>
  T *Take(std::size_t count)
  {
    constexpr std::size_t pad  = 256;
    T *const              here = at ? reinterpret_cast<T *>(at + bytes) : nullptr;

    bytes += (count * sizeof(T) + pad - 1) / pad * pad;
    return here;
  }
  std::size_t Bytes() const { return bytes; }

private:
  char       *at;
  std::size_t bytes = 0;
};

/* Places the arrays of the levels of a plan; its first level is level `first` of the grid */
template <class Real>
void grid_place_levels(const GridPieces &all, const GridPlan &of, int first, GridPlacer *placer, GridSystem<Real> *S)
{
  const std::size_t B = static_cast<std::size_t>(all.unknowns);

  S->B      = all.unknowns;
  S->plan   = of;
  S->levels = grid_shape_levels<Real>(of);
  S->remainder.assign(S->levels.size(), GridRemainder<Real>());
  for (std::size_t l = 0; l < S->levels.size(); l++) {
    GridLevel<Real> &L = S->levels[l];

    L.unknowns                = all.unknowns;
    const std::size_t of_grid = l + static_cast<std::size_t>(first);
    with_unknowns(S->B, [&](auto b) { L.half = all.half && of_grid < grid_half_levels<Real, b()> && !(of_grid < all.joined.size() && all.joined[of_grid]); });
    L.coef = placer->Take<Real>(static_cast<std::size_t>(L.slots()) * B * B * L.cells);
    L.x    = placer->Take<Real>(B * L.cells);
    L.b    = placer->Take<Real>(B * L.cells);
    L.d    = of.changes ? placer->Take<Real>(B * L.cells) : nullptr;
  }
  S->end = placer->Take<Real>(0);
}

/* Lays out the piece of a process at `base`; returns its size in bytes */
template <class Real>
std::size_t grid_place(const GridPieces &all, int process, char *base, GridPiece<Real> *piece)
{
  GridPlacer placer(base);

  *piece = GridPiece<Real>();
  if (process >= all.division.processes()) return 0;
  piece->in     = placer.Take<Scalar>(all.Box(process));
  piece->out    = placer.Take<Scalar>(all.Box(process));
  piece->values = placer.Take<Scalar>(7 * static_cast<std::size_t>(all.unknowns) * all.Box(process));
  grid_place_levels(all, grid_slab_plan(all.plan, all.division, process), 0, &placer, &piece->slab);
  if (all.reduced) {
    piece->start = placer.Take<Scalar>(all.Box(process));
    piece->z     = placer.Take<Real>(piece->slab.levels[0].cells / 2);
  }
  grid_place_levels(all, grid_coarse_plan(all.plan, all.division), all.division.levels, &placer, &piece->coarse);
  return placer.Bytes();
}

} // namespace heptane
