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
   MATBDIAGH - MATBDIAGH = "bdiagh" - A matrix stored by block diagonals, without column indices, for matrices from structured grids with a small dense block per cell.

   Identical to `MATSEQAIJBDIAGH` on one process and to `MATMPIAIJBDIAGH` otherwise. Derived from `MATAIJ`: every operation of `MATAIJ` works.

   Options Database Keys:
+ -mat_type bdiagh                      - selects the type in `MatSetFromOptions()` (`-dm_mat_type bdiagh` for matrices of a `DM`)
. -mat_bdiagh_block_size <b>            - block size; 0 (default) takes that of `MatSetBlockSize()`, or finds it in the pattern
. -mat_bdiagh_max_fill <3.0>            - largest number of stored values per nonzero on the block diagonals for which the diagonals are used
. -mat_bdiagh_max_remainder <0.25>      - largest fraction of the nonzeros that may lie off the block diagonals
. -mat_bdiagh_min_occupancy <0.25>      - a block diagonal filled to less than this fraction is stored in the remainder
- -mat_bdiagh_strict <false>            - error, naming another type, if the structure does not fit, instead of storing everything in the remainder

   Level: beginner

   Notes:
   With block size b and D block diagonals at the cell offsets o_0 < ... < o_{D-1}, the values are D b columns of `ld` values each,
.vb
   value[(r*b + s)*ld + row] = A(row, (row/b + o_r)*b + s),   0 <= r < D, 0 <= s < b
.ve
   where entries that A does not have are stored as zeros. Nonzeros off the block diagonals (wells, faults, non-neighbour connections) are stored in the
   remainder, in compressed rows, which the product adds. A product moves 8 (D b) + 16 bytes per row in double precision, with `MATAIJ` 12 D b + 20.

   It helps if most nonzeros lie on a few block diagonals: cells of a structured grid numbered line by line, with any number of unknowns per cell. It does not
   help for unstructured meshes or renumbered cells. The type then still works, with everything in the remainder; `-info` and `-mat_view ::ascii_info` report
   this.

   Stored zeros are multiplied: an Inf or NaN in x reaches every row whose block diagonal has a stored value in its column, also where A has no entry.

   With CUDA and a usable GPU the products run there, `MatCreateVecs()` creates `VECCUDA` vectors, and `MatSetValuesCOO()` takes device values without a copy to
   the host. The host values are brought up to date when a host operation needs them. Host vectors, and machines without a GPU, use the same source compiled for
   the host.

   A product is bitwise repeatable, on host and device. `MatMultTranspose()` of a parallel matrix on the device is not, because PETSc adds what other
   processes send by atomic operations.

   On several processes of a node, with a GPU each that reaches all others, the kernel of a product stores what others need of x into their memory and waits for what it needs of theirs: no
   product has a message of MPI, and the host waits for none. A process that does not come within 100 times `-heptane_comm_timeout` seconds ends with an error on the others. Elsewhere, with
   `-heptane_comm mpi` and for products with the transpose `PetscSF` exchanges x.

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
. -mat_sellp_max_fill <f>           - largest number of stored values per nonzero inside the blocks for which blocks are used; 0 (default): as long as they take fewer bytes than single entries
. -mat_sellp_slice_height <C>       - block rows per slice, a multiple of 8 from 8 to 64; -1: all rows in one slice, which is ELLPACK; 0 (default): chosen
. -mat_sellp_sort_window <sigma>    - block rows that are sorted by length among each other, up to 65536, rounded to a multiple of C; 1: not sorted; 0 (default): chosen
. -mat_sellp_long_row <n>           - block rows with more than n blocks are stored separately, in compressed rows; 0 (default): chosen
- -mat_sellp_index (auto|16|32)      - bits of a block column: as few as a slice needs, possibly none (default); 16 if they fit; 32

   Level: beginner

   Notes:
   C consecutive block rows make a slice, as wide as its longest row. With block size b, entry k of a slice is b columns of C b values each: consecutive threads
   read consecutive values, and one column index serves a block: 8 + 4/b^2 bytes per nonzero in double precision, and padding; `MATAIJ` has 12. Blocks that are
   partly filled are padded with zeros.

   By default C = 32, or 64 if b = 1 and nearly all slices have no index. Rows keep their order if slices pad no more than 5 % (b < 4: 10 %, b = 1
   without index: 20 %); otherwise they are sorted in the smallest window of 256 to 4096 that leaves 7 % or less. If a block row is longer than 1024 blocks, or
   sorting leaves more than 7 %, block rows longer than 64 blocks and than six times the mean are stored separately. Sorting is not visible to the caller.
   `-mat_view ::ascii_info` shows parameters, padding and bytes.

   If every row of a slice has its entries at the same distances from its own column, as on grids, no column index is stored: 8 bytes per nonzero. Otherwise a
   column index has 16 bits, relative to a base of the slice column, if they fit, else 32.

   Padding multiplies x by zero: an Inf or NaN in x reaches all rows of slices that have its distance, as it reaches stored zeros of a `MATAIJ`. With
   `-mat_sellp_index 32` it reaches only rows that have an entry in that column, and an empty row of that index.

   With PETSc configured with CUDA and a GPU present, `MatCreateVecs()` creates CUDA vectors and products run on the GPU, on several processes as those of `MATBDIAGH`. The product with the transpose stores
   12 bytes per block more there. `KSPFUSEDCG`, `KSPFUSEDBCGS`, `KSPFUSEDBICG` and
   `KSPFUSEDCHEBYSHEV` fuse the product with the vector operations before and after it.

   A product is bitwise repeatable. AIJ's operations on groups of identical rows (`MAT_USE_INODES`) are off for this type. PETSc's `MATSELL` is another type.

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
   KSPFUSEDCG - KSPFUSEDCG = "fusedcg" - The preconditioned conjugate gradient method in three passes over the vectors per iteration, without waiting for the host.

   The same method, norms, options, tests, reasons and histories (to rounding) as `KSPCG`.

   Options Database Keys:
