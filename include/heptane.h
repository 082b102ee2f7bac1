/*
   Heptane: matrix formats and Krylov solvers for GPUs inside PETSc.

   The only header an application needs, and only if it is linked with libheptane: programs that load the library with
   -dll_append use the type names as strings in their options.
*/
#pragma once

#include <petscksp.h>

#define HEPTANE_VERSION_MAJOR 0
#define HEPTANE_VERSION_MINOR 1
#define HEPTANE_VERSION_PATCH 0
#define HEPTANE_VERSION       PetscStringize(HEPTANE_VERSION_MAJOR) "." PetscStringize(HEPTANE_VERSION_MINOR) "." PetscStringize(HEPTANE_VERSION_PATCH)

/*MC
   MATBDIAGH - MATBDIAGH = "bdiagh" - A matrix stored by block diagonals, without column indices, for matrices from
   structured grids with a small dense block per cell.

   Identical to `MATSEQAIJBDIAGH` on one process and to `MATMPIAIJBDIAGH` otherwise. Derived from `MATAIJ`: every
   operation of `MATAIJ` works.

   Options Database Keys:
+ -mat_type bdiagh                 - selects the type in `MatSetFromOptions()` (`-dm_mat_type bdiagh` for matrices of a `DM`)
. -mat_bdiagh_block_size <0>       - block size; 0 for that of `MatSetBlockSize()`, or found in the pattern
. -mat_bdiagh_max_fill <3.0>       - largest number of stored values per nonzero on the block diagonals for which they are used
. -mat_bdiagh_max_remainder <0.25> - largest fraction of the nonzeros off the block diagonals
. -mat_bdiagh_min_occupancy <0.25> - a block diagonal filled to less than this fraction is stored in the remainder
- -mat_bdiagh_strict <false>       - error that names another type, instead of compressed rows, if the pattern does not fit

   Level: beginner

   Notes:
   With block size b and D block diagonals at the cell offsets o_0 < ... < o_{D-1}, the values are D b columns of `ld`
   values each,
.vb
   value[(r*b + s)*ld + row] = A(row, (row/b + o_r)*b + s),   0 <= r < D, 0 <= s < b
.ve
   Entries that A does not have are stored as zeros. Nonzeros off the block diagonals (wells, faults, non-neighbour
   connections) are stored in the remainder, in compressed rows, which the product adds. A product moves 8 (D b) + 16
   bytes per row in double precision, with `MATAIJ` 12 D b + 20.

   The type is fast if most nonzeros are on a few block diagonals: cells of a structured grid numbered line by line,
   with any number of unknowns per cell. It is not for unstructured meshes or renumbered cells. It still works for them,
   with all values in the remainder; `-info` and `-mat_view ::ascii_info` report this.

   Stored zeros are multiplied: an Inf or NaN in x reaches every row whose block diagonal has a stored value in its
   column, even if A has no entry there.

   With CUDA and a usable GPU the products run there, `MatCreateVecs()` creates `VECCUDA` vectors, and
   `MatSetValuesCOO()` accepts device values without a copy to the host. The host values are updated when a host
   operation needs them. Host vectors, and machines without a GPU, use the same source compiled for the host.

   A product is bitwise repeatable, on host and device. `MatMultTranspose()` of a parallel matrix on the device is not,
   because PETSc adds the contributions of other processes by atomic operations.

   If each process of a node has a GPU that reaches the memory of all other GPUs, the kernel of a product stores the
   halo directly into the memory of its neighbours and reads theirs: neither MPI nor the host is involved. If a process
   is late by more than 100 times `-heptane_comm_timeout` seconds, the other processes raise an error. Otherwise, and for
   products with the transpose or with `-heptane_comm mpi`, `PetscSF` exchanges the halo.

   Operations of `MATAIJ` on groups of identical rows (`MAT_USE_INODES`) are off for this type.

   References:
.  * - CUDA optimisation of a class of iterative linear algebra solvers, KFUPM 2017 (the BDIA-GH format).

.seealso: `MATAIJ`, `MATSELLP`, `PCGRIDMG`, `KSPFUSEDCG`, `MatBDIAGHGetLayout()`, `MatBDIAGHGetArrayAndMemType()`, `HeptaneInitialize()`
M*/
#define MATBDIAGH       "bdiagh"
#define MATAIJBDIAGH    "aijbdiagh"
#define MATSEQAIJBDIAGH "seqaijbdiagh"
#define MATMPIAIJBDIAGH "mpiaijbdiagh"

