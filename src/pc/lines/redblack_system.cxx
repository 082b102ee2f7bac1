/*
   The system that is left where red columns are eliminated: see redblack_system.hpp.
*/
#include "redblack_system.hpp"
#include "../../metrics/metrics.hpp"
#include "lines_host.hpp"
#include "redblack_fused.hpp"
#include <petsc/private/petscimpl.h>
#if PetscDefined(HAVE_CUDA)
  #include "lines_device.hpp"
#endif

namespace heptane
{

RedBlackSystem::~RedBlackSystem()
{
  PetscCallAbort(PETSC_COMM_SELF, Reset());
}

PetscErrorCode RedBlackSystem::Reset()
{
  PetscFunctionBegin;
  fused.reset();
  if (schur) {
    PetscCall(PetscObjectComposeFunction((PetscObject)schur, fused_operator_name, NULL));
    PetscCall(PetscObjectCompose((PetscObject)schur, remaining_lines_name, NULL));
    PetscCall(MatShellSetContext(schur, NULL)); /* others may hold it */
  }
  PetscCall(MatDestroy(&schur));
  memory.Free();
  entries.Free();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two for every entry of the matrix */
double RedBlackSystem::Flops() const
{
  return 2.0 * (7.0 * R.B * R.B * (double)R.exact.cells + (double)lists.col.size());
}

template <class T>
static PetscErrorCode Placed(Where where, Buffer<T> *buffer, const std::vector<T> &list, const T **at)
{
  PetscFunctionBegin;
  *at = nullptr;
  buffer->Free();
  if (list.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(buffer->Assign(where, list));
  *at = buffer->At(where);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lists to where they are used */
PetscErrorCode RedBlackSystem::Upload()
{
  const std::int64_t *from;
  Scalar             *values;

  PetscFunctionBegin;
  PetscCall(Placed(Place(), &kept_column, lists.kept_column, &R.places.of.kept_column));
  PetscCall(Placed(Place(), &kept_number, lists.kept_number, &R.kept_number));
  PetscCall(Placed(Place(), &mask, lists.mask, &R.beside.mask));
  PetscCall(Placed(Place(), &base, lists.base, &R.beside.base));
  PetscCall(Placed(Place(), &ptr, lists.ptr, &R.beside.ptr));
  PetscCall(Placed(Place(), &col, lists.col, &R.beside.col));
  PetscCall(Placed(Place(), &source, lists.source, &from));
  entries.Free();
  entries.Resize(lists.col.size());
  PetscCall(entries.Zeros(Place(), &values));
  R.beside.values  = values;
  R.beside.longest = lists.longest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RedBlackSystem::Plan(const BlockDiagonals &D, const GridShape &shape, const GridPlan &plan, const LinesPlaces &extents, Scalar scale,
                                    const char *axis, bool on_device, Vec vectors)
{
  const std::size_t  B = (std::size_t)D.block;
  GridLevel<Scalar> &E = R.exact;

  PetscFunctionBegin;
  PetscCall(Reset());
  device             = on_device;
  lists              = redblack_lists(D, shape, plan);
  R                  = RedBlack();
  R.B                = D.block;
  R.places           = extents;
  E                  = lines_level<Scalar>(extents);
  R.places.remaining = true;
  R.places.of        = lists.of;
  left_rows          = (PetscInt)R.of().at(R.B, 0, 0);
  PetscCall(Upload());
  memory.Resize((grid_slots * B * B + B) * E.cells);
  PetscCall(memory.Zeros(Place(), &E.coef)); /* what is multiplied by zero must be a number */
  E.x              = E.coef + grid_slots * B * B * E.cells;
  remaining.places = R.places;
  remaining.scale  = scale;
  remaining.device = device;
  remaining.number = Stamp::NewNumber();
  remaining.axis   = axis;
  PetscCall(MakeSchur(vectors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RedBlackSystem::MakeSchur(Vec vectors)
{
  VecType type;

  PetscFunctionBegin;
  PetscCall(VecGetType(vectors, &type));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)vectors), left_rows, left_rows, left_rows, left_rows, this, &schur));
  PetscCall(MatShellSetVecType(schur, device ? type : VECSTANDARD));
  PetscCall(MatShellSetOperation(schur, MATOP_MULT, (PetscErrorCodeFn *)Mult));
  PetscCall(PetscObjectComposeFunction((PetscObject)schur, fused_operator_name, Operator));
  PetscCall(PetscObjectContainerCompose((PetscObject)schur, remaining_lines_name, &remaining, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RedBlackSystem::Factor(const GridMatrix &A, const Scalar *beside, GridReport *report)
{
  const int entry_count = (int)lists.source.size();

  PetscFunctionBegin;
  remaining.A = A;
  if (!device) redblack_setup_host(A, beside, R, source.At(Place()), entry_count, entries.At(Place()), report);
#if PetscDefined(HAVE_CUDA)
  else {
    const GridReport clean;
    GridReport      *note;
    cudaStream_t     stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(report_of.Memory(Where::device, &note));
    PetscCallCUDA(cudaMemcpyAsync(note, &clean, sizeof(clean), cudaMemcpyHostToDevice, stream)); /* pageable: read before the call returns */
    PetscCallCUDA(launch_redblack_setup(A, beside, R, source.At(Place()), entry_count, entries.At(Place()), note, stream));
    PetscCall(CopyToHost(report, note, 1));
  }
#endif
  fused = redblack_fused(R, remaining.number, Flops());
  PetscCall(PetscObjectStateIncrease((PetscObject)schur));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RedBlackSystem::Enter(Vec r, Vec g)
{
  const Scalar *from;
  Scalar       *to;

  PetscFunctionBegin;
  PetscCall(arrays.Begin(r, g, device, false, &from, &to));
  if (!device) {
    redblack_red_host(R, from, nullptr, nullptr);
    redblack_enter_host(R, from, to);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_redblack_red(R, from, FusedProduct(), nullptr, false, nullptr, stream));
    PetscCallCUDA(launch_redblack_enter(R, from, to, stream));
  }
#endif
  PetscCall(arrays.End(r, g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RedBlackSystem::Leave(Vec r, Vec left, Vec z)
{
  const Scalar *of_left, *from;
  Scalar       *to, *unused;

  PetscFunctionBegin;
  PetscCall(arrays.Begin(r, z, device, false, &from, &to));
  PetscCall(more.Begin(left, left, device, true, &of_left, &unused));
  if (!device) {
    redblack_red_host(R, from, left_rows ? of_left : nullptr, to);
    redblack_copy_host(R, true, to, unused);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    FusedProduct P;
    cudaStream_t stream;

    P.q = left_rows ? of_left : nullptr;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_redblack_red(R, from, P, nullptr, false, to, stream));
    PetscCallCUDA(launch_redblack_copy(R, true, to, unused, stream));
  }
#endif
  PetscCall(more.End(left, left));
  PetscCall(arrays.End(r, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RedBlackSystem::Guess(Vec z, Vec left)
{
  const Scalar *from;
  Scalar       *to;

  PetscFunctionBegin;
  PetscCall(arrays.Begin(z, left, device, false, &from, &to));
  if (!device) redblack_copy_host(R, false, const_cast<Scalar *>(from), to);
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(launch_redblack_copy(R, false, const_cast<Scalar *>(from), to, stream));
  }
#endif
  PetscCall(arrays.End(z, left));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RedBlackSystem::Mult(Mat S, Vec x, Vec y)
{
  RedBlackSystem *own;
  const Scalar   *from;
  Scalar         *to;

  PetscFunctionBegin;
  PetscCall(MatShellGetContext(S, &own));
  PetscCheck(own && own->fused, PetscObjectComm((PetscObject)S), PETSC_ERR_ARG_WRONGSTATE,
             "The preconditioner that this Schur complement belongs to is not set up: call PCSetUp()");
  PetscCall(own->arrays.Begin(x, y, own->device, false, &from, &to));
  if (!own->device) {
    redblack_red_host(own->R, nullptr, from, nullptr);
    redblack_product_host(own->R, from, to);
    PetscCall(PetscLogFlops(own->Flops()));
  }
#if PetscDefined(HAVE_CUDA)
  else {
    FusedProduct P;
    cudaStream_t stream;

    P.q = from;
    P.y = to;
    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCall(PetscLogGpuTimeBegin());
    PetscCallCUDA(launch_redblack_red(own->R, nullptr, P, nullptr, false, nullptr, stream));
    PetscCallCUDA(launch_redblack_product(own->R, P, nullptr, FusedReduction(), stream));
    PetscCall(PetscLogGpuTimeEnd());
    PetscCall(PetscLogGpuFlops(own->Flops()));
  }
#endif
  PetscCall(own->arrays.End(x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as fused_operator_name */
PetscErrorCode RedBlackSystem::Operator(Mat S, PetscBool on_device, std::shared_ptr<FusedOperator> *op)
{
  RedBlackSystem *own;

  PetscFunctionBegin;
  op->reset();
  PetscCall(MatShellGetContext(S, &own));
  if (own && own->device == (bool)on_device) *op = own->fused;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