+ -ksp_type fusedcg                                         - selects the type
. -ksp_fused_mode (auto|twin|kernels|graph|persistent)      - how iterations run, see below
. -ksp_fused_check_interval interval                        - iterations that the device runs between two looks of the host, 0 (default): automatic
. -ksp_fused_wait (polling|blocking)                        - how the host waits; blocking: it sleeps, and responds some microseconds later
. -ksp_fused_place (vectors|auto|host|device)               - where solves run, default as `-heptane_device`: where the vectors are, on a GPU from 1000 rows on, on the host, on a GPU; see docs/placement.md
. -ksp_fused_fold (auto|no|yes)                             - whether Jacobi or point-block Jacobi are multiplied into a copy of the matrix, see below
. -ksp_fused_fold_after its                                 - iterations of each solve before `auto` makes the copy, -1 (default): by cost
. -ksp_fused_precision (double|mixed|refine|auto)           - of the vectors of the recurrences and the copy of the matrix, see below
. -ksp_fused_precision_factor factor                        - larger than 0 and smaller than 1: by how much the norm falls before mixed precision computes a residual in double precision
- -ksp_fused_persistent_blocks blocks                       - thread blocks of the persistent kernel, 0 for automatic; more than can be resident are refused

   Level: beginner

   Notes:
   `PCNONE`, `PCJACOBI` and `PCPBJACOBI` (blocks up to 32) are applied in the passes, every other preconditioner by `PCApply()` between them. Products with
   matrices of types `MATBDIAGH` and `MATSELLP` are fused with the vector operations before and after them; other products use `MatMult()`. After a solve,
   `-ksp_view` prints the passes, what they move and how often the host waited.

   It helps on GPUs, most for small problems: the built-in type launches a dozen kernels per iteration and waits three times. On the host it saves passes over
   memory.

   On several processes of a node, with a GPU each that reaches all others, kernels write sums and halo into each other's memory; the host looks as often as on one
   GPU. Elsewhere, with a GPU each, NCCL sums and exchanges the halo in the order of the stream, if its library is found
   (`-heptane_comm nccl`, `-heptane_nccl_library`). Without it, or with `-heptane_comm mpi`, every reduction is one MPI call,
   and products are fused on the host and `MatMult()` on the device.
   `-heptane_comm peer` does the former on the host too.

   PETSc's own loop runs if eigenvalues or singular values are computed (`KSPSetComputeEigenvalues()`, the estimates of `KSPCHEBYSHEV`), with a trust region or
   an objective target.

   With `-ksp_cg_single_reduction` an iteration has one sum where a persistent kernel has this variant: `MATBDIAGH` with seven diagonals and no other entries, block size 1, up to 2048 rows per
   multiprocessor (1024 on several GPUs), `PCNONE` or `PCJACOBI`, double precision, no monitor or test that reads the iterate. It forms p, z and (p, A p) anew where the recurrences cannot be trusted. Elsewhere on a
   GPU it has two, and on the host, or where MPI adds the sums of GPUs, PETSc's own loop runs.

   Modes:
+ auto       - by size: persistent if it fits, else graph, else kernels
. twin       - PETSc's own loop, for reference
. kernels    - one launch per pass over the vectors
. graph      - a batch of iterations is recorded once as a CUDA graph and replayed
- persistent - one kernel that stays on the device for the whole solve, with vectors in registers and shared memory

   Over several processes the persistent kernels are those of `KSPFUSEDCG` and `KSPFUSEDBCGS`, one process per GPU, with rows on every process; `auto` takes them on up to four GPUs. A mode that cannot apply
   (sums by MPI, a preconditioner that is called between the kernels, a monitor that reads the iterate) falls back to kernels; `-ksp_view` and `-info` say why.

   Convergence is tested on the device in every iteration, and the iterate returned is that of the iteration that met the test; iterations queued behind it change nothing. Monitors and tests that read the
   iterate are called in every iteration, whatever the interval.

   Folding:
+ auto - after as many iterations of a solve as pay for the copy: the bytes that making it moves over those that an iteration saves; never if memory is short
. no   - never
- yes  - before the first iteration, if it applies: for many solves with one operator, or for long solves

   The copy is made on one process, for matrices of type `MATBDIAGH` or `MATSELLP`. `KSPFUSEDBCGS` scales it from the side of the preconditioner. The diagonal of M^-1 A, or its diagonal blocks, are then the
   identity, and neither they nor the inverses are read. `KSPFUSEDCG` scales by the square root of Jacobi from both sides. It makes no copy for point blocks, for diagonals that are not positive, and with
   monitors that read the iterate; `KSPFUSEDBICG` and `KSPFUSEDCHEBYSHEV` never make one. Norms, counts and the solution are those without the copy, to rounding. The copy takes the memory of the matrix's
   values without its main diagonal, and is kept from solve to solve. If the matrix or the preconditioner changed it is made again. `KSPReset()` and the first solve with `no` free it.

   Precisions:
+ double - double precision (default)
. mixed  - single precision, the residual computed anew in double precision from time to time, with the directions kept
. refine - the same, with a new Krylov space after each such residual (iterative refinement): more iterations, for comparison
- auto   - mixed for large problems on a device, on which iterations are bound by the bytes that they move, where it moves less of them (docs/fused.md)

   Vectors and the copy of the matrix, which is scaled by the preconditioner, take half the bytes. Scalar products, scalars and the solution are in double precision. Convergence is declared on the norm of a
   residual that was computed with the matrix itself in double precision. Mixed precision applies to matrices of types `MATBDIAGH` and `MATSELLP` with `PCNONE`, `PCJACOBI` or (not `KSPFUSEDCG`) `PCPBJACOBI`
   from the left, a norm, and no monitor or test that reads the iterate; on several processes with GPUs where these write into each other's memory (`-heptane_comm`), without a persistent kernel. Elsewhere,
   and where single precision brings no progress (matrices whose condition is above some 1e7, numbers out of its range), the solve is or goes on in double precision; `-ksp_view` and `-info` say from which
   iteration on and why. `KSPFUSEDBICG` has double precision alone. A residual in double precision takes as long as some ten iterations.

   Two runs give bitwise the same result.

   References:
.  * - Energy consumption of iterative methods for sparse systems on graphics processors, M. Castillo 2016 (rules of fusion).

.seealso: `KSPCG`, `KSPFUSEDBCGS`, `KSPFUSEDBICG`, `MATBDIAGH`
M*/
#define KSPFUSEDCG "fusedcg"

/*MC
   KSPFUSEDBCGS - KSPFUSEDBCGS = "fusedbcgs" - The stabilised biconjugate gradient method in three passes over the vectors per iteration, without waiting for the host.

   The same method, norms, sides, options, tests, reasons and histories (to rounding) as `KSPBCGS`. Options as for `KSPFUSEDCG`.

   Level: beginner

   Notes:
   The half step s is formed where it is read and never stored. rho of the next iteration follows from the sums of this one, so that an iteration has two
   reduction points. With `MATBDIAGH` and `PCJACOBI` of the same matrix the preconditioner moves no bytes, because the product reads the diagonal anyway. Right
   preconditioning takes two more launches.

.seealso: `KSPBCGS`, `KSPFUSEDCG`, `MATBDIAGH`
M*/
#define KSPFUSEDBCGS "fusedbcgs"