/*MC
   MATSELLP - MATSELLP = "sellp" - A matrix stored in slices of rows of similar length (sliced ELLPACK with padding,
   SELL-P), of dense blocks if the pattern has them, for any sparse matrix.

   Identical to `MATSEQAIJSELLP` on one process and to `MATMPIAIJSELLP` otherwise. Derived from `MATAIJ`: every
   operation of `MATAIJ` works.

   Options Database Keys:
+ -mat_type sellp            - selects the type in `MatSetFromOptions()` (`-dm_mat_type sellp` for matrices of a `DM`)
. -mat_sellp_block_size <0>  - block size; 0 for that of `MatSetBlockSize()`, or found in the pattern
. -mat_sellp_max_fill <0>    - largest number of stored values per nonzero for which blocks are used; 0: as long as they need fewer bytes than single entries
. -mat_sellp_slice_height <0> - block rows per slice, a multiple of 8 from 8 to 64; -1: all rows in one slice (ELLPACK); 0: chosen
. -mat_sellp_sort_window <0> - block rows sorted by length among each other, up to 65536; 1: not sorted; 0: chosen
. -mat_sellp_long_row <0>    - block rows with more blocks than this are stored in the remainder, in compressed rows; 0: chosen
- -mat_sellp_index <auto>    - bits of a block column: `auto` (as few as a slice needs, possibly none), `16` (if they fit), `32`

   Level: beginner

   Notes:
   C consecutive block rows form a slice, as wide as its longest row. With block size b, entry k of a slice is b columns
   of C b values each: consecutive threads read consecutive values, and one column index serves a block. This needs
   8 + 4/b^2 bytes per nonzero in double precision, and padding; `MATAIJ` needs 12. Partly filled blocks are padded with
   zeros.

   By default C = 32, or 64 if b = 1 and nearly all slices have no index. Rows keep their order if slices pad no more
   than 5 % (b < 4: 10 %, b = 1 without index: 20 %); otherwise they are sorted in the smallest window of 256 to 4096
   that leaves 7 % or less. If a block row is longer than 1024 blocks, or sorting leaves more than 7 %, block rows longer
   than 64 blocks and than six times the mean are stored in the remainder. The sort window is rounded to a multiple of C.
   Sorting is not visible to the caller.
   `-mat_view ::ascii_info` shows parameters, padding and bytes.

   If every row of a slice has its entries at the same distances from its own column, as on grids, no column index is
   stored: 8 bytes per nonzero. Otherwise a column index has 16 bits, relative to a base of the slice column, if they fit,
   else 32.

   Padding multiplies x by zero: an Inf or NaN in x reaches all rows of slices that have its distance, as it reaches
   stored zeros of a `MATAIJ`. With `-mat_sellp_index 32` it reaches only rows that have an entry in that column, and
   empty rows of the same index.

   If PETSc is configured with CUDA and a GPU is usable, `MatCreateVecs()` creates CUDA vectors and products run on the
   GPU, also on several processes (see `MATBDIAGH`). The product with the transpose stores 12 more bytes per block there.
   `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFUSEDBICG` and `KSPFUSEDCHEBYSHEV` fuse the product with the vector operations before
   and after it.

   A product is bitwise repeatable. Operations of `MATAIJ` on groups of identical rows (`MAT_USE_INODES`) are off for
   this type. PETSc's `MATSELL` is another type.

   References:
+  * - Anzt, Tomov, Dongarra: Implementing a sparse matrix vector product for the SELL-C/SELL-C-sigma formats
     on NVIDIA GPUs, University of Tennessee 2014 (SELL-P).
-  * - Kreutzer, Hager, Wellein, Fehske, Bishop: A unified sparse matrix data format for efficient general sparse
     matrix-vector multiplication, SIAM J. Sci. Comput. 36 (2014) (SELL-C-sigma).

.seealso: `MATAIJ`, `MATBDIAGH`, `KSPFUSEDCG`, `MatSELLPGetStorage()`, `HeptaneInitialize()`
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
   KSPFUSEDCG - KSPFUSEDCG = "fusedcg" - The preconditioned conjugate gradient method in three passes over the vectors
   per iteration, without a wait of the host in every iteration.

   The same method, norms, options, tests, reasons and histories (to rounding) as `KSPCG`.

   Options Database Keys:
+ -ksp_type fusedcg                  - selects the type
. -ksp_fused_mode <auto>             - execution of the iterations: `auto`, `twin`, `kernels`, `graph`, `persistent`, see below
. -ksp_fused_check_interval <0>      - iterations between two convergence checks of the host; 0: automatic
. -ksp_fused_wait <polling>          - wait of the host: `polling`, or `blocking` (it sleeps, and responds some microseconds later)
. -ksp_fused_place <auto>            - place of the solve: `vectors`, `auto`, `host`, `device`; default as `-heptane_device`
. -ksp_fused_fold <auto>             - solve with a copy of the matrix scaled by Jacobi or point-block Jacobi: `auto`, `no`, `yes`, see below
. -ksp_fused_fold_after <-1>         - iterations of each solve before `auto` makes the scaled copy; -1: by cost
. -ksp_fused_precision <double>      - precision of vectors and matrix copy: `double`, `mixed`, `auto`, see below
. -ksp_fused_precision_factor <0.01> - reduction of the norm, between 0 and 1, before mixed precision computes a residual in double precision
- -ksp_fused_persistent_blocks <0>   - thread blocks of the persistent kernel; 0: automatic; more than can be resident are refused

   Level: beginner

   Notes:
   `PCNONE`, `PCJACOBI` and `PCPBJACOBI` (blocks up to 32) are applied in the passes, every other preconditioner by
   `PCApply()` between them. Products with matrices of types `MATBDIAGH` and `MATSELLP` are fused with the vector
   operations before and after them; other products use `MatMult()`. After a solve, `-ksp_view` prints the cost of an
   iteration, and `-ksp_view ::ascii_info_detail` its passes.

   The gain is largest for small problems on GPUs: the built-in type has a dozen launches and
   three host waits per iteration. On the host the type saves passes over memory.

   If each process of a node has a GPU that reaches the memory of all other GPUs, kernels store sums and halo into each
   other's memory, and the host checks as often as on one GPU. Otherwise, with a GPU per process, NCCL adds sums and
   exchanges the halo on the stream if its library is found (`-heptane_comm nccl`, `-heptane_nccl_library`). Without it, or
   with `-heptane_comm mpi`, every reduction is one MPI call; products are then fused on the host, and `MatMult()` is used
   on the device. `-heptane_comm peer` selects stores into shared memory on the host as well.

   If several processes of a node share a GPU, one of them solves for all, as a process per GPU does, and the other
   processes sleep: `-heptane_groups`, docs/guide/processes.md.

   PETSc's own loop runs if eigenvalues or singular values are computed (`KSPSetComputeEigenvalues()`, the estimates of
   `KSPCHEBYSHEV`), with a trust region or an objective target.

   With `-ksp_cg_single_reduction` an iteration has one reduction if a persistent kernel has this variant: `MATBDIAGH` with
   seven diagonals and no other entries, block size 1, up to 2048 rows per multiprocessor (1024 on several GPUs), `PCNONE`
   or `PCJACOBI`, double precision, no monitor or test that reads the iterate. It recomputes p, z and (p, A p) when the
   recurrences cannot be trusted. Otherwise an iteration on a GPU has two reductions. PETSc's own loop runs on the host,
   and if MPI adds the sums of GPUs.

   Modes:
+ auto       - by size: persistent if it fits, else graph, else kernels
. twin       - PETSc's own loop, for reference
. kernels    - one launch per pass over the vectors
. graph      - a batch of iterations is recorded once as a CUDA graph and replayed
- persistent - one kernel that stays on the device for the whole solve, with vectors in registers and shared memory

   On several processes only `KSPFUSEDCG` and `KSPFUSEDBCGS` have persistent kernels, with one process per GPU and rows on
   every process; `auto` uses them on up to four GPUs. If a mode does not apply (sums by MPI, a preconditioner that is
   called between the kernels, a monitor that reads the iterate), mode `kernels` runs; `-ksp_view` and `-info` say why.

   Convergence is tested on the device in every iteration, and the iterate returned is that of the iteration that met the
   test; iterations queued after it change nothing. Monitors and tests that read the iterate are called in every
   iteration, whatever the interval.

   Folding:
+ auto - after as many iterations of a solve as pay for the copy: bytes to make it over bytes saved per iteration; never if memory is short
. no   - never
- yes  - before the first iteration, if it applies: for many solves with one operator, or for long solves

   The copy is made on one process, for matrices of type `MATBDIAGH` or `MATSELLP`. `KSPFUSEDBCGS` scales it from the side
   of the preconditioner: the diagonal (or diagonal blocks) of M^-1 A is the identity, and neither it nor the inverse is
   read. `KSPFUSEDCG` scales by the square root of Jacobi from both sides. It makes no copy for point blocks, for
   diagonals that are not positive, and with monitors that read the iterate; `KSPFUSEDBICG` and `KSPFUSEDCHEBYSHEV` never
   make one. Norms, counts and the solution are the same without the copy, to rounding. The copy needs the memory of the
   matrix's values without its main diagonal. It is kept from solve to solve and made again if the matrix or the
   preconditioner changed. `KSPReset()` and the first solve with `no` free it.

   Precisions:
+ double - double precision
. mixed  - single precision; the residual is recomputed in double precision from time to time, and the search directions are kept
- auto   - `mixed` for large problems on a device whose iterations are bound by bytes, if it moves fewer of them

   In mixed precision, vectors and the copy of the matrix, which is scaled by the preconditioner, have half the bytes.
   Scalar products, scalars and the solution are in double precision. Convergence is declared on the norm of a residual
   that was computed with the matrix itself in double precision. Mixed precision applies to matrices of types `MATBDIAGH`
   and `MATSELLP` with `PCNONE`, `PCJACOBI` or (not `KSPFUSEDCG`) `PCPBJACOBI` from the left, a norm, and no monitor or test
   that reads the iterate. On several processes with GPUs it requires access to each other's memory (`-heptane_comm`) and
   has no persistent kernel. In all other cases the solve runs in double precision. If single precision makes no progress
   (condition above some 1e7, numbers out of its range), the solve continues in double precision; `-ksp_view` and `-info`
   say from which iteration on and why. `KSPFUSEDBICG` has double precision only. A residual in double precision costs as
   much as some ten iterations.

   Two runs give bitwise the same result.

   References:
.  * - Energy consumption of iterative methods for sparse systems on graphics processors, M. Castillo 2016 (rules of fusion).

.seealso: `KSPCG`, `KSPFUSEDBCGS`, `KSPFUSEDBICG`, `KSPFUSEDCHEBYSHEV`, `PCGRIDMG`, `MATBDIAGH`
M*/
#define KSPFUSEDCG "fusedcg"

