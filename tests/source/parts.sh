#!/usr/bin/env bash
# tests/run --bundle --part K/N: all parts together are the whole, each job once; what is no such part is refused.
set -u
run=$(cd "$(dirname "$0")/.." && pwd)/run
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [ ! -e "${HEPTANE_BUILD:-}/tests/bundle/cases.tsv" ]; then
  echo 'ok parts # SKIP no recorded cases: make -C tests all'
  exit 0
fi
"$run" --bundle --list | sort > "$dir/whole"
for n in 1 3 4; do
  for ((k = 1; k <= n; k++)); do "$run" --bundle --list --part $k/$n; done | sort > "$dir/parts"
  if [ -s "$dir/whole" ] && cmp -s "$dir/whole" "$dir/parts"; then echo "ok parts of $n"; else echo "not ok parts of $n"; diff "$dir/whole" "$dir/parts" | head; fi
done
"$run" --bundle --list --part 2/4 > "$dir/second"
if [ $(($(wc -l < "$dir/second") * 3)) -lt "$(wc -l < "$dir/whole")" ]; then echo 'ok one of four is a part'; else echo 'not ok one of four is a part'; fi
for wrong in 0/2 3/2 x 1/ /; do
  if "$run" --bundle --list --part "$wrong" > "$dir/out" 2>&1; then echo "not ok --part $wrong is refused"; else echo "ok --part $wrong is refused"; fi
done
