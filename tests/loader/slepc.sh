#!/usr/bin/env bash
# SLEPc, unchanged: matrix and solver of shift-and-invert by options. SLEPC_DIR names a SLEPc that was built with the PETSc under test.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
if [ ! -f "${SLEPC_DIR:-}/include/slepceps.h" ]; then skip 'SLEPc' 'SLEPC_DIR is not set'; finish; fi
compiled slepc
load=(-dll_append "$HEPTANE_LIB" -st_type sinvert -eps_target -0.1 -st_ksp_type fusedcg -st_pc_type jacobi -st_ksp_rtol 1e-11 -options_left)
for type in bdiagh sellp; do
  for mode in copy inplace shell; do
    [ $mode = shell ] && shifted=shell || shifted=seqaij$type
    run "$bin/slepc" "${load[@]}" -mat_type $type -st_matmode $mode
    expect "EPS with $type and fusedcg, -st_matmode $mode" 0 "^matrix seqaij$type shifted $shifted solver fusedcg ranks 1: values exact" &&
      expect_not "no option is left, $type, $mode" 'unused database option'
  done
  run "$MPIEXEC" -n 2 "$bin/slepc" "${load[@]}" -mat_type $type
  expect "EPS with $type and fusedcg on 2 ranks" 0 "^matrix mpiaij$type shifted mpiaij$type solver fusedcg ranks 2: values exact"
  svd=(-svd_type cross -svd_cross_explicitmatrix -svd_cross_st_type sinvert -svd_cross_eps_target 0 -svd_view
    -svd_cross_st_ksp_type fusedcg -svd_cross_st_pc_type jacobi -svd_cross_st_ksp_rtol 1e-11)
  run "$bin/slepc" "${load[@]}" -mat_type $type "${svd[@]}"
  expect "SVD with $type and fusedcg" 0 'values exact' && expect "SVD with $type and fusedcg: the solver" 0 'fused: mode' &&
    expect "SVD with $type and fusedcg: the product's type" 0 "^ +type: seqaij$type" && expect_not "no option is left, $type, SVD" 'unused database option'
done
finish
