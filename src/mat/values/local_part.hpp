/*
   One SeqAIJ block (a sequential matrix, or the diagonal or off-diagonal block of a parallel one) whose values are also
   stored in a format of ours, and the conversions between the copies; coherence.hpp states which are up to date.
   Formats derive from it; it depends on none. Vectors are raw arrays, all host or all device.
*/
#pragma once

#include "../../pass/offers/block_diagonals.hpp"
#include "../../pass/offers/cached_operator.hpp"
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

  /* Whether the compressed rows are out of date: only the format has the values */
  bool Armed() const { return values.Armed(); }
  /* The format's values if they are up to date there, else null */
  Scalar *ValuesIfValid(Where where) const { return values.FormatValid(where) ? values.At(where) : nullptr; }
  /* Whether the block is the recorded one, with the same pattern, and its state has increased by exactly `times`; with
     times = 0 Update() has nothing to do */
  PetscBool Unchanged(Mat block, PetscObjectState times = 0) const;
  /* Detects changes of the block's pattern and values. changed: the caller has made a change that the block's own state
     may not show. */
  PetscErrorCode Update(Mat block, PetscBool changed);
  /* The format's values, up to date there until the block changes */
  PetscErrorCode Values(Where where, const Scalar **values);
  /* As Values(), for the caller to change; ValuesWritten() must follow, and makes the format's copy on this side the
     only valid one. overwrite: the old values are not needed. */
  PetscErrorCode ValuesWrite(Where where, PetscBool overwrite, Scalar **values);
  PetscErrorCode ValuesWritten(Where where);
  /* As ValuesWrite(), for changes that keep zeros in places without entry */
  PetscErrorCode ValuesChange(Where where, PetscBool overwrite, Scalar **values);
  /*
     Whether places without entry hold zeros everywhere; AdoptPadding(): they now hold the same values as another part's
  */
  PetscBool Clean() const { return clean; }
  void      AdoptPadding(const LocalPart &other) { clean = (PetscBool)(clean && other.clean); }
  /* Number of next changes that should also update the compressed rows, since these were read after the last change of
     only the format */
  PetscBool RowsWanted() { return (PetscBool)(rows_wanted > 0 && rows_wanted--); }
  /* The map from entries of the block to places among the values; made at the first call. Not Usable() if two entries
     share a place. */
  PetscErrorCode Runs(const ValueRuns **runs);
  /* The diagonal entries of a square or rectangular block: places among the values (-1 also if Runs() are not usable),
     and indices in the compressed rows; -1 if there is no entry */
  struct DiagonalPlaces {
    std::vector<std::int64_t> place;
    std::vector<PetscInt>     entry;
    bool                      full = true; /* none is missing */
  };
  PetscErrorCode Diagonals(const DiagonalPlaces **places);
  /* The places of all diagonal entries on the device */
  PetscErrorCode DiagonalOnDevice(const std::int64_t **place);
  /* d = the diagonal, from the entries' places, for any format; done: whether these are known */
  PetscErrorCode TakeDiagonal(Where where, Scalar *d, PetscBool *done);
  /* Whether the compressed rows of a block have this part's pattern; a positive result is cached */
  PetscErrorCode SamePattern(Mat other, PetscBool *same);
  /* Whether values of the other part, whose block has the same pattern, are stored in the same places */
  PetscBool SamePlaces(const LocalPart &other);
  /* Compressed rows of the block up to date on the host */
  PetscErrorCode SyncRows();
  /* Queues a copy of the values in the order of the compressed rows, if the format has them on the device; there: memory
     of the device. The part is up to date */
  PetscErrorCode TakeRows(Scalar there[], PetscBool *done);
  /* Callback: PETSc is about to read or write stale host values of the block; it is null if only its data is left */
  PetscErrorCode HostAccessed(Mat block, HostAccess access, const HostRows &rows);
  /* Records that the block's compressed rows were changed, and the format's host copy with them (not the device copy).
     PETSc will raise the block's state `coming` more times. */
  PetscErrorCode BothWritten(PetscInt coming);
  /* Only these rows of the block's compressed rows have changed since the format's values were up to date: updates them
     on each side whose other values are valid; else as BothWritten() */
  PetscErrorCode FillRows(const std::vector<PetscInt> &rows, PetscInt coming);
  /* The block's operations that ours have replaced; null: none, as in the blocks of a parallel matrix. The pointer is
     kept. */
  void SetBaseOperations(const struct _MatOps *ops) { base = ops; }
  /* The block belongs to a parallel matrix (it may be of our sequential type besides) */
  void SetOfParallel() { of_parallel = PETSC_TRUE; }
  /* Before the part is destroyed while the block's data may stay: values that only the format holds are written back */
  PetscErrorCode GiveBack();
  /* Whether the compressed rows must always be up to date, because code outside of PETSc may read and write them:
     changes go there */
  PetscErrorCode KeepsRows(PetscBool *keeps);
  /* Whether the format has had values on this side since the pattern was analysed: false for a matrix that is never
     multiplied there, such as GAMG's graphs, which start as duplicates */
  PetscBool HasMemory(Where where) const { return (PetscBool)(values.At(where) != nullptr); }
  /* Take layout (and with it all maps into it) from another part of the same pattern */
  PetscErrorCode ShareLayout(const LocalPart &other, Mat block);
  /* The pattern is about to be counted as changed once more by PETSc although it does not change */
  void ExpectPatternCount(PetscInt coming) { pattern_seen = PatternStamp(block, coming); }
  /* Settings that decide the layout have changed */
  void ForgetPattern() { pattern_seen.Clear(); }

  /* Whether the block's own products on the host, from its own arrays, are at least as good as ours: all entries are in
     compressed rows, or the format has many zeros */
  virtual PetscBool OnlyRows() const { return PETSC_FALSE; }
  /* Called before places of entries are computed and cached: completes deferred steps of the analysis, so that the next
     analysis can tell whether the layout is the same */
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
  /* The b x b diagonal blocks of a square block as stored among the format's values; null values: not stored so, use
     GatherBlocks() */
  virtual PetscErrorCode DiagonalBlocksInPlace(Where where, int b, DenseBlocks *blocks) = 0;
  /* The same in value columns: d[s * ld + row] = entry (row, row / b * b + s), s < b; d holds zeros if the pattern has
     no entry */
  PetscErrorCode GatherBlocks(Where where, int b, std::size_t ld, Scalar *d);
  /* values(i, j) *= l(i) r(j), null: ones; `values` are the part's own there */
  PetscErrorCode ScaleRowsColumns(Where where, const Scalar *l, const Scalar *r, Scalar *values);
  /* A faster alternative to Product() for the fused solvers; null: none. The same object is returned while nothing
     changes and a caller holds it; its arrays live as long as it does. */
  virtual PetscErrorCode Fused(Where, std::shared_ptr<FusedMatrix> *op)
  {
    op->reset();
    return PETSC_SUCCESS;
  }
  /* The format's block diagonals there, of a square block; no values if the format has none */
  virtual PetscErrorCode OnDiagonals(Where, BlockDiagonals *D)
  {
    *D = BlockDiagonals();
    return PETSC_SUCCESS;
  }
  /* Changes whenever slots may have moved */
  std::uint64_t Layout() const { return layout; }
  /* Changes whenever values or layout may have changed; no two parts have the same */
  std::uint64_t Version() const { return version; }

  PetscErrorCode Pattern(Csr *A) const; /* of the block in its current state */
  /* The block size set on a matrix, 1 if row and column block sizes differ */
  static PetscInt GivenBlockSize(Mat A);

