/*
   Heptane: matrix formats and Krylov solvers for GPUs inside PETSc.

   The only header an application needs, and only if it is linked with libheptane: programs that load the library with -dll_append
   use the type names as strings in their options.
*/
#pragma once

#include <petscksp.h>

#define HEPTANE_VERSION_MAJOR 0
#define HEPTANE_VERSION_MINOR 1
#define HEPTANE_VERSION_PATCH 0

/*MC
   MATBDIAGH - MATBDIAGH = "bdiagh" - A matrix stored by block diagonals, without column indices, for matrices from structured grids with a small dense block a cell.

   Identical to `MATSEQAIJBDIAGH` on one process and to `MATMPIAIJBDIAGH` otherwise. Derived from `MATAIJ`: every operation of `MATAIJ` works.

   Options Database Keys:
+ -mat_type bdiagh                      - selects the type in `MatSetFromOptions()` (`-dm_mat_type bdiagh` for matrices of a `DM`)
. -mat_bdiagh_block_size <b>            - block size; 0 (default) takes that of `MatSetBlockSize()`, or finds it in the pattern
. -mat_bdiagh_max_fill <3.0>            - most stored values per nonzero on the block diagonals for which the diagonals are used
. -mat_bdiagh_max_remainder <0.25>      - largest part of the nonzeros that may lie off the block diagonals
. -mat_bdiagh_min_occupancy <0.25>      - a block diagonal filled less than this is left to the remainder part
- -mat_bdiagh_strict <false>            - error, naming another type, when the structure does not fit, instead of storing everything in the remainder part

   Level: beginner

   Notes:
   With block size b and D block diagonals at the cell offsets o_0 < ... < o_{D-1}, the values are D b columns of `ld` values each,
.vb
   value[(r*b + s)*ld + row] = A(row, (row/b + o_r)*b + s),   0 <= r < D, 0 <= s < b
.ve
   where entries that A does not have are stored as zeros. Nonzeros off the block diagonals (wells, faults, non-neighbour connections) lie in a remainder part in
   compressed rows, which the product adds. A product moves 8 (D b) + 16 bytes a row in double precision, `MATAIJ` 12 D b + 20.

   It helps when most nonzeros lie on a few block diagonals: cells of a structured grid numbered line by line, any number of unknowns a cell. It does not help for
   unstructured meshes or renumbered cells: the type then still works, with everything in the remainder part, and says so with `-info` and `-mat_view ::ascii_info`.

   Stored zeros are multiplied: an Inf or NaN in x reaches every row whose block diagonal passes over it, also where A has no entry.

   With CUDA and a usable GPU the products run there, `MatCreateVecs()` gives `VECCUDA` vectors, and `MatSetValuesCOO()` takes device values without a copy to the host;
   the host values are brought up to date when a host operation asks for them. Host vectors, and machines without a GPU, use the same source compiled for the host.

   A product gives the same bits every time, on host and device; `MatMultTranspose()` of a parallel matrix on the device does not, because PETSc adds what other
   processes send by atomic operations.

   AIJ's operations on groups of identical rows (`MAT_USE_INODES`) are off for this type.

   References:
.  * - CUDA optimisation of a class of iterative linear algebra solvers, KFUPM 2017 (the BDIA-GH format).

.seealso: `MATAIJ`, `MATSELLP`, `MATSEQAIJBDIAGH`, `MATMPIAIJBDIAGH`, `MatBDIAGHGetLayout()`, `MatBDIAGHGetArrayAndMemType()`, `HeptaneInitialize()`
M*/
#define MATBDIAGH       "bdiagh"
#define MATAIJBDIAGH    "aijbdiagh"
#define MATSEQAIJBDIAGH "seqaijbdiagh"
#define MATMPIAIJBDIAGH "mpiaijbdiagh"

