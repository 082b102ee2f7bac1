#!/usr/bin/env bash
# The tables of bench/results/*/programs.md are those of the results; the pages for users name all options for heptane in tests/programs/list
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -d "$HEPTANE_DIR/docs/guide" ]; then skip 'programs' 'this archive holds no documentation'; finish; fi
run "$HEPTANE_DIR/tests/programs/page" --check
expect 'the tables show the results' 0 '^$'

# types and options of heptane, without the prefixes of solvers
unknown=$(awk -F ' *[|] *' '/^[a-z]/ { print $6 }' "$HEPTANE_DIR/tests/programs/list" |
  grep -oE '(fused|bdiagh|sellp|gridmg|blockjacobireg|heptane)[a-z_]*' | sort -u | while read -r word; do grep -rq -- "$word" "$HEPTANE_DIR/docs/guide" || echo "$word"; done)
if [ -z "$unknown" ]; then ok 'the guide names the options of the list'; else not_ok 'the guide names the options of the list' "$unknown"; fi
finish
