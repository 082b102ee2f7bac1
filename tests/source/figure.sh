#!/usr/bin/env bash
# docs/figures/speedup.svg shows the committed results, and bench/plot.py draws the same file again.
cache=$("$HEPTANE_DIR/tools/setup" --print-cache 2>/dev/null) # of the user, whose HOME the next line hides
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
plot=$HEPTANE_DIR/bench/plot.py figure=$HEPTANE_DIR/docs/figures/speedup.svg
if [ ! -f "$figure" ]; then skip 'figure' 'this archive holds no documentation'; finish; fi
export PYTHONDONTWRITEBYTECODE=1

run python3 "$plot" --check
expect 'the figure shows the committed results' 0 '^$'
sed 's/28\.46/28.47/' "$figure" >"$work/other.svg"
run python3 "$plot" --check --output "$work/other.svg"
expect 'another number is found' 1 'does not show the committed results'
[ "$(wc -c <"$figure")" -le 150000 ] && ok 'the figure has at most 150 kB' || not_ok 'the figure has at most 150 kB' "$(wc -c "$figure")"

for folder in "$cache"/python-*; do # where make demo installs matplotlib
  if [ -e "$folder/.complete" ]; then export PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}; fi
done
version=$(python3 -c 'import matplotlib; print(matplotlib.__version__)' 2>/dev/null)
drawn=$(sed -n 's/.*<dc:title>Matplotlib v*\(.*\)<.*/\1/p' "$figure")
if [ "$version" = "$drawn" ]; then
  run python3 "$plot" --output "$work/again.svg"
  cmp -s "$figure" "$work/again.svg" && ok 'the figure is drawn again byte by byte' || not_ok 'the figure is drawn again byte by byte' "$output"
else
  skip 'the figure is drawn again byte by byte' "drawn with matplotlib $drawn, here is ${version:-none} (make demo installs it)"
fi
finish
