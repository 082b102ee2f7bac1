/*
   What processes of a divided hierarchy give each other, in memory that all of them reach. Pieces lie there, and rows are copied from one to the other. Between them all processes meet: what they have
   queued is done, and seen by the others.
*/
#pragma once

#include "gridmg_exchange.hpp"
#include "gridmg_reach.hpp"
#include "gridmg_vectors.hpp"
#include <algorithm>
#include <vector>

namespace heptane
{

template <class Real>
class GridPeers final : public GridExchange<Real>, public GridSlabs<Real> {
public:
  GridPeers(const GridPieces &a, GridSpread &s) : all(a), spread(s) {}

  /* Collective; piece: what this process has, in the memory of all */
  PetscErrorCode Make(MPI_Comm comm, Where where, GridPiece<Real> *piece, std::string *why);

  PetscErrorCode Values(const Scalar **values) override;
  PetscErrorCode ToBox(Vec x) override;
  PetscErrorCode FromBox(Vec y) override;
  PetscErrorCode Neighbours(int l, GridArray which, int most) override;
  PetscErrorCode ToFirst(GridArray which) override;
  PetscErrorCode FromFirst(GridArray which) override;
  PetscErrorCode Check() override { return reach.Check(); }
  PetscErrorCode CheckNow() override { return reach.CheckNow(); }
  const char    *Name() const override;
  bool           Reaches() const override { return true; }

  GridSlabs<Real> *Slabs() override { return everywhere ? this : nullptr; }
  PetscErrorCode   In(const Scalar *x, bool start, GridStream stream) override;
  PetscErrorCode   Out(Scalar *y, GridStream stream) override;
  PetscErrorCode   Finish(bool zero, Scalar *x, Scalar *r, GridStream stream) override;
  PetscErrorCode   Down(GridStream stream) override { return ToAll(GridArray::b, stream); }
  PetscErrorCode   Up(GridStream stream) override;
  PetscErrorCode   Halo(const GridShared &sums, GridStream stream) override;
  PetscErrorCode   Sums(const GridShared &sums, GridStream stream) override;
  PetscErrorCode   Beside(int l, GridArray array, int most, GridStream stream) override;
  PetscErrorCode   Stream(GridStream *stream) const override { return reach.Stream(stream); }

private:
  PetscErrorCode ToAll(GridArray which, GridStream stream) const;
  bool           HasSlab() const { return rank < static_cast<int>(pieces.size()); }
  /* The k-th process that this one gives to or takes from: each begins with another one, so that no GPU has to do with all of them at a time */
  int                   From(std::size_t k) const { return static_cast<int>((static_cast<std::size_t>(rank) + k) % pieces.size()); }
  static GridCopy<Real> Rows(const GridLevel<Real> &to, int to_row, const GridLevel<Real> &from, int from_row, int number, bool swapped, GridArray which);
  GridCopies<Scalar>    FromBoxes(Scalar *y, Scalar *GridPiece<Real>::*of) const;
  GridCommon            Common(int q, bool owned) const;
  GridValueCopy         ValuesOf(int q, const BlockDiagonals &D, const int (&diagonal)[7], const Scalar *const (&between)[6]) const;

  const GridPieces            &all;
  GridSpread                  &spread;
  GridReach                    reach;
  GridVectors                  vectors;
  std::vector<GridPiece<Real>> pieces; /* of all processes that have slabs, as this one addresses them */
  int                          rank       = 0;
  bool                         everywhere = false; /* all processes have slabs and rows */
};

} // namespace heptane