protected:
  virtual PetscErrorCode Analyse(const Csr &A, std::shared_ptr<const FormatLayout> *found) = 0;
  virtual void           Forget() {} /* data that the format derived from another layout */
  /* The format's part of GatherBlocks() and ScaleRowsColumns(), without the remainder; values are up to date */
  virtual PetscErrorCode GatherFormat(Where where, int b, std::size_t ld, Scalar *d)                = 0;
  virtual PetscErrorCode ScaleFormat(Where where, const Scalar *l, const Scalar *r, Scalar *values) = 0;

  /* The errors of a layout that was not found: the block size b of -mat_<format>_block_size does not divide the sizes,
     or a count exceeds 32 bits */
  static PetscErrorCode CheckSizes(const Csr &A, const char format[], PetscInt b, bool divides, bool counted);

  /* Holding the result keeps the memory of the format's values there */
  std::shared_ptr<const void> ValuesOwner(Where where) const { return values.Share(where); }

  PetscErrorCode SetFormat(std::shared_ptr<const FormatLayout> found);
  /* The values of the remainder, stored after the format's */
  PetscErrorCode RemainderValues(Where where, const Scalar **first);

  Mat                                 block = nullptr; /* borrowed: the part is composed on it */
  std::shared_ptr<const FormatLayout> format;
  std::shared_ptr<Remainder>          remainder = std::make_shared<Remainder>(); /* one for each layout */
  CachedOperator                      fused;

