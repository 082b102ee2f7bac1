#!/usr/bin/env bash
# tools/docs --check-options: sources, -help and manual pages have the same options, and a difference is found.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -f "$HEPTANE_DIR/tools/docs" ]; then skip 'options' 'this archive holds no documentation'; finish; fi
if [ ! -x "$HEPTANE_BUILD/examples/reservoir" ]; then skip 'options' 'the example reservoir is not built'; finish; fi
run "$HEPTANE_DIR/tools/docs" --check-options
expect 'sources, -help and manual pages have the same options' 0 '^$'

tree=$work/tree
mkdir -p "$tree"
(cd "$HEPTANE_DIR" && cp -r include src tools "$tree")
# changed NAME FILE SED-EXPRESSION PATTERN
changed() {
  cp "$tree/$2" saved
  sed -i "$3" "$tree/$2"
  run "$tree/tools/docs" --check-options
  expect "$1" 1 "$4"
  mv saved "$tree/$2"
}
changed 'an option that -help lacks' src/pc/gridmg/pcgridmg.cxx 's/"-pc_gridmg_levels"/"-pc_gridmg_depth"/' 'pcgridmg.cxx:[0-9]+: -pc_gridmg_depth is not in -help'
changed 'an option that no source has' src/pc/gridmg/pcgridmg.cxx 's/"-pc_gridmg_levels"/levels_name/' '^-pc_gridmg_levels is in -help, and no source has it'
changed 'an option without a manual page' include/heptane.h '/^\. -pc_gridmg_levels/d' '-pc_gridmg_levels is on no manual page'
changed 'a manual page of an option that is gone' include/heptane.h 's/^\. -pc_gridmg_levels/. -pc_gridmg_depth/' '-pc_gridmg_depth is on a manual page, and no source has it'
finish
