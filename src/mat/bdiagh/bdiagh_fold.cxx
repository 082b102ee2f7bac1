/*
   The memory of a folded copy, and its values on the host or on the device.
*/
#include "bdiagh_fold.hpp"
#include "../../device/memory.hpp"
#include "../aij/with_block.hpp"
#include "bdiagh_fold_rows.hpp"
#include <algorithm>
#include <new>

namespace heptane
{

BdiaghFolded::~BdiaghFolded()
{
  if (!device) delete[] values;
  else PetscCallAbort(PETSC_COMM_SELF, DeviceFree(&values));
  PetscCallAbort(PETSC_COMM_SELF, DeviceFree(&note));
}

/* Memory for so many; what is there is kept where it is enough. That there is none left is no error here. */
PetscErrorCode BdiaghFolded::Room(std::size_t scalars, bool *got)
{
  PetscFunctionBegin;
  *got = true;
  if (values && room >= scalars) PetscFunctionReturn(PETSC_SUCCESS);
  room = 0;
  if (!device) {
    delete[] values;
    values = new (std::nothrow) Scalar[scalars];
    *got   = values != nullptr;
  }
#if PetscDefined(HAVE_CUDA)
  else {
    PetscCall(DeviceTryMalloc(std::max<std::size_t>(scalars, 1), &values));
    *got = values != nullptr;
    if (!note) PetscCall(DeviceMalloc(1, &note));
  }
#endif
  if (*got) room = scalars;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* found: FusedScaled bits */
PetscErrorCode BdiaghFolded::Scale(const BdiaghDiagonals &D, const RemainderRows &R, const FusedScaling &F, int drop, bool upper, std::size_t diagonal_values,
                                   int *found)
{
  Scalar *remainder = values + diagonal_values;

  PetscFunctionBegin;
  *found = 0;
  if (!device) {
    if (upper)
      for (int row = 0; row < D.rows; row++) *found |= bdiagh_fold_half_row(D, F, drop, row, values);
    else
      with_block(D.block, [&](auto B) {
        for (int row = 0; row < D.rows; row++) *found |= bdiagh_fold_row<B()>(D, F, drop, row, values);
      });
    if (R.mask)
      for (int row = 0; row < D.rows; row++) bdiagh_fold_remainder_row(R, F, row, remainder);
  }
#if PetscDefined(HAVE_CUDA)
  else {
    cudaStream_t stream;

    PetscCall(PetscGetCurrentCUDAStream(&stream));
    PetscCallCUDA(cudaMemsetAsync(note, 0, sizeof(*note), stream));
    PetscCallCUDA(launch_bdiagh_fold(D, R, F, drop, upper, values, remainder, note, stream));
    PetscCall(CopyToHost(found, note, 1));
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool BdiaghFolded::MayBeHalf(const BdiaghDiagonals &D, int main_diagonal, const FusedScaling &F)
{
  return F.side == FusedSide::both && main_diagonal > 0 && bdiagh_in_pairs(D, main_diagonal);
}

/*
   First what is the least to read, then, where the matrix turns out to be otherwise, more: without the main diagonal, which is the unit matrix where the preconditioner is that of the matrix, and of a
   symmetric matrix the diagonals above it alone; without it; all.
*/
PetscErrorCode BdiaghFolded::Fill(const BdiaghDiagonals &D, int main_diagonal, const RemainderRows &R, std::size_t entries, double matrix_bytes,
                                  double product_flops, const FusedScaling &F, FusedFolding *end)
{
  const std::size_t column = D.ld * static_cast<std::size_t>(D.block);
  bool              got;
  int               found = scaled_not_unit;
  BdiaghDiagonals   scaled;
  RemainderRows     rem = R;

  PetscFunctionBegin;
  op.reset();
  *end = FusedFolding::no_memory;
  for (int form = MayBeHalf(D, main_diagonal, F) ? 0 : 1; form < 3; form++) {
    const int drop = form < 2 && main_diagonal >= 0 && F.block == D.block ? main_diagonal : -1;

    half         = form == 0;
    scaled       = D;
    scaled.ndiag = half ? main_diagonal : D.ndiag - (drop >= 0);
    PetscCall(Room(scaled.ndiag * column + entries, &got));
    if (!got) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(Scale(D, R, F, drop, half, scaled.ndiag * column, &found));
    unit = drop >= 0;
    if (unit) std::copy(D.offset + drop + 1, D.offset + D.ndiag, scaled.offset + (half ? 0 : drop));
    if (!unit || !(found & (scaled_not_unit | scaled_not_symmetric))) break;
  }
  *end = found & scaled_not_positive ? FusedFolding::not_positive : FusedFolding::done;
  if (*end != FusedFolding::done) PetscFunctionReturn(PETSC_SUCCESS);
  scaled.values              = values;
  rem.values                 = values + scaled.ndiag * column;
  const double column_values = 1.0 * D.rows * D.block, less = (D.ndiag - scaled.ndiag) * column_values;
  op =
    std::make_unique<BdiaghFused>(scaled, -1, rem, entries, matrix_bytes - sizeof(Scalar) * less, product_flops - (unit ? 2 * column_values : 0), device, half);
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string BdiaghFused::WhyNotFold(const FusedScaling &F) const
{
  if (F.block == 1) return "";
  if (F.block != D.block) return "point blocks of another size than those of the block diagonals";
  if (R.mask) return "point blocks, and entries off the block diagonals";
  return "";
}

/* Who scales from both sides has a symmetric matrix, as a rule: Fill() looks */
double BdiaghFused::FoldedBytes(const FusedScaling &F) const
{
  const int left_out = BdiaghFolded::MayBeHalf(D, main_diagonal, F) ? main_diagonal + 1 : main_diagonal >= 0 && F.block == D.block;

  return bytes - sizeof(Scalar) * 1.0 * left_out * D.rows * D.block;
}

PetscErrorCode BdiaghFused::Fold(const FusedScaling &F, std::unique_ptr<FusedFolded> *copy, FusedFolding *end) const
{
  auto *mine = dynamic_cast<BdiaghFolded *>(copy->get());

  PetscFunctionBegin;
  if (!mine || mine->OnDevice() != device) {
    auto made = std::make_unique<BdiaghFolded>(device);

    mine  = made.get();
    *copy = std::move(made);
  }
  PetscCall(mine->Fill(D, main_diagonal, R, rem_entries, bytes, flops, F, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