/*MC
   MATSELLP - MATSELLP = "sellp" - A matrix stored in slices of rows of similar length (sliced ELLPACK with padding, SELL-P), of dense blocks where the pattern has them, for any sparse matrix.

   Identical to `MATSEQAIJSELLP` on one process and to `MATMPIAIJSELLP` otherwise. Derived from `MATAIJ`: every operation of `MATAIJ` works.

   Options Database Keys:
+ -mat_type sellp                   - selects the type in `MatSetFromOptions()` (`-dm_mat_type sellp` for matrices of a `DM`)
. -mat_sellp_block_size <b>         - block size; 0 (default) takes that of `MatSetBlockSize()`, or finds it in the pattern
. -mat_sellp_max_fill <f>           - most stored values per nonzero inside the blocks for which blocks are used; 0 (default): while they take fewer bytes than single entries
. -mat_sellp_slice_height <C>       - block rows a slice, a multiple of 8 from 8 to 64; -1: all rows in one slice, which is ELLPACK; 0 (default): chosen
. -mat_sellp_threads_per_row <T>    - threads that share a row, a power of two up to 32; the width of a slice is a multiple of it; 0 (default): chosen
. -mat_sellp_sort_window <sigma>    - block rows that are sorted by length among each other, up to 65536, rounded to a multiple of C; 1: not sorted; 0 (default): chosen
. -mat_sellp_long_row <n>           - block rows with more than n blocks are put aside in compressed rows; 0 (default): chosen
. -mat_sellp_index (auto|16|32)      - bits of a block column: as few as a slice needs, none included (default); 16 where they fit; 32
- -mat_sellp_own_length <false>     - every row stops at its own length (ELLR-T) instead of the length of its slice

   Level: beginner

   Notes:
   C consecutive block rows make a slice, as wide as its longest row. With block size b, entry k of a slice is b columns of C b values each: consecutive threads read consecutive
   values, and one column index serves a block: 8 + 4/b^2 bytes a nonzero in double precision and padding, where `MATAIJ` has 12. Blocks that are partly filled are padded with zeros.

   What is chosen: C = 32, or 64 where single rows go without index nearly everywhere, T = 1; rows keep their order while slices pad no more than 5 % (b < 4: 10 %, single rows without
   index: 20 %), else they are sorted in the smallest window of 256 to 4096 that leaves 7 % or less;
   block rows longer than 64 blocks and than six times the mean are put aside where one is longer than 1024, or sorting leaves more than 7 %. Sorting is not seen from outside.
   `-mat_view ::ascii_info` shows parameters, padding and bytes.

   Where every row of a slice has its entries at the same distances from its own column, no column index is stored: 8 bytes a nonzero, as grids have; else 16 bits from a base of the slice
   column where they fit, else 32.

   Padding multiplies x by zero: an Inf or NaN in x reaches rows whose slice has that distance, as it reaches zeros that are stored in a `MATAIJ`. With `-mat_sellp_index 32` it stays in
   rows that have an entry in that column, and in empty rows of that index.

   With PETSc configured with CUDA and a GPU present, `MatCreateVecs()` gives CUDA vectors and products run on the GPU; the product with the transpose keeps 12 bytes a block more there.
   `KSPFUSEDCG`, `KSPFUSEDBCGS` and `KSPFUSEDBICG` multiply in a pass with what comes before and after.

   A product gives the same bits every time. AIJ's operations on groups of identical rows (`MAT_USE_INODES`) are off for this type. PETSc's `MATSELL` is another type.

   References:
+  * - Anzt, Tomov, Dongarra: Implementing a sparse matrix vector product for the SELL-C/SELL-C-sigma formats on NVIDIA GPUs, University of Tennessee 2014 (SELL-P).
-  * - Kreutzer, Hager, Wellein, Fehske, Bishop: A unified sparse matrix data format for efficient general sparse matrix-vector multiplication, SIAM J. Sci. Comput. 36 (2014) (SELL-C-sigma).

.seealso: `MATAIJ`, `MATBDIAGH`, `MATSEQAIJSELLP`, `MATMPIAIJSELLP`, `MatSELLPGetStorage()`, `HeptaneInitialize()`
M*/
#define MATSELLP       "sellp"
#define MATAIJSELLP    "aijsellp"
#define MATSEQAIJSELLP "seqaijsellp"
#define MATMPIAIJSELLP "mpiaijsellp"

