/*
   One SeqAIJ block (a sequential matrix, or the diagonal or off-diagonal block of a parallel one) whose values also lie in a format of
   ours, and the ways between the copies; coherence.hpp says which of them are up to date. Formats derive from it; it knows none of
   them. Vectors are raw arrays, all host or all device.
*/
#pragma once

#include "../../pass/offers/block_diagonals.hpp"
#include "../../pass/offers/kept_operator.hpp"
#include "../../pass/offers/stamp.hpp"
#include "../../pc/dense/blocks.hpp"
#include "../csr/remainder.hpp"
#include "coherence.hpp"
#include "format_layout.hpp"
#include "host_values.hpp"
#include "value_runs.hpp"
#include <petscmat.h>
#include <cstddef>
#include <memory>
#include <vector>

namespace heptane
{

struct CooMap;

class LocalPart {
public:
  explicit LocalPart(std::shared_ptr<const FormatLayout> nothing) : format(std::move(nothing)) {} /* the layout of no entries */
  LocalPart(const LocalPart &)            = delete;
  LocalPart &operator=(const LocalPart &) = delete;
  virtual ~LocalPart()                    = default;

  /* Whether the compressed rows are out of date: the values are in the format alone */
  bool Armed() const { return values.Armed(); }
  /* The format's values if they are up to date there, else null */
  Scalar *ValuesIfValid(Where where) const { return values.FormatValid(where) ? values.At(where) : nullptr; }
  /* Whether the block is the one that the part knows, with the same pattern, and nothing but so many increases of its
     state has happened to it; with none Update() has nothing to do */
  PetscBool Unchanged(Mat block, PetscObjectState times = 0) const;
  /* Notices changes of the block's pattern and values. changed: the caller knows of one that the block's own state may not show. */
  PetscErrorCode Update(Mat block, PetscBool changed);
  /* The format's values, up to date there; they stay so until the block changes */
  PetscErrorCode Values(Where where, const Scalar **values);
  /* As Values(), to be changed by the caller, then ValuesWritten(): from there on the format's copy there is the only one up to date. overwrite: nothing of the old values is needed. */
  PetscErrorCode ValuesWrite(Where where, PetscBool overwrite, Scalar **values);
  PetscErrorCode ValuesWritten(Where where);
  /* As ValuesWrite(), for changes that leave zeros where no entry is */
  PetscErrorCode ValuesChange(Where where, PetscBool overwrite, Scalar **values);
  /* Whether places without entry hold zeros everywhere; and that they hold what those of another part hold now */
  PetscBool Clean() const { return clean; }
  void      AdoptPadding(const LocalPart &other) { clean = (PetscBool)(clean && other.clean); }
  /* How often the next changes are better made in the compressed rows too: the last one made in the format alone was followed by a look at them */
  PetscBool RowsWanted() { return (PetscBool)(rows_wanted > 0 && rows_wanted--); }
  /* How the entries of the block lie among the values; made when first asked for. Not Usable() where two entries share a place. */
  PetscErrorCode Runs(const ValueRuns **runs);
  /* Where the diagonal entries of a square or rectangular block are: places among the values (-1 too where Runs() are not usable), and entries of the compressed rows; -1 where there is none */
  struct DiagonalPlaces {
    std::vector<std::int64_t> place;
    std::vector<PetscInt>     entry;
    bool                      full = true; /* none is missing */
  };
  PetscErrorCode Diagonals(const DiagonalPlaces **places);
  /* The places of all diagonal entries on the device */
  PetscErrorCode DiagonalOnDevice(const std::int64_t **place);
  /* d = the diagonal, from the entries' places whatever the format; done: these are known */
  PetscErrorCode TakeDiagonal(Where where, Scalar *d, PetscBool *done);
  /* Whether the compressed rows of a block have the pattern of this part's, remembered where they have */
  PetscErrorCode SamePattern(Mat other, PetscBool *same);
  /* Whether values of the other part, whose block has the same pattern, lie in the same places */
  PetscBool SamePlaces(const LocalPart &other);
  /* Compressed rows of the block up to date on the host */
  PetscErrorCode SyncRows();
  /* Callback: PETSc is about to read or write stale host values of the block; it is null if only its data is left */
  PetscErrorCode HostAccessed(Mat block, HostAccess access, const HostRows &rows);
  /* The block's compressed rows have been changed, and the format's host copy with them (not the device's): remember the block's state, which PETSc will raise `coming` more times */
  PetscErrorCode BothWritten(PetscInt coming);
  /* Nothing but these rows of the block's compressed rows has changed since the format's values were up to date: they are filled again where they still would be, and the rest as for BothWritten() */
  PetscErrorCode FillRows(const std::vector<PetscInt> &rows, PetscInt coming);
  /* The operations that the block had before some were replaced by ours; null: none were, as in the blocks of a parallel matrix. Kept. */
  void SetBaseOperations(const struct _MatOps *ops) { base = ops; }
  /* The block belongs to a parallel matrix (it may be of our sequential type besides) */
  void SetOfParallel() { of_parallel = PETSC_TRUE; }
  /* The part goes and the block's data may stay: what only the format holds is written back */
  PetscErrorCode GiveBack();
  /* Whether the compressed rows are up to date at all times, because others may look at them and write into them: changes go there */
  PetscErrorCode KeepsRows(PetscBool *keeps);
  /* Whether the format has had values there since the pattern was analysed: not so in a matrix that is never multiplied there, as graphs of GAMG, which begin as duplicates */
  PetscBool HasMemory(Where where) const { return (PetscBool)(values.At(where) != nullptr); }
  /* Take layout (and with it all maps into it) from another part of the same pattern */
  PetscErrorCode ShareLayout(const LocalPart &other, Mat block);
  /* The pattern is about to be counted as changed once more by PETSc although it does not change */
  void ExpectPatternCount(PetscInt coming) { pattern_seen = PatternStamp(block, coming); }
  /* Settings that decide the layout have changed */
  void ForgetPattern() { pattern_seen.Clear(); }

