#!/usr/bin/env bash
# tools/check-passes: every launch of a kernel declares its bytes, and launches that do not are found in a copy of the tree.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
check=$HEPTANE_DIR/tools/check-passes
if [ ! -f "$check" ]; then skip 'passes' 'this archive holds no sources'; finish; fi

run "$check"
expect 'every launch declares its bytes' 0 '^$'

tree=$work/tree
mkdir -p "$tree"
(cd "$HEPTANE_DIR" && cp -r --parents src "$tree")
breach() { # NAME FILE PATTERN: without the passes of this file launches are found
  cp "$tree/src/$2" saved
  sed -i 's/MetricsPass/OtherPass/' "$tree/src/$2"
  run "$check" "$tree"
  expect "$1" 1 "$3"
  mv saved "$tree/src/$2"
}
run "$check" "$tree"
expect 'the copy is as good' 0 '^$'
breach 'inverses of dense blocks' pc/dense/inverse.cxx 'pc/dense/apply.cu:[0-9]+: launch_dense_apply\(\)'
breach 'least squares' pc/dense/least_squares.cxx 'launch_dense_least_squares|pc/dense/least_squares.cu:[0-9]+: launch_block\(\)'
breach 'changes of values' mat/aij/change.cxx 'launch_scale\(\)'
breach 'a launcher with a pass of its own' pc/gridmg/device/reduced_setup.cu 'launch_reduced_load\(\)'
breach 'a launch several calls below its pass' mat/bdiagh/part.cxx 'launch_groups\(\)'
cat >>"$tree/src/mat/values/change.cu" <<'EOF'

cudaError_t launch_new(Scalar *v, cudaStream_t stream)
{
  new_kernel<<<1, 1, 0, stream>>>(v);
  return cudaGetLastError();
}
EOF
run "$check" "$tree"
expect 'a new launch' 1 'change.cu:[0-9]+: launch_new\(\): launches a kernel for which no bytes are declared, called by way of nobody'
run "$check" "$work/home"
expect 'a tree without launches' 1 'only 0 functions'
finish
