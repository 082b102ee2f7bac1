/*
   Matrix types derived from AIJ whose products run in a format of ours: the common part of bdiagh and sellp. The base
   class is PETSc's plain SEQAIJ or MPIAIJ; its compressed rows stay on the host and every operation that is not
   replaced works on them. The replaced operations work on the LocalPart of each block. A format supplies a
   DerivedClass.
*/
#pragma once

#include "../../device/buffer.hpp"
#include "../../pass/offers/cached_operator.hpp"
#include "../../pass/offers/stamp.hpp"
#include "../coo/map.hpp"
#include "../values/local_part.hpp"
#include "../values/set_rows.hpp"
#include "../../private/mat.hpp"
#include <petscsf.h>
#include <memory>
#include <vector>

namespace heptane
{

struct DerivedMat;

/* The extension of AIJ by a format; one constant object per format */
struct DerivedClass {
  const char *seq_name, *mpi_name; /* begin with seqaij and mpiaij: PETSc compares prefixes */
  const char *aij_root, *root;     /* the root names, that which begins with aij registered first */
  /* A new part for a block of A */
  PetscErrorCode (*make_part)(Mat A, PetscBool off_process, std::unique_ptr<LocalPart> *part);
  /* The type's settings, kept with the matrix, created with their defaults, copied by MatDuplicate() */
  std::shared_ptr<void> (*make_settings)();
  std::shared_ptr<void> (*copy_settings)(const void *settings);
  PetscErrorCode (*set_from_options)(Mat A, PetscOptionItems items, PetscBool *changed);
  /* Output of -mat_view ::ascii_info; and -mat_view draw of a sequential matrix, null: the base class's output */
  PetscErrorCode (*view)(Mat A, const DerivedMat *m, PetscViewer viewer);
  PetscErrorCode (*draw)(const LocalPart &part, PetscViewer viewer);
};

/* make_part and the two of settings by the types of both, which are in most formats all there is to say */
template <class Part>
PetscErrorCode DerivedMakePart(Mat A, PetscBool off_process, std::unique_ptr<LocalPart> *part)
{
  PetscFunctionBegin;
  *part = std::make_unique<Part>(A, off_process);
  PetscFunctionReturn(PETSC_SUCCESS);
}
template <class Settings>
std::shared_ptr<void> DerivedMakeSettings()
{
  return std::make_shared<Settings>();
}
template <class Settings>
std::shared_ptr<void> DerivedCopySettings(const void *settings)
{
  return std::make_shared<Settings>(*static_cast<const Settings *>(settings));
}

/* MatSetValuesCOO(): maps of both blocks, and the values received from other processes */
struct CooPlan {
  ~CooPlan();
  PetscCount            entries = 0; /* the caller's */
  PetscInt              sends = 0, receives = 0;
  PetscSF               sf = NULL; /* leaves: entries to send; roots: entries received. Null on one process */
  std::vector<PetscInt> send;      /* [sends] the entries sent */
  Buffer<std::int64_t>  wide_send; /* the same, for the device */
  Buffer<Scalar>        send_buffer, receive_buffer;
  Buffer<Scalar>        staged; /* the caller's values if they were in the other memory space */
  CooMap                diag, off;
  Stamp                 leads_into; /* LocalPart::Layout() of the parts when the maps were made */
};

class DenseInverse;
class Halo;        /* halo/halo.hpp */
class PeerProduct; /* peer_product.hpp */
class DeviceCsr;   /* device_csr.hpp */
/* The last result of MatInvertBlockDiagonal(): the inverses, column by column, one after another on the host, as
   PETSc's interface requires */
struct BlockInverses {
  std::shared_ptr<DenseInverse> inverse;
  std::vector<Scalar>           values;
  Stamp                         made_from; /* LocalPart::Version() of the diagonal block: blocks of a parallel matrix can change without it */
};

/* Vectors around raw arrays, for products of a block by the base class: x, z, y */
class RowVectors {
public:
  ~RowVectors();
  PetscErrorCode Place(int k, PetscInt n, const Scalar *array, Vec *v);

private:
  Vec of[3] = {NULL, NULL, NULL};
};

/* The context of a derived matrix, composed on it */
struct DerivedMat {
  ~DerivedMat();
  const DerivedClass   *cls = nullptr;
  struct _MatOps        base, derived;                                                        /* operations of the base class, and as installed */
  PetscErrorCodeFn     *base_prealloc_coo = NULL, *base_values_coo = NULL, *base_kron = NULL; /* composed functions of the base class */
  PetscBool             mpi               = PETSC_FALSE;
  PetscBool             device            = PETSC_FALSE; /* products run on the device when the vectors are there */
  PetscBool             ignore_remote     = PETSC_FALSE; /* MAT_IGNORE_OFF_PROC_ENTRIES */
  PetscBool             relaxed           = PETSC_FALSE; /* -info has printed where MatSOR() runs */
  mutable PetscBool     reported_products = PETSC_FALSE; /* ... that products run on the host because vectors are there */
  PetscBool             changes_in_format = PETSC_FALSE; /* -heptane_test_changes_in_format: tests without a GPU take the ways of matrices on the device */
  PetscBool             shortcuts         = PETSC_FALSE; /* HostShortcuts() */
  std::shared_ptr<void> settings;

