/*
   The grid of several processes in memory of the first one: see gridmg_whole.hpp.
*/
#include "gridmg_whole.hpp"
#include "../../comm/peer_options.hpp"
#include <algorithm>
#if PetscDefined(HAVE_CUDA)
  #include "gridmg_record.hpp"
#endif

namespace heptane
{

GridWhole::~GridWhole()
{
  PetscCallAbort(PETSC_COMM_SELF, VecDestroy(&in));
  PetscCallAbort(PETSC_COMM_SELF, VecDestroy(&out));
}

const char *GridWhole::Name() const
{
  return peer_text;
}

PetscErrorCode GridWhole::Open(Mat A, DM grid, bool on_host, std::string *why)
{
  PetscFunctionBegin;
  comm   = PetscObjectComm((PetscObject)A);
  number = Stamp::NewNumber();
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(spread.Open(A, grid, on_host, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridWhole::Make(const int wanted[3], std::string *why)
{
  BlockDiagonals D;
  const Scalar  *between[6];
  int            diagonal[7];
  bool           usable;

  PetscFunctionBegin;
  PetscCall(spread.LookAtDiagonals(wanted, why));
  if (why->empty() && !spread.Regular()) *why = "the rows of processes are not those of boxes of the DMDA";
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(spread.OwnDiagonals(&D, diagonal, between, true, &usable));
  if (!usable) *why = "processes have other block diagonals than the grid";
  if (why->empty()) PetscCall(beside.Places(comm, spread, D, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const GridShape  &shape = spread.Shape();
  const std::size_t b     = static_cast<std::size_t>(spread.Unknowns());
  rows                    = shape.cells() * b;
  PetscCall(reach.Make(comm, Place(), 1, IsFirst() ? (7 * b + 2) * rows * sizeof(Scalar) : 0, why));
  if (!why->empty()) PetscFunctionReturn(PETSC_SUCCESS);
  first  = reinterpret_cast<Scalar *>(reach.At(0));
  common = grid_common(spread.Own(), shape.extent, spread.Unknowns(), 2, 0, shape.extent[2], 0, shape.extent[2]);
  PetscCall(MakeVectors());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridWhole::MakeVectors()
{
  const PetscInt n = IsFirst() ? static_cast<PetscInt>(rows) : 0, b = spread.Unknowns();

  PetscFunctionBegin;
  for (int k = 0; k < 2; k++) {
    Vec          *v  = k ? &out : &in;
    Scalar *const at = !n ? nullptr : k ? OutArray() : InArray();

    PetscCall(VecDestroy(v));
#if PetscDefined(HAVE_CUDA)
    if (spread.OnDevice()) {
      PetscCall(VecCreateSeqCUDAWithArray(PETSC_COMM_SELF, b, n, at, v));
      continue;
    }
#endif
    PetscCall(VecCreateSeqWithArray(PETSC_COMM_SELF, b, n, at, v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridWhole::Values(BlockDiagonals *D, std::string *why)
{
  const GridShape    &shape = spread.Shape();
  const int           b     = spread.Unknowns();
  BlockDiagonals      own;
  GridValueCopy       copy;
  GridStream          stream;
  bool                usable;
  std::vector<Scalar> values;

  PetscFunctionBegin;
  *D = BlockDiagonals();
  PetscCall(spread.OwnDiagonals(&own, copy.diagonal, copy.between, true, &usable));
  if (!usable) *why = "processes have other block diagonals than the grid";
  if (!usable) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(reach.Stream(&stream));
  PetscCall(reach.Meet(GridReach::all, stream)); /* the first process has read the values before */
  copy.SetRows(own.values, own.ld, spread.Own(), b);
  copy.common = common;
  copy.to     = first;
  copy.to_ld  = rows;
  std::copy(shape.diagonal, shape.diagonal + 7, copy.place);
  PetscCall(reach.CopyValues(copy, stream));
  PetscCall(beside.Values(&spread, &values));
  PetscCall(reach.Meet(GridReach::all, stream));
  PetscCall(reach.Wait()); /* what is between the processes is the host's again */
  PetscCall(reach.CheckNow());
  if (!IsFirst()) PetscFunctionReturn(PETSC_SUCCESS);
  if (!values.empty()) PetscCall(rem_values.Assign(Place(), values));
  offset.assign(7, 0);
  for (int q = 0; q < 7; q++) {
    const int distance = q ? static_cast<int>(shape.stride[(q - 1) / 2]) : 0;

    if (shape.diagonal[q] < 0) continue;
    offset[static_cast<std::size_t>(shape.diagonal[q])] = q % 2 ? -distance : distance;
    D->ndiag++;
  }
  D->rows   = static_cast<int>(rows);
  D->block  = b;
  D->ld     = rows;
  D->offset = offset.data();
  D->values = first;
  beside.Fill(D);
  D->rem_values = rem_values.At(Place());
  D->layout     = number;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridWhole::Into(const Scalar *x, GridStream stream) const
{
  GridCopies<Scalar> copies;

  PetscFunctionBegin;
  copies.Add(grid_copy_to_box(common, x, InArray()));
  PetscCall(reach.CopyAndMeet(copies, GridReach::all, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first process has its next result after all have met again, which is after this has been read */
PetscErrorCode GridWhole::OutOf(Scalar *y, GridStream stream) const
{
  GridGiven given;

  PetscFunctionBegin;
  given.x.Add(grid_copy_from_box<Scalar>(common, OutArray(), y));
  PetscCall(reach.Meet(GridReach::all, stream));
  PetscCall(reach.Give(given, stream));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridWhole::ToFirst(Vec x)
{
  const Scalar *array;
  GridStream    stream;

  PetscFunctionBegin;
  PetscCall(reach.Check());
  PetscCall(reach.Stream(&stream));
  PetscCall(vectors.Read(Place(), x, &array));
  PetscCall(Into(array, stream));
  PetscCall(vectors.DoneReading(Place(), x, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GridWhole::FromFirst(Vec y)
{
  Scalar    *array;
  GridStream stream;

  PetscFunctionBegin;
  PetscCall(reach.Stream(&stream));
  PetscCall(vectors.Write(Place(), y, &array));
  PetscCall(OutOf(array, stream));
  PetscCall(vectors.DoneWriting(Place(), y, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PcPasses *GridWhole::Passes(PcPasses *cycle)
{
#if PetscDefined(HAVE_CUDA)
  passes.of    = this;
  passes.cycle = cycle;
  return &passes;
#else
  (void)cycle;
  return nullptr;
#endif
}

#if PetscDefined(HAVE_CUDA)
cudaError_t GridWhole::Launched::Launch(const Scalar *r, Scalar *z, cudaStream_t stream) const
{
  cudaError_t err = reported(of->Into(r, stream));

  if (err == cudaSuccess && cycle) err = cycle->Launch(of->InArray(), of->OutArray(), stream);
  return err != cudaSuccess ? err : reported(of->OutOf(z, stream));
}
#endif

} // namespace heptane