  /* Whether the block's own products on the host, from its own arrays, are at least as good as ours: all entries lie in compressed rows, or the format has many zeros */
  virtual PetscBool OnlyRows() const { return PETSC_FALSE; }
  /* Before places of entries are asked for and remembered: what the analysis has put off is done, so that the next analysis can tell whether the layout is the same */
  virtual PetscErrorCode Complete() { return PETSC_SUCCESS; }
  const FormatLayout    &Format() const { return *format; }
  std::size_t            NumValues() const { return format->values(); }
  PetscLogDouble         NumEntries() const { return (PetscLogDouble)format->nnz; }
  double                 MatrixBytes() const { return format->matrix_bytes(); }
  /* z = A x (+ y), or z = A^T x (+ y) */
  virtual PetscErrorCode Product(bool transpose, Where where, const Scalar *x, const Scalar *y, Scalar *z) = 0;
  /* Whether Residual() can answer there: z = y - A x in one pass */
  virtual PetscErrorCode HasResidual(Where, PetscBool *has)
  {
    *has = PETSC_FALSE;
    return PETSC_SUCCESS;
  }
  virtual PetscErrorCode Residual(const Scalar *, const Scalar *, Scalar *) { return PETSC_ERR_SUP; }
  virtual PetscBool      HasDiagonal() const              = 0; /* whether Diagonal() can answer */
  virtual PetscErrorCode Diagonal(Where where, Scalar *d) = 0;
  /* The b x b diagonal blocks of a square block where they lie among the format's values; null values: they do not, and GatherBlocks() gathers them */
  virtual PetscErrorCode DiagonalBlocksInPlace(Where where, int b, DenseBlocks *blocks) = 0;
  /* The same in value columns: d[s * ld + row] = entry (row, row / b * b + s), s < b; d holds zeros where the pattern has no entry */
  PetscErrorCode GatherBlocks(Where where, int b, std::size_t ld, Scalar *d);
  /* values(i, j) *= l(i) r(j), null: ones; `values` are the part's own there */
  PetscErrorCode ScaleRowsColumns(Where where, const Scalar *l, const Scalar *r, Scalar *values);
  /* What the fused solvers may use instead of Product(): the same while nothing changes and somebody holds it, and its
     arrays live as long as it does; null: nothing */
  virtual PetscErrorCode Fused(Where, std::shared_ptr<FusedMatrix> *op)
  {
    op->reset();
    return PETSC_SUCCESS;
  }
  /* The format's block diagonals there, of a square block; no values where the format has none */
  virtual PetscErrorCode OnDiagonals(Where, BlockDiagonals *D)
  {
    *D = BlockDiagonals();
    return PETSC_SUCCESS;
  }
  /* Changes whenever slots may lie elsewhere than before */
  std::uint64_t Layout() const { return layout; }
  /* Changes whenever values or layout may have changed; no two parts have the same */
  std::uint64_t Version() const { return version; }

  PetscErrorCode Pattern(Csr *A) const; /* of the block as it is now */
  /* The block size that a matrix was given, 1 where rows and columns differ */
  static PetscInt GivenBlockSize(Mat A);

protected:
  virtual PetscErrorCode Analyse(const Csr &A, std::shared_ptr<const FormatLayout> *found) = 0;
  virtual void           Forget() {} /* what the format has made for another layout */
  /* GatherBlocks() and ScaleRowsColumns() of what is not in the remainder; values are up to date */
  virtual PetscErrorCode GatherFormat(Where where, int b, std::size_t ld, Scalar *d)                = 0;
  virtual PetscErrorCode ScaleFormat(Where where, const Scalar *l, const Scalar *r, Scalar *values) = 0;

  /* The errors of a layout that was not found: the block size b of -mat_<format>_block_size does not divide the sizes, or there is more than 32 bits count */
  static PetscErrorCode CheckSizes(const Csr &A, const char format[], PetscInt b, bool divides, bool counted);