  Stamp taken; /* DerivedStamp() when MatAXPY() or MatCopy() last took the values for another matrix */

  Stamp multiplied; /* DerivedStamp() of the values of which compressed rows made the last product: the next one with the same values makes the format */

  /* valid while DerivedStamp() is this */
  Stamp            prepared_for;
  void            *data = nullptr;
  Mat              Ad = NULL, Ao = NULL;           /* borrowed; Ao null for the sequential type */
  const PetscInt  *garray = NULL;                  /* global column of each column of Ao */
  LocalPart       *diag = nullptr, *off = nullptr; /* borrowed: composed on the blocks */
  PetscSF          sf         = NULL;              /* borrowed: owned columns to the columns of Ao */
  PetscObjectState sf_pattern = -1;                /* of the whole matrix when sf was queried. Up to PETSc 3.25 all processes then make a new one at once */
  PetscObjectId    sf_of =
    0; /* Ao's; all processes get a new one together: MatSetPreallocationCOO() raises no state, and the number of patterns may be that before */
  PetscInt       ghosts = 0;
  Buffer<Scalar> ghost; /* values of the columns of Ao */
  RowVectors     diag_vectors, off_vectors;

  /* the diagonal blocks, if the format does not store them contiguously, and a matrix of PETSc's CUDA type with them
     for PETSc's own PCPBJACOBI; made at first use */
  Buffer<Scalar> gathered;
  Mat            block_diagonal = NULL;
  Buffer<Scalar> block_values;
  Stamp          block_diagonal_for, gathered_for; /* LocalPart::Layout() of the diagonal block */

  /* for the fused solvers on several processes: the halo; whether every process has an operator; the state both were
     made for; and the operator while a caller holds one */
  std::shared_ptr<Halo> halo;
  bool                  fused_agreed     = false;
  int                   fused_block      = 0;     /* of point blocks that all of them apply; 0: not all do */
  bool                  fused_by_matmult = false; /* see FusedMatrix::ByMatMult(), of any of them */
  Stamp                 fused_for;
  int                   exchange = -1; /* -heptane_comm at the beginning of the last solve; -1: not read */
  CachedOperator        parallel;
  /* for products outside of them */
  std::shared_ptr<PeerProduct> peers;
  PetscInt                     settings_changed = 0; /* times */

  std::shared_ptr<CooPlan> coo;
  BlockInverses            inverses;
  SetRows                  set_rows; /* by MatSetValues(), since the last assembly */

