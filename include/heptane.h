/*
   Heptane: matrix formats and Krylov solvers for GPUs inside PETSc.

   The only header an application needs, and only if it is linked with libheptane: programs that load the library with -dll_append
   use the type names as strings in their options.
*/
#pragma once

#include <petscmat.h>

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

.seealso: `MATAIJ`, `MATSEQAIJBDIAGH`, `MATMPIAIJBDIAGH`, `MatBDIAGHGetLayout()`, `MatBDIAGHGetArrayAndMemType()`, `HeptaneInitialize()`
M*/
#define MATBDIAGH       "bdiagh"
#define MATAIJBDIAGH    "aijbdiagh"
#define MATSEQAIJBDIAGH "seqaijbdiagh"
#define MATMPIAIJBDIAGH "mpiaijbdiagh"

PETSC_EXTERN PetscErrorCode HeptaneInitialize(void);

PETSC_EXTERN PetscErrorCode MatBDIAGHGetLayout(Mat, PetscInt *, PetscInt *, const PetscInt *[], PetscInt *);
PETSC_EXTERN PetscErrorCode MatBDIAGHGetArrayAndMemType(Mat, PetscScalar *[], PetscMemType *);
PETSC_EXTERN PetscErrorCode MatBDIAGHRestoreArrayAndMemType(Mat, PetscScalar *[]);