PETSC_EXTERN PetscErrorCode HeptaneInitialize(void);
PETSC_EXTERN PetscErrorCode HeptaneLeastSquares(PetscMemType, PetscInt, PetscInt, PetscInt, const PetscScalar[], PetscScalar[], PetscInt *);

PETSC_EXTERN PetscErrorCode MatBDIAGHGetLayout(Mat, PetscInt *, PetscInt *, const PetscInt *[], PetscInt *);
PETSC_EXTERN PetscErrorCode MatBDIAGHGetArrayAndMemType(Mat, PetscScalar *[], PetscMemType *);
PETSC_EXTERN PetscErrorCode MatBDIAGHRestoreArrayAndMemType(Mat, PetscScalar *[]);

PETSC_EXTERN PetscErrorCode MatSELLPGetStorage(Mat, PetscInt *, PetscInt *, PetscReal *, PetscLogDouble *, PetscLogDouble *);

/*MC
   KSPFUSEDCG - KSPFUSEDCG = "fusedcg" - The preconditioned conjugate gradient method in three passes over the vectors an iteration, without waiting for the host.

   The same method, norms, options, tests, reasons and histories (to rounding) as `KSPCG`.

   Options Database Keys:
+ -ksp_type fusedcg                                         - selects the type
. -ksp_fused_mode (auto|twin|kernels|graph|persistent)      - see `KSPFusedSetMode()`
. -ksp_fused_check_interval interval                        - see `KSPFusedSetCheckInterval()`
. -ksp_fused_wait (polling|blocking)                        - see `KSPFusedSetBlockingWait()`
. -ksp_fused_fold (auto|no|yes)                             - see `KSPFusedSetFold()`
. -ksp_fused_fold_after its                                 - see `KSPFusedSetFold()`
- -ksp_fused_persistent_blocks blocks                       - thread blocks of the persistent kernel, 0 for automatic; more than can be resident are refused

   Level: beginner

   Notes:
   `PCNONE`, `PCJACOBI` and `PCPBJACOBI` (blocks to 32) are applied in the passes, every other preconditioner by `PCApply()` between them. Matrices of types `MATBDIAGH` and `MATSELLP` are multiplied in a
   pass with what comes before and after, all others by `MatMult()`. `-ksp_view` after a solve prints the passes, what they move and how often the host waited.

   It helps on GPUs, small problems most: the built-in type launches a dozen kernels an iteration and waits three times. On hosts it saves passes over memory.

   On several processes every reduction is summed over them on the host, one call each, and the products overlap the exchange of the halo as `MatMult()` does.

   PETSc's own loop runs where eigenvalues or singular values are computed (`KSPSetComputeEigenvalues()`, the estimates of `KSPCHEBYSHEV`), with a trust region or an objective target, and with
   `-ksp_cg_single_reduction`.

   Two runs give the same bits.

   References:
.  * - Energy consumption of iterative methods for sparse systems on graphics processors, M. Castillo 2016 (rules of fusion).

.seealso: `KSPCG`, `KSPFUSEDBCGS`, `KSPFUSEDBICG`, `KSPFusedSetMode()`, `KSPFusedSetFold()`, `MATBDIAGH`
M*/
#define KSPFUSEDCG "fusedcg"

/*MC
   KSPFUSEDBCGS - KSPFUSEDBCGS = "fusedbcgs" - The stabilised biconjugate gradient method in three passes over the vectors an iteration, without waiting for the host.

   The same method, norms, sides, options, tests, reasons and histories (to rounding) as `KSPBCGS`. Options as for `KSPFUSEDCG`.

   Level: beginner

   Notes:
   The half step s is formed where it is read and never stored, and rho of the next iteration follows from the sums of this one, so that an iteration has two reduction points. With
   `MATBDIAGH` and `PCJACOBI` of the same matrix the preconditioner costs nothing: the product reads the diagonal anyway. Right preconditioning takes two launches more.

.seealso: `KSPBCGS`, `KSPFUSEDCG`, `KSPFusedSetMode()`, `MATBDIAGH`
M*/
#define KSPFUSEDBCGS "fusedbcgs"

