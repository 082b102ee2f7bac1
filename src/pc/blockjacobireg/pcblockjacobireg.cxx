/*
   PCBLOCKJACOBIREG: options, blocks from the matrix (if it offers them, otherwise row by row), inverses by
   DenseInverse.
*/
#include "pcblockjacobireg.hpp"
#include "../../device/buffer.hpp"
#include "../../pass/offers/pc_carry.hpp"
#include "../../sys/number_options.hpp"
#include "../dense/inverse.hpp"
#include "../../private/pc.hpp"
#include <heptane.h>
#include <algorithm>

namespace heptane
{

namespace
{

struct BlockJacobiReg {
  PetscInt       wanted   = 0; /* block size; 0: the matrix's */
  PetscInt       block    = 0; /* of the last set-up */
  PetscInt       method   = 0; /* a DenseMethod */
  PetscBool      pivoting = PETSC_TRUE;
  DenseInverse   inverse;
  Buffer<Scalar> blocks; /* used if the matrix offers none */
};

const char *const methods[] = {"inverse", "lu", "qr"};

BlockJacobiReg *context(PC pc)
{
  return static_cast<BlockJacobiReg *>(pc->data);
}

/* The block size, checked against the matrix */
PetscErrorCode BlockSize(PC pc, PetscInt *b)
{
  const PetscInt wanted = context(pc)->wanted;
  PetscInt       n, m;

  PetscFunctionBegin;
  *b = wanted;
  if (!wanted) PetscCall(MatGetBlockSize(pc->pmat, b));
  PetscCheck(dense_inverse_fits(*b), PetscObjectComm((PetscObject)pc), PETSC_ERR_ARG_OUTOFRANGE,
             "Blocks of %" PetscInt_FMT " rows do not fit in registers: use -pc_blockjacobireg_block_size of at most %d, or -pc_type bjacobi -sub_pc_type lu",
             *b, dense_largest_block);
  PetscCall(MatGetLocalSize(pc->pmat, &n, &m));
  PetscCheck(n == m && n % *b == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "Blocks of %" PetscInt_FMT " rows do not divide the process's %" PetscInt_FMT " rows and %" PetscInt_FMT
             " columns: choose another -pc_blockjacobireg_block_size, or local sizes with MatSetSizes()",
             *b, n, m);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Row by row through MatGetRow(); on the device if the matrix creates vectors there */
PetscErrorCode BlocksByRows(PC pc, PetscInt b, DenseBlocks *blocks, PetscBool *device)
{
  BlockJacobiReg *c = context(pc);
  PetscInt        first, last;
  Scalar         *entry;
  const Scalar   *there;
  VecType         type;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(pc->pmat, &first, &last));
  c->blocks.Resize((std::size_t)(last - first) * b);
  PetscCall(c->blocks.Memory(Where::host, &entry));
  std::fill_n(entry, c->blocks.Size(), Scalar(0));
  for (PetscInt row = first; row < last; row++) {
    const PetscInt     start = first + (row - first) / b * b;
    const PetscInt    *cols;
    const PetscScalar *values;
    PetscInt           n;

    PetscCall(MatGetRow(pc->pmat, row, &n, &cols, &values));
    for (PetscInt k = 0; k < n; k++)
      if (cols[k] >= start && cols[k] < start + b) entry[(std::size_t)(row - first) * b + cols[k] - start] = values[k];
    PetscCall(MatRestoreRow(pc->pmat, row, &n, &cols, &values));
  }
  c->blocks.Written(Where::host);
  PetscCall(MatGetVecType(pc->pmat, &type));
  PetscCall(PetscStrendswith(type, "cuda", device));
  PetscCall(c->blocks.Read(*device ? Where::device : Where::host, &there));
  *blocks = DenseBlocks::row_major((last - first) / b, (int)b, there);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCSetUp_BlockJacobiReg(PC pc)
{
  BlockJacobiReg *c = context(pc);
  DenseBlocks     blocks;
  PetscBool       device, available = PETSC_FALSE;
  PetscErrorCode (*get)(Mat, PetscInt, DenseBlocks *, PetscBool *, PetscBool *);

  PetscFunctionBegin;
  PetscCall(BlockSize(pc, &c->block));
  PetscCall(PetscObjectQueryFunction((PetscObject)pc->pmat, dense_blocks_name, &get));
  if (get) PetscCall((*get)(pc->pmat, c->block, &blocks, &device, &available));
  if (!available) {
    PetscCall(PetscInfo(pc, "The matrix type offers no blocks of %" PetscInt_FMT " rows: they are extracted row by row on the host\n", c->block));
    PetscCall(BlocksByRows(pc, c->block, &blocks, &device));
  }
  PetscCall(c->inverse.Invert(device, blocks));
  PetscCall(DenseReportFailure(pc, pc->pmat, c->inverse.Report(), (int)c->block));
  PetscCall(PCReduceFailedReason(pc)); /* PETSc's lgmres hangs if only some of the processes have one */
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool TRANSPOSE>
PetscErrorCode PCApply_BlockJacobiReg(PC pc, Vec x, Vec y)
{
  PetscFunctionBegin;
  if (pc->failedreason) PetscCall(VecFlag(y, 1)); /* as MatSolve() does for failed factors */
  else PetscCall(context(pc)->inverse.Apply(x, y, (PetscBool)TRANSPOSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_BlockJacobiReg(PC pc)
{
  BlockJacobiReg *c = context(pc);

  PetscFunctionBegin;
  c->inverse.Free();
  c->blocks.Free();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_BlockJacobiReg(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_BlockJacobiReg(pc));
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_carry_name, NULL));
  delete context(pc);
  pc->data = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other settings than it has: the next set-up begins anew */
void SetSettings(PC pc, PetscInt wanted, PetscInt method, PetscBool pivoting)
{
  BlockJacobiReg *c = context(pc);

  if (wanted == c->wanted && method == c->method && pivoting == c->pivoting) return;
  pc->setupcalled = PETSC_FALSE;
  c->inverse.Free();
  c->inverse.SetMethod(static_cast<DenseMethod>(method), pivoting);
  c->wanted   = wanted;
  c->method   = method;
  c->pivoting = pivoting;
}

PetscErrorCode PCSetFromOptions_BlockJacobiReg(PC pc, PetscOptionItems PetscOptionsObject)
{
  BlockJacobiReg *c      = context(pc);
  PetscInt        wanted = c->wanted, method = c->method;
  PetscBool       pivoting = c->pivoting;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "Block Jacobi in registers");
  PetscCall(OptionInt(PetscOptionsObject, "-pc_blockjacobireg_block_size", "Rows of a block; 0: block size of the matrix", "PCBLOCKJACOBIREG", 0, PETSC_INT_MAX,
                      &wanted));
  PetscCall(PetscOptionsEList("-pc_blockjacobireg_method", "Stored form of a block: its inverse, its LU or its QR factors", "PCBLOCKJACOBIREG", methods, 3,
                              methods[method], &method, NULL));
  PetscCall(PetscOptionsBool("-pc_blockjacobireg_pivoting", "Exchange rows in LU factorisations", "PCBLOCKJACOBIREG", pivoting, &pivoting, NULL));
  PetscOptionsHeadEnd();
  SetSettings(pc, wanted, method, pivoting);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Composed as pc_carry_name: blocks are the same where none has rows of two processes */
PetscErrorCode CarrySettings(PC from, PC to, std::string *why)
{
  const BlockJacobiReg *c = context(from);
  PetscInt              b = c->wanted, n;

  PetscFunctionBegin;
  if (!b) PetscCall(MatGetBlockSize(from->pmat, &b));
  PetscCall(MatGetLocalSize(from->pmat, &n, NULL));
  if (n % b) *why = "blocks do not divide the rows of a process";
  else if (to) SetSettings(to, c->wanted, c->method, c->pivoting);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_BlockJacobiReg(PC pc, PetscViewer viewer)
{
  const BlockJacobiReg *c = context(pc);
  PetscBool             ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  if (!c->block) PetscCall(PetscViewerASCIIPrintf(viewer, "  not yet set up\n"));
  else {
    PetscCall(PetscViewerASCIIPrintf(viewer, "  dense blocks of %" PetscInt_FMT " rows, method %s%s, formed and applied on the %s\n", c->block,
                                     methods[c->method], c->pivoting || c->method != 1 ? "" : " without pivoting", c->inverse.OnDevice() ? "device" : "host"));
    if (c->inverse.Report().zeros) PetscCall(PetscViewerASCIIPrintf(viewer, "  %llu singular blocks on the first process\n", c->inverse.Report().zeros));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCCreate_BlockJacobiReg(PC pc)
{
  PetscFunctionBegin;
  pc->data                = new BlockJacobiReg;
  pc->ops->setup          = PCSetUp_BlockJacobiReg;
  pc->ops->apply          = PCApply_BlockJacobiReg<false>;
  pc->ops->applytranspose = PCApply_BlockJacobiReg<true>;
  pc->ops->reset          = PCReset_BlockJacobiReg;
  pc->ops->destroy        = PCDestroy_BlockJacobiReg;
  pc->ops->setfromoptions = PCSetFromOptions_BlockJacobiReg;
  pc->ops->view           = PCView_BlockJacobiReg;
  PetscCall(PetscObjectComposeFunction((PetscObject)pc, pc_carry_name, CarrySettings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCBlockJacobiRegRegister()
{
  PetscFunctionBegin;
  PetscCall(PCRegister(PCBLOCKJACOBIREG, PCCreate_BlockJacobiReg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace heptane