/*MC
   KSPFUSEDBCGS - KSPFUSEDBCGS = "fusedbcgs" - The stabilised biconjugate gradient method in three passes over the vectors
   per iteration, without a wait of the host in every iteration.

   The same method, norms, sides, options, tests, reasons and histories (to rounding) as `KSPBCGS`. Options as for
   `KSPFUSEDCG`.

   Level: beginner

   Notes:
   The half step s is computed when it is read and never stored. rho of the next iteration follows from the sums of this
   one, so that an iteration has two reduction points. With `MATBDIAGH` and `PCJACOBI` of the same matrix the
   preconditioner moves no bytes, because the product reads the diagonal anyway. Right preconditioning needs two more
   launches.

.seealso: `KSPBCGS`, `KSPFUSEDCG`, `MATBDIAGH`
M*/
#define KSPFUSEDBCGS "fusedbcgs"

/*MC
   KSPFUSEDBICG - KSPFUSEDBICG = "fusedbicg" - The biconjugate gradient method in four passes over the vectors per
   iteration.

   The same method, norms, options, tests, reasons and histories (to rounding) as `KSPBICG`. Options as for `KSPFUSEDCG`.

   Level: beginner

   Notes:
   For `MATBDIAGH` matrices without a remainder the product with the transpose is a separate pass; for all other matrices
   it is `MatMultTranspose()`.

   With `KSP_NORM_NONE`, `KSPBICG` omits the preconditioner after the first iteration; this type applies it.

.seealso: `KSPBICG`, `KSPFUSEDCG`, `KSPFUSEDBCGS`
M*/
#define KSPFUSEDBICG "fusedbicg"