/*MC
   KSPFUSEDBICG - KSPFUSEDBICG = "fusedbicg" - The biconjugate gradient method in four passes over the vectors per iteration.

   The same method, norms, options, tests, reasons and histories (to rounding) as `KSPBICG`. Options as for `KSPFUSEDCG`.

   Level: beginner

   Notes:
   For `MATBDIAGH` matrices without a remainder the product with the transpose is a separate pass; for all others it is `MatMultTranspose()`.

   With `KSP_NORM_NONE`, `KSPBICG` omits the preconditioner after the first iteration; this type applies it.

.seealso: `KSPBICG`, `KSPFUSEDCG`, `KSPFUSEDBCGS`
M*/
#define KSPFUSEDBICG "fusedbicg"

/*MC
   KSPFUSEDCHEBYSHEV - KSPFUSEDCHEBYSHEV = "fusedchebyshev" - Chebyshev iteration in one or two passes over the vectors per iteration, above all as a smoother.

   The same method, estimates of eigenvalues, norms, options, tests, reasons and histories (to rounding) as `KSPCHEBYSHEV`. Options as for `KSPFUSEDCG`, without
   scaled copies and without a persistent kernel.

   Options Database Keys:
+  -mg_levels_ksp_type fusedchebyshev - the smoother of `PCMG` and `PCGAMG`
-  -heptane_override_ksp              - the same wherever a program or a preconditioner uses `KSPCHEBYSHEV`

   Level: beginner

   Notes:
   With `KSP_NORM_NONE`, as in smoothers, an iteration is one launch for `MATBDIAGH` and `MATSELLP` matrices: the product subtracts from the right-hand side,
   applies `PCNONE`, `PCJACOBI` or `PCPBJACOBI`, and combines the result with the two iterates before it. No sum is formed and the host waits for nothing. For
   other matrices, and on several processes with GPUs, `MatMult()` and one pass. With a norm, an iteration is a product and one pass with one reduction, also in mixed
   precision (`-ksp_fused_precision`, see `KSPFUSEDCG`). With `KSP_NORM_NONE` mixed precision is a copy of the matrix in single precision, scaled by the preconditioner, with vectors in double precision.

   `PCGAMG` gives the eigenvalues that it has estimated for its prolongation to smoothers of the type named "chebyshev" alone. This type estimates its own, as
   `KSPCHEBYSHEV` does with `-pc_gamg_use_sa_esteig 0`; with `-heptane_override_ksp` it is the type of that name and takes those of `PCGAMG`.

   PETSc's own loop runs with polynomials of the fourth kind (`KSPChebyshevSetKind()`), and, in solves with a norm, with monitors and convergence tests that look
   at more than the norm.

.seealso: `KSPCHEBYSHEV`, `KSPFUSEDCG`, `KSPChebyshevEstEigSet()`, `KSPChebyshevSetEigenvalues()`, `PCMG`, `PCGAMG`
M*/
#define KSPFUSEDCHEBYSHEV "fusedchebyshev"

