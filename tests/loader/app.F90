! An unmodified PETSc application in Fortran: a one-dimensional Laplacian, 2 unknowns a cell, assembled and solved, with a monitor of its own.
! It uses petsc modules alone; types of matrix and solver come from the options.
#include <petsc/finclude/petscksp.h>
module app_monitor
  use petscksp
  implicit none
  PetscInt :: monitored = 0

contains
  subroutine CountMonitor(ksp, n, rnorm, context, ierr)
    KSP ksp
    PetscInt n
    PetscReal rnorm
    integer context
    PetscErrorCode, intent(out) :: ierr

    if (n >= 0 .and. rnorm >= 0) monitored = monitored + 1
    ierr = 0
  end subroutine CountMonitor
end module app_monitor

program main
  use petscksp
  use app_monitor
  implicit none
  Mat A
  Vec x, b, r
  KSP ksp
  MatType mat_type
  KSPType ksp_type
  PetscInt, parameter :: n = 40
  PetscInt i, s, cell, first, last, its
  PetscReal norm
  PetscScalar v(2, 2)
  PetscMPIInt ranks
  PetscErrorCode ierr
  character(len=10) :: answer
  character(len=200) :: line

  PetscCallA(PetscInitialize(ierr))
  PetscCallMPIA(MPI_Comm_size(PETSC_COMM_WORLD, ranks, ierr))
  PetscCallA(MatCreate(PETSC_COMM_WORLD, A, ierr))
  PetscCallA(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n, n, ierr))
  PetscCallA(MatSetBlockSize(A, 2_PETSC_INT_KIND, ierr))
  PetscCallA(MatSetFromOptions(A, ierr))
  PetscCallA(MatSetUp(A, ierr))
  PetscCallA(MatGetOwnershipRange(A, first, last, ierr))
  do i = first, last - 1
    cell = i/2
    v(:, 1) = -0.5
    v(mod(i, 2_PETSC_INT_KIND) + 1, 1) = 4.0
    v(:, 2) = 0.25
    v(mod(i, 2_PETSC_INT_KIND) + 1, 2) = -1.0
    do s = 0, 1
      PetscCallA(MatSetValue(A, i, 2*cell + s, v(s + 1, 1), INSERT_VALUES, ierr))
      if (cell > 0) then
        PetscCallA(MatSetValue(A, i, 2*(cell - 1) + s, v(s + 1, 2), INSERT_VALUES, ierr))
      end if
      if (cell < n/2 - 1) then
        PetscCallA(MatSetValue(A, i, 2*(cell + 1) + s, v(s + 1, 2), INSERT_VALUES, ierr))
      end if
    end do
  end do
  PetscCallA(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY, ierr))
  PetscCallA(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY, ierr))
  PetscCallA(MatCreateVecs(A, x, b, ierr))
  PetscCallA(VecDuplicate(b, r, ierr))
  v(1, 1) = 1.0
  PetscCallA(VecSet(x, v(1, 1), ierr))
  PetscCallA(MatMult(A, x, b, ierr))
  PetscCallA(VecZeroEntries(x, ierr))

  PetscCallA(KSPCreate(PETSC_COMM_WORLD, ksp, ierr))
  PetscCallA(KSPSetOperators(ksp, A, A, ierr))
  PetscCallA(KSPMonitorSet(ksp, CountMonitor, 0, PETSC_NULL_FUNCTION, ierr))
  PetscCallA(KSPSetFromOptions(ksp, ierr))
  PetscCallA(KSPSolve(ksp, b, x, ierr))
  PetscCallA(KSPGetIterationNumber(ksp, its, ierr))
  PetscCallA(MatMult(A, x, r, ierr))
  v(1, 1) = -1.0
  PetscCallA(VecAXPY(r, v(1, 1), b, ierr))
  PetscCallA(VecNorm(r, NORM_INFINITY, norm, ierr))
  answer = 'NOT SOLVED'
  if (norm < 1e-3 .and. its > 1) answer = 'solved'
  PetscCallA(MatGetType(A, mat_type, ierr))
  PetscCallA(KSPGetType(ksp, ksp_type, ierr))
  write (line, '(a, 1x, a, 1x, a, 1x, a, 3(1x, a, 1x, i0), a)') 'type', trim(mat_type), 'solver', trim(ksp_type), trim(answer)//' ranks', ranks, &
    'iterations', its, 'monitored', monitored, new_line('a')
  PetscCallA(PetscPrintf(PETSC_COMM_WORLD, trim(line), ierr))
  PetscCallA(KSPDestroy(ksp, ierr))
  PetscCallA(VecDestroy(x, ierr))
  PetscCallA(VecDestroy(b, ierr))
  PetscCallA(VecDestroy(r, ierr))
  PetscCallA(MatDestroy(A, ierr))
  PetscCallA(PetscFinalize(ierr))
end program main