/*MC
   KSPFUSEDCHEBYSHEV - KSPFUSEDCHEBYSHEV = "fusedchebyshev" - Chebyshev iteration in one or two passes over the vectors per
   iteration, above all as a smoother.

   The same method, estimates of eigenvalues, norms, options, tests, reasons and histories (to rounding) as
   `KSPCHEBYSHEV`. Options as for `KSPFUSEDCG`, without scaled copies and without a persistent kernel.

   Options Database Keys:
+  -mg_levels_ksp_type fusedchebyshev - the smoother of `PCMG` and `PCGAMG`
-  -heptane_override_ksp <false>      - the same wherever a program or a preconditioner uses `KSPCHEBYSHEV`

   Level: beginner

   Notes:
   With `KSP_NORM_NONE`, as in smoothers, an iteration is one launch for `MATBDIAGH` and `MATSELLP` matrices: the product
   subtracts from the right-hand side, applies `PCNONE`, `PCJACOBI` or `PCPBJACOBI`, and combines the result with the two
   previous iterates. No sum is computed and the host does not wait. Other matrices, and several processes with GPUs, use
   `MatMult()` and one pass. With a norm, an iteration is a product and one pass with one reduction, also in mixed precision
   (`-ksp_fused_precision`, see `KSPFUSEDCG`). With `KSP_NORM_NONE` mixed precision is a copy of the matrix in single
   precision, scaled by the preconditioner, with vectors in double precision.

   `PCGAMG` passes the eigenvalues that it has estimated for its prolongation only to smoothers of the type named
   "chebyshev". This type estimates its own, as `KSPCHEBYSHEV` does with `-pc_gamg_use_sa_esteig 0`; with
   `-heptane_override_ksp` it is the type of that name and uses the eigenvalues of `PCGAMG`.

   PETSc's own loop runs with polynomials of the fourth kind (`KSPChebyshevSetKind()`), and, in solves with a norm, with
   monitors and convergence tests that read more than the norm.

.seealso: `KSPCHEBYSHEV`, `KSPFUSEDCG`, `KSPChebyshevEstEigSet()`, `KSPChebyshevSetEigenvalues()`, `PCMG`, `PCGAMG`
M*/
#define KSPFUSEDCHEBYSHEV "fusedchebyshev"