/*MC
   PCBLOCKJACOBIREG - PCBLOCKJACOBIREG = "blockjacobireg" - Block Jacobi with dense diagonal blocks of up to 112 rows, inverted where the matrix lies: on the device in registers.

   Options Database Keys:
+ -pc_type blockjacobireg                          - selects the type
. -pc_blockjacobireg_block_size size               - rows of a block, 0 (the default) for the matrix's block size
. -pc_blockjacobireg_method (inverse|lu|qr)        - what is stored of a block: its inverse (the default), its LU or its Householder QR factors
. -pc_blockjacobireg_pivoting (true|false)         - exchange rows in LU factorisations, by default true
- -pc_blockjacobireg_precision (double|single)     - what that is stored in, by default double

   Level: beginner

   Notes:
   The rows of every process are divided into blocks of equal size, which must divide their number. Blocks are dense whatever the pattern: entries that the
   matrix does not store are zero. Inverses, by Gauss-Jordan elimination with partial pivoting, are applied as a batched product; factors by solves, in which
   each row of a block depends on others. Storage is size scalars per row.

   It helps if a few strongly coupled cells are numbered consecutively, such as the cells of a column of a reservoir. For blocks of the matrix's block size use
   `PCPBJACOBI`, which is inverted in the same way for matrices of types `MATBDIAGH` and `MATSELLP`.

   With `-pc_blockjacobireg_precision single`, and with `-pc_pbjacobi_precision single` for `PCPBJACOBI` with matrices of types `MATBDIAGH` and `MATSELLP`, blocks are
   inverted or factorised in double precision, then rounded: each application reads half the bytes, computes in double precision, and is as accurate as the rounded numbers.
   The solver's precision and its residuals stay what they are. Where the largest number of a row is below 1e-30 or above 1e30, all stays in double precision; `-ksp_view`
   and `-info` say so. A PETSc that is built in single precision refuses the option.

   `MATBDIAGH` and `MATSELLP` provide their blocks on the device. From other types they are extracted row by row on the host, which takes longer than inverting
   them.

   If a block has a zero pivot, the solve ends with `KSP_DIVERGED_PC_FAILED`, or with an error after `PCSetErrorIfFailure()`. `-info` prints the number of such
   blocks and the first of them, also for blocks that are singular to working precision.

   References:
.  * - A predictive model for solving small linear algebra problems in GPU registers, Anderson, Sheffield, Keutzer, IPDPS 2012.

.seealso: `PCPBJACOBI`, `PCBJACOBI`, `MATBDIAGH`, `MATSELLP`, `HeptaneInitialize()`
M*/
#define PCBLOCKJACOBIREG "blockjacobireg"

