#!/usr/bin/env bash
# The tables of docs/programs.md are those of tests/programs/list and of the results; all options for heptane in the list are in README.md
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -f "$HEPTANE_DIR/docs/programs.md" ]; then skip 'programs' 'this archive holds no documentation'; finish; fi
run "$HEPTANE_DIR/tests/programs/page" --check
expect 'the page shows the list and the results' 0 '^$'

# types and options of heptane, without the prefixes of solvers
unknown=$(awk -F ' *[|] *' '/^[a-z]/ { print $6 }' "$HEPTANE_DIR/tests/programs/list" |
  grep -oE '(fused|bdiagh|sellp|gridmg|blockjacobireg|heptane)[a-z_]*' | sort -u | while read -r word; do grep -q -- "$word" "$HEPTANE_DIR/README.md" || echo "$word"; done)
if [ -z "$unknown" ]; then ok 'README names the options of the list'; else not_ok 'README names the options of the list' "$unknown"; fi
finish