/*MC
   KSPFUSEDBICG - KSPFUSEDBICG = "fusedbicg" - The biconjugate gradient method in four passes over the vectors an iteration.

   The same method, norms, options, tests, reasons and histories (to rounding) as `KSPBICG`. Options as for `KSPFUSEDCG`.

   Level: beginner

   Notes:
   `MATBDIAGH` matrices without a remainder part are multiplied by their transpose in a pass of their own, all others by `MatMultTranspose()`.

   `KSPBICG` leaves the preconditioner out after the first iteration with `KSP_NORM_NONE`; this type applies it.

.seealso: `KSPBICG`, `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFusedSetMode()`
M*/
#define KSPFUSEDBICG "fusedbicg"

/*MC
   PCBLOCKJACOBIREG - PCBLOCKJACOBIREG = "blockjacobireg" - Block Jacobi with dense diagonal blocks of up to 112 rows, inverted where the matrix lies: on the device in registers.

   Options Database Keys:
+ -pc_type blockjacobireg                          - selects the type
. -pc_blockjacobireg_block_size size               - rows of a block, 0 (the default) for the matrix's block size
. -pc_blockjacobireg_method (inverse|lu|qr)        - what is kept of a block: its inverse (the default), its LU or its Householder QR factors
- -pc_blockjacobireg_pivoting (true|false)         - exchange rows in LU factorisations, by default true

   Level: beginner

   Notes:
   Every process's rows are cut into blocks of equal size, which must divide their number. Blocks are dense whatever the pattern: entries that the matrix does not store are zero. Inverses,
   by Gauss-Jordan elimination with partial pivoting, are applied as a batched product; factors by solves, in which the rows of a block wait for each other. Storage is size scalars a row.

   It helps where a few cells that are strongly coupled follow each other in the numbering, such as the cells of a column of a reservoir; blocks of the matrix's own size are `PCPBJACOBI`'s, which is
   inverted in the same way for matrices of type `MATBDIAGH`.

   `MATBDIAGH` hands its blocks over on the device. From other types they are taken row by row on the host, which takes longer than inverting them.

   A block with a pivot of zero makes the solve end with `KSP_DIVERGED_PC_FAILED`, or is an error after `PCSetErrorIfFailure()`; `-info` prints its number, and that of blocks that are singular to
   working precision.

   References:
.  * - A predictive model for solving small linear algebra problems in GPU registers, Anderson, Sheffield, Keutzer, IPDPS 2012.

.seealso: `PCPBJACOBI`, `PCBJACOBI`, `MATBDIAGH`, `HeptaneInitialize()`
M*/
#define PCBLOCKJACOBIREG "blockjacobireg"

/*E
   KSPFusedMode - how the iterations of a fused Krylov method run

   Level: intermediate

.seealso: `KSPFusedSetMode()`
E*/
typedef enum { KSP_FUSED_AUTO, KSP_FUSED_TWIN, KSP_FUSED_KERNELS, KSP_FUSED_GRAPH, KSP_FUSED_PERSISTENT } KSPFusedMode;
PETSC_EXTERN const char *const KSPFusedModes[];

PETSC_EXTERN PetscErrorCode KSPFusedSetMode(KSP, KSPFusedMode);
PETSC_EXTERN PetscErrorCode KSPFusedSetCheckInterval(KSP, PetscInt);
PETSC_EXTERN PetscErrorCode KSPFusedSetBlockingWait(KSP, PetscBool);

/*E
   KSPFusedFold - whether a fused Krylov method folds its preconditioner into a copy of the matrix

   Level: intermediate

.seealso: `KSPFusedSetFold()`
E*/
typedef enum { KSP_FUSED_FOLD_AUTO, KSP_FUSED_FOLD_NO, KSP_FUSED_FOLD_YES } KSPFusedFold;
PETSC_EXTERN const char *const KSPFusedFolds[];

PETSC_EXTERN PetscErrorCode KSPFusedSetFold(KSP, KSPFusedFold);
