/*
   The rows with columns of other processes, gathered from the format of their block, and the exchange of these columns by PetscSF.
*/
#include "halo.hpp"

namespace heptane
{

Halo::~Halo()
{
  PetscCallAbort(PETSC_COMM_SELF, PetscSFDestroy(&sf));
}

PetscErrorCode Halo::Create(LocalPart &off, PetscSF columns, bool *usable)
{
  const ValueRuns *runs;
  Csr              P;

  PetscFunctionBegin;
  PetscCall(PetscObjectReference((PetscObject)columns));
  sf = columns;
  PetscCall(off.Runs(&runs));
  PetscCall(off.Pattern(&P));
  rows    = P.rows;
  *usable = runs->Usable();
  if (!*usable) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt r = 0; r < P.rows; r++) {
    if (P.ptr[r] == P.ptr[r + 1]) continue;
    row.push_back((int)r);
    first.push_back((int)column.size());
    for (PetscInt k = P.ptr[r]; k < P.ptr[r + 1]; k++) column.push_back((int)P.col[k]);
    runs->PlacesOf(r, place);
  }
  first.push_back((int)column.size());
  PetscCall(list.Reset(row, first, column, (int)P.cols));
  values.Resize(column.size());
  ghost.Resize((std::size_t)P.cols);
  PetscCall(ghost.Make(Where::host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Halo::Rows(Where where, LocalPart &off, RemainderRows *R)
{
  PetscFunctionBegin;
  *R = RemainderRows();
  if (row.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  if (values_of != off.Version() || !values.ValidAt(where)) {
    const Scalar *from;
    Scalar       *to;

    PetscCall(off.Values(Where::host, &from));
    PetscCall(values.Memory(Where::host, &to));
    for (std::size_t k = 0; k < place.size(); k++) to[k] = from[place[k]];
    values.Written(Where::host);
    values_of = off.Version();
  }
  PetscCall(list.ByRow(where, values.At(where), (int)rows, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Halo::Receive(const Scalar *u)
{
  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(sf, MPIU_SCALAR, u, ghost.At(Where::host), MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, MPIU_SCALAR, u, ghost.At(Where::host), MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