private:
  PetscErrorCode Allocate(Where where, Scalar **array);
  PetscErrorCode Free();
  /* The layout is determined again, the format has no values */
  PetscErrorCode AnalysePattern();
  /* Fills the format from the compressed rows, on the side `filled`; there: the side's memory in which they are wanted */
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
  PetscErrorCode Staged(const Csr &A, Scalar **there);
  PetscErrorCode Move(bool to_rows, const ValueRunsView &view, PetscInt first, PetscInt n, Scalar format[], Scalar rows[]) const;
  PetscErrorCode FromRowsOnDevice(const Csr &A, const Scalar a[], Scalar there[], PetscBool *done);
  PetscErrorCode ToRowsFromDevice(const Csr &A, Scalar a[], PetscBool *done);

  Coherence             values;
  PetscBool             of_parallel = PETSC_FALSE;
  void                 *data        = nullptr; /* the block's data: headers may be exchanged around it */
  const struct _MatOps *base        = nullptr; /* see SetBaseOperations() */
  PetscObjectId         id          = 0;
  Stamp                 values_seen, pattern_seen; /* of the block at the last update */
  std::uint64_t         layout = 0, version = 0;

  /* Of the pattern: made when needed, shared with duplicates */
  std::shared_ptr<const ValueRuns>      runs;
  std::shared_ptr<const DiagonalPlaces> diagonals;
  Buffer<std::int64_t>                  diagonal_places; /* of these, on the device */
  Buffer<ValueRun>                      run_list;        /* the runs and their shapes, on the device */
  Buffer<int>                           run_shapes;
  struct EntryPlaces {
    Buffer<int>          narrow;
    Buffer<std::int64_t> wide; /* if 32 bits are too few */
  };
  std::shared_ptr<EntryPlaces> entry_places;            /* the place of each entry on the device, if there are too many runs */
  PetscBool                    no_places = PETSC_FALSE; /* there was no memory for them */
  Buffer<Scalar>               staged;                  /* room for values of compressed rows on the device, of some megabytes */
  PetscInt                     moved       = 0;         /* times that all values went between compressed rows and format, before there were runs */
  int                          rows_wanted = 0;
  PetscBool                    clean       = PETSC_FALSE; /* places without entry hold zeros, on host and device */
  /* The block that SamePattern() found equal last, and the part's layout that SamePlaces() did */
  Stamp same_pattern, same_places;
};

/* The compressed rows of a SeqAIJ matrix or of a derived type, without their values; valid while the pattern is */
PetscErrorCode PatternOf(Mat A, Csr *P);
/* Whether they have the same sizes, row lengths and columns */
PetscErrorCode PatternsEqual(const Csr &P, const Csr &Q, PetscBool *equal);

/* The part composed on a block; null if there is none */
PetscErrorCode LocalPartQuery(Mat block, LocalPart **part);
PetscErrorCode LocalPartCompose(Mat block, std::unique_ptr<LocalPart> part);
PetscErrorCode LocalPartRemove(Mat block);

} // namespace heptane