/*MC
   PCGRIDMG - PCGRIDMG = "gridmg" - Geometric multigrid for matrices of structured grids in the format `MATBDIAGH`: exact solves of lines, coarse operators by sums.

   Options Database Keys:
+ -pc_type gridmg                            - selects the type
. -pc_gridmg_cycle (v|w|f)                   - the cycle, by default v
. -pc_gridmg_precision (auto|single|double)  - precision of the cycle, by default auto: as the solver needs it, see below
. -pc_gridmg_grid nx,ny,nz                   - cells along the axes, that of the numbering first; by default from a `DMDA` or the offsets
. -pc_gridmg_line_axis (auto|x|y|z)          - the axis whose lines are solved, by default the one with the largest mean coupling
. -pc_gridmg_threshold factor                - an axis is coarsened if its mean coupling times this reaches that of the strongest one across lines, by default 2.5
. -pc_gridmg_levels levels                   - most levels; 0 (the default): until one line is left
. -pc_gridmg_smooths sweeps                  - sweeps on each level before and after the coarse correction, at most 1000, by default 1
. -pc_gridmg_half (true|false)               - couplings across lines take 16 bits on some levels, where the cycle is in single precision, by default true
. -pc_gridmg_dense (true|false)              - lines with entries beside the block diagonals are solved with them, by an inverse, where they couple cells of one line, by default true
. -pc_gridmg_divide levels                   - levels, from the finest on, that are divided among several processes; 0: none; by default -1: by an estimate
. -pc_gridmg_reduced (true|false)            - `KSPFUSEDCG` may leave out the columns that a cycle ends with, see below, by default true
- -pc_gridmg_log (true|false)                - events `GridMGLevel0`, ... of the levels in `-log_view`; a cycle then waits after each step, by default false

   Level: beginner

   Notes:
   For the seven-point stencil in 3-D, the five-point stencil in 2-D and tridiagonal matrices, of up to 8 unknowns per cell that are numbered together. The grid follows
   from the `DMDA` of the matrix or of the solver, otherwise from the offsets of the block diagonals (1, nx, nx ny). Extents that neither shows, as that of an axis without
   couplings, are given by `-pc_gridmg_grid`. Couplings of periodic directions must be stored beside the block diagonals, which they are by default from five cells along the axis on; for fewer
   use `-mat_bdiagh_min_occupancy 0.4 -mat_bdiagh_max_remainder 0.5`.
   Other matrices are refused.

   The smoother is a zebra sweep: the lines along one axis are coloured like a chessboard, and those of one colour are solved exactly, red and black before
   the coarse correction, black and red after it. Pairs of lines across this axis make the lines of the next level; the line axis is never coarsened. An axis with weak
   couplings is left out of a level. Coarse couplings are sums of fine ones; those between aggregates are halved, since distances double. With several unknowns per cell this
   is done for the first column of each block only, which should be that of the pressure. Coarse operators are M-matrices if that of the finest level is one.

   V and W cycles are symmetric for symmetric matrices, so that the preconditioner can be used with `KSPCG` and `KSPFUSEDCG`. Iterations hardly depend on the number of cells.

   A cycle ends with the lines of one colour solved exactly, so that residuals that are zero there stay zero. `KSPFUSEDCG` makes use of it where it can: it solves these lines once in
   the precision of PETSc and iterates on the other ones. Answers, norms and convergence tests are those of the whole system; the number of iterations may differ by about one. It does so for one
   unknown per cell without entries beside the block diagonals, with one sweep and two levels at least, and if nobody looks at the iterate; `-info` says why where it does not. It takes 10 numbers
   of the precision of PETSc per cell.

   Rows of fixed values have their diagonal alone while others are coupled to them, as DMDA programs write boundary values. The matrix is not symmetric with them. Before a solve `PCGRIDMG` puts these values into
   the solution, so that the residual is zero there in all iterations, and `KSPCG` and others may be used if the rest of the matrix is symmetric. Guess, tolerances and settings stay those of the program. It does
   nothing of that in transposed solves, for a `MATSHELL`, and as a part of another preconditioner.

   Where entries beside the block diagonals couple cells of one line alone (wells along it), the line is solved exactly with them, by its inverse, which takes (rows of the line)^2 numbers of the cycle's
   precision per line and level; lines of more than 512 rows, or with many such lines, and all other entries beside the block diagonals are part of the residuals on all levels. Cells without couplings (inactive) are solved exactly. Singular systems of a pure Neumann
   problem work if the matrix has its null space attached (`MatSetNullSpace()`). Rows of zeros and values that are not finite end the solve with `KSP_DIVERGED_PC_FAILED`.

   With `-pc_gridmg_precision auto` a cycle is in single precision for solvers that do not take the preconditioner for linear (`KSPCG`, `KSPFUSEDCG`, `KSPFCG`, `KSPFGMRES`, `KSPGCR`, `KSPFBCGS`, `KSPFUSEDBCGS` from the right, `KSPRICHARDSON` and others), for
   `KSPGMRES` and, from the left, `KSPBCGS` and `KSPFUSEDBCGS` at relative tolerances of 1e-3 and above, and in double precision for all else: smaller tolerances, an application without a solver, `KSPPREONLY` and fixed numbers of
   iterations. Rounding in single precision is not linear, and these methods would say that they have converged while the true residual stands at 1e-7 of the right-hand side, or more. The first set-up is in single precision; where a solve needs
   double, it is made again as the solve begins, and stays for solvers of this type until `PCReset()`. `-ksp_view` says what was chosen, and why.

   Set-up and application run where products with the matrix run. Line axis and levels are chosen when the pattern is new; new values are filled into the same memory.
   `-ksp_view` shows the levels.

   With several processes the finest levels are divided among them, in slabs of whole lines, where processes of one node, at most eight with a GPU each, reach each other's memory and an
   estimate expects a gain (`-pc_gridmg_divide`); the other levels are on all of them, and values and vectors go directly from one to the other. Otherwise the grid is on the
   first process, and messages carry rows and vectors there and back: with `-heptane_comm mpi`, on several nodes, where entries beside the block diagonals couple several lines, or with `-pc_gridmg_log`.
   `-ksp_view` says which it is, and why. Either way the cycle is that of one process, and so are iterations. A `DMDA` may be divided into boxes. `-pc_type bjacobi -sub_pc_type gridmg` has a grid for
   each process and gathers nothing, but takes many times more iterations where the processes divide strongly coupled lines.

   `PCApplyTranspose()` needs a matrix that is known to be symmetric (`MAT_SYMMETRIC`).

   References:
.  * - Multigrid, Trottenberg, Oosterlee, Schueller, Academic Press 2001 (zebra line relaxation, semicoarsening).

.seealso: `PCMG`, `PCGAMG`, `MATBDIAGH`, `KSPFUSEDCG`, `KSPFUSEDBCGS`, `HeptaneInitialize()`
M*/
#define PCGRIDMG "gridmg"