/*MC
   PCBLOCKJACOBIREG - PCBLOCKJACOBIREG = "blockjacobireg" - Block Jacobi with dense diagonal blocks of up to 112 rows,
   inverted on the side of the matrix: on the device in registers.

   Options Database Keys:
+ -pc_type blockjacobireg                - selects the type
. -pc_blockjacobireg_block_size <0>      - rows of a block; 0: block size of the matrix
. -pc_blockjacobireg_method <inverse>    - stored form of a block: `inverse`, `lu` (LU factors), `qr` (Householder QR factors)
- -pc_blockjacobireg_pivoting <true>     - exchange rows in LU factorisations

   Level: beginner

   Notes:
   The rows of every process are divided into blocks of equal size, which must divide the number of rows. Blocks are dense
   whatever the pattern: entries that the matrix does not store are zero. Inverses, by Gauss-Jordan elimination with partial
   pivoting, are applied as a batched product; factors by solves, in which each row of a block depends on other rows.
   Storage is size scalars per row.

   The type is for strongly coupled cells that are numbered consecutively, such as the cells of a column of a reservoir. For
   blocks of the matrix's block size use `PCPBJACOBI`, which is inverted in the same way for matrices of types `MATBDIAGH`
   and `MATSELLP`.

   `MATBDIAGH` and `MATSELLP` provide their blocks on the device. From other types they are extracted row by row on the
   host, which is slower than inverting them.

   If a block has a zero pivot, the solve ends with `KSP_DIVERGED_PC_FAILED`, or with an error after
   `PCSetErrorIfFailure()`. `-info` prints the number of such blocks and the first of them, also for blocks that are singular
   to working precision.

   References:
.  * - A predictive model for solving small linear algebra problems in GPU registers, Anderson, Sheffield, Keutzer, IPDPS 2012.

.seealso: `PCPBJACOBI`, `PCBJACOBI`, `MATBDIAGH`, `MATSELLP`, `HeptaneInitialize()`
M*/
#define PCBLOCKJACOBIREG "blockjacobireg"