  /* Who holds the format's values there keeps their memory */
  std::shared_ptr<const void> ValuesOwner(Where where) const { return values.Share(where); }

  PetscErrorCode SetFormat(std::shared_ptr<const FormatLayout> found);
  /* The values of the remainder, which follow those of the format */
  PetscErrorCode RemainderValues(Where where, const Scalar **first);

  Mat                                 block = nullptr; /* borrowed: the part is composed on it */
  std::shared_ptr<const FormatLayout> format;
  std::shared_ptr<Remainder>          remainder = std::make_shared<Remainder>(); /* one for each layout */
  KeptOperator                        fused;

private:
  PetscErrorCode Allocate(Where where, Scalar **array);
  PetscErrorCode Free();
  /* The layout is found anew, the format has no values */
  PetscErrorCode AnalysePattern();
  /* The format's values from the compressed rows, on the side `filled`; there: its memory where they are wanted */
  PetscErrorCode FillFormat(Where where, Scalar there[], Where *filled);
  PetscErrorCode CopyTo(Where where);
  PetscErrorCode WriteRows(const HostRows &rows);
  void           Changed();
  /* Of the block's values and of its pattern, as they are or will be once PETSc has counted `coming` more changes */
  static Stamp   ValuesStamp(Mat A, PetscInt coming = 0);
  static Stamp   PatternStamp(Mat A, PetscInt coming = 0);
  void           ForgetPlaces();
  PetscErrorCode MakeRuns(const Csr &A, const ValueRuns **runs);
  PetscErrorCode FromRows(const Csr &A, const Scalar a[]);
  PetscErrorCode PutRows(const std::vector<PetscInt> &rows, PetscBool *done);
  PetscErrorCode PutRows(const Scalar a[], const ValueRuns &r, const std::vector<PetscInt> &rows);
  PetscErrorCode ToRows(const Csr &A, Scalar a[]);
  PetscErrorCode RunsPromise(const Csr &A, PetscBool *few);
  PetscErrorCode RunsOnDevice(const Csr &A, ValueRunsView *view, PetscBool *usable);
  PetscErrorCode PlacesOnDevice(const Csr &A, PetscBool *usable);
  template <class Index>
  PetscErrorCode PlacesSent(const Csr &A, Buffer<Index> *places);
  PetscErrorCode RowsOnDevice(const Csr &A, ValueRunsView *view, PetscBool *ready);
  PetscErrorCode Move(bool to_rows, const ValueRunsView &view, PetscInt first, PetscInt n, Scalar format[], Scalar rows[]) const;
  PetscErrorCode FromRowsOnDevice(const Csr &A, const Scalar a[], Scalar there[], PetscBool *done);
  PetscErrorCode ToRowsFromDevice(const Csr &A, Scalar a[], PetscBool *done);

  Coherence             values;
  PetscBool             of_parallel = PETSC_FALSE;
  void                 *data        = nullptr; /* the block's data: headers may be exchanged around it */
  const struct _MatOps *base        = nullptr; /* see SetBaseOperations() */
  PetscObjectId         id          = 0;
  Stamp                 values_seen, pattern_seen; /* of the block when it was last looked at */
  std::uint64_t         layout = 0, version = 0;

  /* Of the pattern: made when needed, shared with duplicates */
  std::shared_ptr<const ValueRuns>      runs;
  std::shared_ptr<const DiagonalPlaces> diagonals;
  Buffer<std::int64_t>                  diagonal_places; /* of these, on the device */
  Buffer<ValueRun>                      run_list;        /* the runs and their shapes, on the device */
  Buffer<int>                           run_shapes;
  struct EntryPlaces {
    Buffer<int>          narrow;
    Buffer<std::int64_t> wide; /* where 32 bits are too few */
  };
  std::shared_ptr<EntryPlaces> entry_places;            /* the place of each entry on the device, where runs are too many */
  PetscBool                    no_places = PETSC_FALSE; /* there was no memory for them */
  Buffer<Scalar>               staged;                  /* room for values of compressed rows on the device, of some megabytes */
  PetscInt                     moved       = 0;         /* times that all values went between compressed rows and format, before there were runs */
  int                          rows_wanted = 0;
  PetscBool                    clean       = PETSC_FALSE; /* places without entry hold zeros, on host and device */
  /* The block that SamePattern() found equal last, and the part's layout that SamePlaces() did */
  Stamp same_pattern, same_places;
};

/* The compressed rows of a SeqAIJ matrix or of a type derived from it, without their values; valid while the pattern is */
PetscErrorCode PatternOf(Mat A, Csr *P);
/* Whether they have the same sizes, row lengths and columns */
PetscErrorCode PatternsEqual(const Csr &P, const Csr &Q, PetscBool *equal);

/* The part composed on a block; null if there is none */
PetscErrorCode LocalPartQuery(Mat block, LocalPart **part);
PetscErrorCode LocalPartCompose(Mat block, std::unique_ptr<LocalPart> part);
PetscErrorCode LocalPartRemove(Mat block);

} // namespace heptane
