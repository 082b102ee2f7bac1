#!/usr/bin/env bash
# tools/check-layers: the tree keeps to its own tables, and each kind of breach in a copy of it is found.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
check=$HEPTANE_DIR/tools/check-layers
if [ ! -f "$check" ]; then skip 'layers' 'this archive holds no sources'; finish; fi

run "$check"
expect 'who includes whom and the sizes are as the tables say' 0 '^$'

tree=$work/tree
mkdir -p "$tree"
(cd "$HEPTANE_DIR" && cp -r --parents src include tests/unit tests/ksp/loop.c docs/develop/layers.md docs/develop/style.md "$tree")
breach() { # NAME FILE LINE PATTERN: the line at the end of the file is found
  cp "$tree/$2" saved
  printf '%s\n' "$3" >>"$tree/$2"
  run "$check" "$tree"
  expect "$1" 1 "$4"
  mv saved "$tree/$2"
}
run "$check" "$tree"
expect 'the copy is as good' 0 '^$'
breach 'an arrow that goes up' src/device/pack.hpp '#include "../pass/steps.hpp"' 'pack.hpp:[0-9]+: src/device may not include src/pass/steps.hpp'
breach 'an arrow that goes up inside a folder' src/pc/gridmg/rows/system.hpp '#include "../device/device.hpp"' 'system.hpp:[0-9]+: src/pc/gridmg/rows may not include src/pc/gridmg/device'
breach 'a format that knows another' src/mat/bdiagh/part.cxx '#include "../sellp/part.hpp"' 'src/mat/bdiagh may not include src/mat/sellp'
breach 'a private header' src/pass/offers/operator.hpp '#include <petsc/private/kspimpl.h>' 'src/pass/offers may not include petsc/private/kspimpl.h'
breach 'a header that is not there' src/sys/events.cxx '#include "absent.hpp"' 'there is no src/sys/absent.hpp'
breach 'a long file' src/sys/abi.cxx "$(printf '//\n%.0s' {1..400})" 'src/sys/abi.cxx: [0-9]+ lines, the limit is 400'
breach 'a long function' src/sys/abi.cxx "$(printf 'static int Long(int n)\n{\n'; printf '  n++;\n%.0s' {1..60}; printf '}')" 'abi.cxx:[0-9]+: Long\(\) has 6[0-9] lines'
breach 'a test program with long headers' tests/unit/patterns.hpp "$(printf '//\n%.0s' {1..500})" 'tests/unit/[a-z_]+.cxx: [0-9]+ lines with the headers of tests that it includes, the limit is 600'
mv "$tree/src/comm/README.md" saved
run "$check" "$tree"
expect 'a folder without a README' 1 'src/comm: there is no README.md'
mv saved "$tree/src/comm/README.md"
cp "$tree/tests/ksp/loop.c" saved
sed -i '/comments: quick/d' "$tree/tests/ksp/loop.c"
run "$check" "$tree"
expect 'a test without a quick case' 1 'tests/ksp/loop.c: no case of its TEST block'
mv saved "$tree/tests/ksp/loop.c"
sed -i 's/^| `src\/device` | |/| `src\/device` | `src\/pass` |/' "$tree/docs/develop/layers.md"
run "$check" "$tree"
expect 'a circle in the table' 1 'src/device may include itself through other folders'
expect 'a permission that nobody uses' 1 'src/device does not include src/pass, which the table allows'
mkdir "$tree/src/other"
echo >"$tree/src/other/other.cxx"
run "$check" "$tree"
expect 'a folder that is not in the table' 1 'src/other/other.cxx: its folder is not in the table'
finish