/*MC
   PCGRIDMG - PCGRIDMG = "gridmg" - Geometric multigrid for matrices of structured grids in the format `MATBDIAGH`: exact
   solves of lines, coarse operators by sums.

   Options Database Keys:
+ -pc_type gridmg               - selects the type
. -pc_gridmg_cycle <v>          - the cycle: `v`, `w`, `f`
. -pc_gridmg_precision <auto>   - precision of the cycle: `auto` (as the solver requires, see below), `single`, `double`
. -pc_gridmg_grid <nx,ny,nz>    - cells along each axis, the axis of the numbering first; by default from a `DMDA` or the offsets
. -pc_gridmg_line_axis <auto>   - axis of the lines that are solved exactly: `auto` (largest mean coupling), `x`, `y`, `z`
. -pc_gridmg_threshold <2.5>    - an axis is coarsened if its mean coupling times this reaches the strongest coupling across lines
. -pc_gridmg_levels <0>         - largest number of levels; 0: until one line is left
. -pc_gridmg_smooths <1>        - sweeps on each level before and after the coarse correction, at most 1000
. -pc_gridmg_half <true>        - couplings across lines in 16 bits on some levels if the cycle is in single precision
. -pc_gridmg_dense <true>       - lines with remainder entries (wells) that couple cells of one line are solved exactly, by an inverse
. -pc_gridmg_divide <-1>        - finest levels that are divided among the processes; 0: none; -1: by an estimate
- -pc_gridmg_reduced <true>     - `KSPFUSEDCG` may leave out the columns that a cycle ends with, see below

   Level: beginner

   Notes:
   For the seven-point stencil in 3-D, the five-point stencil in 2-D and tridiagonal matrices, of up to 8 unknowns per cell
   that are numbered together. The grid follows from the `DMDA` of the matrix or of the solver, otherwise from the offsets
   of the block diagonals (1, nx, nx ny). `-pc_gridmg_grid` specifies extents that neither shows, such as that of an axis
   without couplings. Couplings of periodic directions must be stored in the remainder; by default they are from five cells
   along the axis on, for fewer use `-mat_bdiagh_min_occupancy 0.4 -mat_bdiagh_max_remainder 0.5`. Other matrices are
   refused.

   The smoother is a zebra sweep: the lines along one axis are coloured like a chessboard, and the lines of one colour are
   solved exactly, red and black before the coarse correction, black and red after it. Pairs of lines across this axis form
   the lines of the next level; the line axis is never coarsened. An axis with weak couplings is not coarsened on a level.
   Coarse couplings are sums of fine ones; couplings between aggregates are halved, since distances double. With several
   unknowns per cell this applies only to the first column of each block, which should be the column of the pressure.
   Coarse operators are M-matrices if the operator of the finest level is one.

   V and W cycles are symmetric for symmetric matrices, so that the preconditioner can be used with `KSPCG` and
   `KSPFUSEDCG`. Iterations hardly depend on the number of cells.

   A cycle ends with exact solves of the lines of one colour, so that residuals that are zero there stay zero. `KSPFUSEDCG`
   uses this if possible: it solves these lines once in the precision of PETSc and iterates on the other ones. Answers,
   norms and convergence tests refer to the whole system; the number of iterations may differ by about one. Conditions:
   one unknown per cell, no entries off the block diagonals, one sweep, at least two levels, and no monitor or test that
   reads the iterate; otherwise `-info` says why. It needs 10 numbers of the precision of PETSc per cell.

   Rows of fixed values have only a diagonal entry while other rows are coupled to them, as DMDA programs write boundary
   values. The matrix is not symmetric with them. Before a solve `PCGRIDMG` writes these values into the solution, so that
   the residual is zero there in all iterations, and `KSPCG` and other solvers for symmetric matrices may be used if the
   rest of the matrix is symmetric. Guess, tolerances and settings of the program do not change. Transposed solves, a
   `MATSHELL`, and a `PCGRIDMG` inside another preconditioner do without this.

   If entries off the block diagonals couple only cells of one line (wells along it), the line is solved exactly with them,
   by its inverse, which needs (rows of the line)^2 numbers of the cycle's precision per line and level. Lines of more than
   512 rows, many such lines, and all other entries off the block diagonals enter the residuals on all levels instead. Cells
   without couplings (inactive) are solved exactly. Singular systems of a pure Neumann problem work if the matrix has its
   null space attached (`MatSetNullSpace()`). Rows of zeros and values that are not finite end the solve with
   `KSP_DIVERGED_PC_FAILED`.

   With `-pc_gridmg_precision auto` a cycle is in single precision for solvers that do not require a linear preconditioner
   (`KSPCG`, `KSPFUSEDCG`, `KSPFCG`, `KSPFGMRES`, `KSPGCR`, `KSPFBCGS`, `KSPFUSEDBCGS` from the right, `KSPRICHARDSON`
   and more). It is also in single precision for `KSPGMRES` and, from the left, `KSPBCGS` and `KSPFUSEDBCGS` at
   relative tolerances of 1e-3 and above. It is in double precision for all other solvers: smaller tolerances, an
   application without a solver, `KSPPREONLY` and fixed numbers of iterations. Rounding in single precision is not linear, and
   these methods would report convergence while the true residual stagnates at 1e-7 of the right-hand side, or more. The
   first set-up is in single precision. If a solve needs double precision, the set-up is repeated at its beginning, and the
   result stays for solvers of this type until `PCReset()`. `-ksp_view` shows the choice and its reason.

   Set-up and application run on the side of the products with the matrix. Line axis and levels are chosen when the pattern
   is new; new values are filled into the same memory. `-ksp_view` shows the cycle, `-ksp_view ::ascii_info_detail` every
   level.

   With several processes the finest levels are divided among them, in slabs of whole lines, if an estimate predicts a gain
   (`-pc_gridmg_divide`). The other levels are on every process. Values and vectors are stored directly into the memory of
   the other processes of a node, at most eight with a GPU each, or sent by NCCL (`-heptane_comm`). Otherwise the grid is on
   the first process, and messages carry rows and vectors: with `-heptane_comm mpi`, or if entries off the block diagonals
   couple several lines. `-ksp_view` shows which and why. The cycle and the number of iterations do not depend on the number
   of processes in both cases. A `DMDA` may be divided into boxes. `-pc_type bjacobi
   -sub_pc_type gridmg` has one grid per process and gathers nothing, but needs many times more iterations if the processes
   divide strongly coupled lines.

   `PCApplyTranspose()` needs a matrix that is known to be symmetric (`MAT_SYMMETRIC`).

   References:
.  * - Multigrid, Trottenberg, Oosterlee, Schueller, Academic Press 2001 (zebra line relaxation, semicoarsening).

.seealso: `PCMG`, `PCGAMG`, `MATBDIAGH`, `KSPFUSEDCG`, `KSPFUSEDBCGS`, `HeptaneInitialize()`
M*/
#define PCGRIDMG "gridmg"