  /* operands of matrix products and factorisations on the device, made at first use; whether the columns of every row
     ascend, and the pattern for which this was tested */
  std::shared_ptr<DeviceCsr> csr;
  MatType                    csr_type       = NULL;
  PetscBool                  csr_type_known = PETSC_FALSE;
  PetscBool                  ascending      = PETSC_FALSE;
  Stamp                      ascending_for;
  PetscErrorCode (*axpy)(Mat, PetscScalar, Mat, MatStructure) = NULL; /* between two matrices of ours */
};

PetscErrorCode DerivedRegister(const DerivedClass *cls);
PetscErrorCode DerivedGet(Mat A, DerivedMat **m);   /* error if A is not of a derived type */
PetscErrorCode DerivedQuery(Mat A, DerivedMat **m); /* null if A is not */
/* For public functions of a format: parts of A, complete and updated; an error that names the remedy if A is not of the
   class or has no pattern */
PetscErrorCode DerivedGetParts(Mat A, const DerivedClass *cls, DerivedMat **m);
/* The type's settings of A, which is of a derived type */
template <class Settings>
std::shared_ptr<const Settings> DerivedSettings(Mat A)
{
  DerivedMat *m;

  PetscCallAbort(PETSC_COMM_SELF, DerivedGet(A, &m));
  return std::static_pointer_cast<const Settings>(m->settings);
}
/* Of A and its current values, or after PETSc has raised A's state `coming` more times; blocks of a parallel matrix can
   change without it */
Stamp DerivedStamp(Mat A, PetscInt coming = 0);
/* Blocks, parts and halo of A as it is now */
PetscErrorCode DerivedPrepare(Mat A, DerivedMat *m);
/* Blocks and halo of a parallel A in its current state, independent of its parts */
PetscErrorCode DerivedPrepareHalo(Mat A, DerivedMat *m);
/* Parts, independent of A's halo; before A is assembled */
PetscErrorCode DerivedPrepareParts(Mat A, DerivedMat *m);
/* The part of A's current diagonal block, null if none was made. DerivedMat has the part of the last
   DerivedPrepareParts(), which is destroyed if another matrix's data was moved into A. */
PetscErrorCode DerivedPartNow(Mat A, const DerivedMat *m, LocalPart **part);
/* After PETSc has given a parallel A new blocks: makes the number of its pattern new. before: the number of A's
   patterns then */
PetscErrorCode DerivedCountPattern(Mat A, PetscObjectState before);
/* Compressed rows of all blocks up to date */
PetscErrorCode DerivedSync(Mat A, DerivedMat *m);
/* The same of a matrix of any type, which may be a block of a parallel matrix of ours; nothing to do for most */
PetscErrorCode DerivedSyncAny(Mat A);
/* Make A, a plain SEQAIJ or MPIAIJ, of the derived type; nothing if it is already. And back. */
PetscErrorCode DerivedInstall(Mat A, const DerivedClass *cls);
PetscErrorCode DerivedUninstall(Mat A);
/* Memory space for changes of all values: the device if products run there */
inline Where DerivedWhere(Mat A, const DerivedMat *m)
{
#if PetscDefined(HAVE_DEVICE)
  return m->device && !A->boundtocpu ? Where::device : Where::host;
#else
  (void)A, (void)m;
  return Where::host;
#endif
}

/* operations.cxx */
PetscErrorCode DerivedInstallOperations(Mat A, const DerivedMat *m);
/* synced.cxx: makes the operations and composed functions of the base class, also of its blocks, see valid values */
PetscErrorCode DerivedSyncOperations(Mat A, const DerivedMat *m);
PetscErrorCode DerivedSyncFunctions(Mat A);
PetscErrorCode DerivedUnsyncFunctions(Mat A);
PetscErrorCode DerivedIsBlock(Mat A, PetscBool *is); /* of a parallel matrix of ours */
PetscErrorCode DerivedKron(Mat A, Mat B, MatReuse reuse, Mat *C);
/* mult.cxx */
PetscErrorCode DerivedInstallProducts(Mat A);
/* Room for the values of the columns of other processes */
PetscErrorCode DerivedGhostArray(DerivedMat *m, Where where, Scalar **ghost);
/* set_values.cxx */
PetscErrorCode DerivedInstallSetValues(Mat A);
/* Around the base class's MatAssemblyEnd(): whether only the listed rows are new; these are filled again */
PetscErrorCode DerivedSetRowsBefore(Mat A, const DerivedMat *m, PetscBool *few);
PetscErrorCode DerivedSetRowsAfter(Mat A, DerivedMat *m, PetscBool few);
/* change.cxx */
PetscErrorCode DerivedInstallChanges(Mat A, DerivedMat *m);
/* fused_parallel.cxx: composed as fused_operator_name */
PetscErrorCode DerivedGetFusedOperator(Mat A, PetscBool device, PetscBool begins, std::shared_ptr<FusedMatrix> *op);
/* placement.cxx: composed as placement_name */
struct MatPlacement;
PetscErrorCode DerivedGetPlacement(Mat A, MatPlacement *placement);
/* blocks.cxx. done: false if the format cannot return the diagonal blocks of A's block size */
PetscErrorCode DerivedBlockDiagonal(Mat A, DerivedMat *m, Mat *B, PetscBool *done);
PetscErrorCode MatInvertBlockDiagonal_Derived(Mat A, const PetscScalar **values);
/* composed as dense_blocks_name */
PetscErrorCode DerivedGetDenseBlocks(Mat A, PetscInt b, DenseBlocks *blocks, PetscBool *device, PetscBool *available);
/* A, or the diagonal block of a parallel A, offers its block diagonals; a block returns them on the host */
PetscErrorCode DerivedComposeBlockDiagonals(Mat A, PetscBool compose);
PetscErrorCode MatGetDiagonalBlock_Derived(Mat A, Mat *block);
/* csr.cxx: MatSeqAIJSetPreallocationCSR(). done: false if the base class must do it, from the beginning */
PetscErrorCode DerivedCopyRows(Mat A, const PetscInt ptr[], const PetscInt col[], const PetscScalar v[], PetscBool *done);
/* Room for sequential compressed rows, whose lengths are left in `length` */
PetscErrorCode DerivedPreallocateRows(Mat A, const PetscInt ptr[], std::vector<PetscInt> *length);
/* coo.cxx */
PetscErrorCode DerivedSetPreallocationCOO(Mat A, PetscCount n, PetscInt i[], PetscInt j[]);
/* As it, for an assembled matrix: the places of n values among the compressed rows of both blocks, -1: in the other one */
PetscErrorCode DerivedPlaceCOO(Mat A, PetscCount n, const PetscInt in_diag[], const PetscInt in_off[]);
PetscErrorCode DerivedSetValuesCOO(Mat A, const PetscScalar v[], InsertMode mode);
/* combine.cxx. Collective: whether X has Y's base class and its blocks have the patterns of Y's on all processes */
PetscErrorCode DerivedOnePattern(Mat Y, Mat X, PetscBool mpi, PetscBool *same);
/* convert.cxx */
PetscErrorCode DerivedConvertIn(Mat A, MatType type, MatReuse reuse, Mat *B);
PetscErrorCode DerivedConvertOut(Mat A, MatType type, MatReuse reuse, Mat *B);
PetscErrorCode DerivedProductAnyType(Mat C);
PetscErrorCode DerivedProductSetFromOptions(Mat C);
PetscErrorCode DerivedGetFactorILU(Mat A, MatFactorType type, Mat *F);
/* rows.cxx: z = op(A) x (+ y) on the host by the base class, from the block's own compressed rows */
PetscErrorCode DerivedRowsProduct(Mat A, DerivedMat *m, PetscBool transpose, Vec x, Vec y, Vec z);
PetscErrorCode DerivedRowsProduct(Mat block, RowVectors *vectors, PetscBool transpose, const Scalar *x, const Scalar *y, Scalar *z);
/* Whether the next product uses DerivedRowsProduct(): not on a device, nor if the format is up to date, unless A is
   small. Local: the result may differ between processes. */
PetscErrorCode DerivedByRows(Mat A, DerivedMat *m, PetscBool *rows);
/* graph.cxx */
PetscErrorCode MatCreateGraph_Derived(Mat A, PetscBool symmetrize, PetscBool scale, PetscReal filter, PetscInt num_idx, PetscInt index[], Mat *G);
/* dm.cxx */
PetscErrorCode DerivedRegisterDMDA();
PetscErrorCode DerivedRegisterOrderings();
/* Functions composed by name on derived matrices that the base class's destructor does not know; f null removes them */
PetscErrorCode      DerivedComposeConversions(Mat A, const DerivedClass *cls, PetscBool compose);
const DerivedClass *DerivedClassOf(const char *type_name); /* by any of a class's four names; null if none */
int                 DerivedClassCount();
const DerivedClass *DerivedClassAt(int k);

} // namespace heptane
