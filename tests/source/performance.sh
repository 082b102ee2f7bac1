#!/usr/bin/env bash
# docs/reference/performance.md, its pictures and the block of README.md are those of the committed results; changed results, texts and pictures are found, lines of another schema
# refused; the pictures are drawn again. performance_cases.py has the formulas and rules.
cache=$("$HEPTANE_DIR/tools/setup" --print-cache 2>/dev/null) # of the user, whose HOME the next line hides
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -f "$HEPTANE_DIR/docs/reference/performance.md" ]; then skip 'performance' 'this archive holds no documentation'; finish; fi
export PYTHONDONTWRITEBYTECODE=1

run python3 "$HEPTANE_DIR/bench/performance.py" --check
expect 'page, README and pictures show the committed results' 0 '^$'
python3 "$HEPTANE_DIR/tests/source/performance_cases.py" || not_ok 'formulas and rules'
run python3 "$HEPTANE_DIR/bench/scaling.py" --check
expect 'replays of CG on several GPUs are within 15 % of what was measured' 0 'worst: .*petsc'

# a copy in which something is changed
tree=$work/tree
mkdir -p "$tree"
(cd "$HEPTANE_DIR" && cp -r --parents README.md include/heptane.h docs/reference/performance.md docs/figures bench/performance.json bench/scaling.tsv bench/thesis.json bench/results "$tree")
check() { run python3 "$HEPTANE_DIR/bench/performance.py" --root "$tree" --check; }
# changed NAME FILE SED-EXPRESSION PATTERN...: performance.py --check prints every pattern after the change; a change that changes nothing is a failure
changed() {
  local name=$1 file=$tree/$2 pattern missing=''
  cp "$file" saved
  LC_ALL=C sed -i "$3" "$file"
  if cmp -s "$file" saved; then not_ok "$name" "nothing was changed in $2"; return; fi
  shift 3
  check
  cp saved "$file"
  for pattern in "$@"; do grep -qE -- "$pattern" <<<"$output" || missing="$missing $pattern"; done
  if [ -n "$missing" ]; then not_ok "$name is found" "not in the output:$missing" "$output"; else expect "$name is found" 1 ''; fi
}
check
expect 'the copy is as good' 0 '^$'
# a line of results that the first pictures show, and the line of the page beside it with its command
eval "$(python3 "$HEPTANE_DIR/tests/source/performance_cases.py" --used "$tree")"
remedy='run make performance and commit what it writes'
changed 'a changed result' "$used_file" "$used_line"'s/"us_median": [0-9.]*, "us_min": [0-9.]*/"us_median": 0.125, "us_min": 0.125/' "docs/reference/performance.md is not what the results say: $remedy" 'README.md is not' \
  "figures/speedup.svg does not show the results: $remedy" 'figures/speedup.png does not show' 'figures/iteration.svg does not show'
changed 'a changed commit' "$used_file" "$used_line"'s/"commit": "/&0/' 'figures/speedup.svg does not show the results'
sed -n "$used_line"p "$HEPTANE_DIR/$used_file" | sed 's/"commit": "\([^"]*\)"/"commit": "\1-dirty"/; s/"date": "[0-9]*/"date": "2099/' > "$tree/${used_file%/*}/dirty.jsonl"
check
expect 'a line of a tree with other changes is not shown' 0 '^$'
rm "$tree/${used_file%/*}/dirty.jsonl"
# the tables that make docs writes: tables NAME FILE SED-EXPRESSION: they differ after the change
tables() {
  local name=$1 file=$tree/$2
  cp "$file" saved
  LC_ALL=C sed -i "$3" "$file"
  python3 "$HEPTANE_DIR/bench/performance.py" --root "$tree" --tables changed.md
  cp saved "$file"
  if cmp -s tables.md changed.md; then not_ok "$name is in the tables" "they are the same after the change of $2"; else ok "$name is in the tables"; fi
}
run python3 "$HEPTANE_DIR/bench/performance.py" --root "$tree" --tables tables.md
expect 'the tables are written' 0 '^$'
tables 'a changed command' "$command_file" "$command_line"'s/-json/-other -json/'
tables 'a changed reason' bench/performance.json 's/"reason": "/&No. /'
tables 'a changed figure of a paper' bench/thesis.json '/"product": \[/s/0\.189/0.190/'
changed 'a page changed by hand' docs/reference/performance.md 's/fastest peer$/slowest peer/' 'docs/reference/performance.md is not'
changed 'a README changed by hand' README.md "s/times as fast as PETSc's fastest/times faster/" 'README.md is not'
changed 'a changed picture' docs/figures/speedup.svg '/<dc:description>/s/\([0-9]\)\]\]/\1\1]]/' 'figures/speedup.svg does not show the results'
changed 'a changed PNG' docs/figures/roofline.png 's/driver/drivex/' 'figures/roofline.png does not show the results'
rm "$tree/docs/figures/speedup.svg"
touch "$tree/docs/figures/nosuch.svg"
check
expect 'a missing picture' 1 'figures/speedup.svg is missing'
expect 'a picture without results' 1 'figures/nosuch.svg is drawn from no results'
cp "$HEPTANE_DIR/docs/figures/speedup.svg" "$tree/docs/figures"
rm "$tree/docs/figures/nosuch.svg"
head -c 150001 /dev/zero >>"$tree/docs/figures/speedup.svg"
check
expect 'a large picture' 1 'figures/speedup.svg has more than 150000 bytes'
cp "$HEPTANE_DIR/docs/figures/speedup.svg" "$tree/docs/figures"

# lines of another schema: the message names file, line and remedy
results=bench/results/2026-11-21-h200
line="$results/ksp.jsonl:3"
how='append lines by -json of a program of bench/ .*or move the file out of bench/results$'
changed 'a line without a key' $results/ksp.jsonl '3s/"copy_gbs"/"copy_rate"/' "^performance.py: $line: the key copy_gbs is missing: $how"
changed 'a value of another kind' $results/ksp.jsonl '3s/"rows": [0-9]*/"rows": "many"/' "$line: the value \"many\" of rows is of another kind: $how"
changed 'a truth value for a number' $results/ksp.jsonl '3s/"rows": [0-9]*/"rows": true/' "$line: the value true of rows is of another kind: $how"
changed 'a line that is not JSON' $results/ksp.jsonl '3s/^{//' "$line: not a line of JSON .*: $how"
changed 'not a number' $results/ksp.jsonl '3s/"us_median": [0-9.]*/"us_median": NaN/' "$line: not a line of JSON .*NaN.*: $how"
changed 'a list of lines' $results/ksp.jsonl '3s/.*/[&]/' "$line: not a JSON object: $how"
changed 'a nested line' $results/ksp.jsonl '3s/"mode": ""/"mode": {"a": 1}/' "$line: the value of mode is not a plain one: $how"
changed 'another form of dates' $results/ksp.jsonl '3s/2026-11-21T/21.11.2026 /' "$line: the date 21.11.2026 .* is not of the form .*: $how"
changed 'a median below the least' $results/ksp.jsonl '3s/"us_median": [0-9.]*/"us_median": 0.5/' "$line: us_min, us_median and us_max are not positive and in order: $how"
changed 'a time to solution without its set-up' $results/ksp.jsonl '3s/"ksp_iteration"/"time_to_solution"/' "$line: the key setup_us is missing: $how"
changed 'a line of metrics without a key' $results/ksp.jsonl '3s/"suite": "ksp"/"suite": "metrics"/' "$line: the key pass is missing: $how"
changed 'energy that is no number' $results/ksp.jsonl '3s/^{/{"gpu_joules": "much", /' "$line: the value \"much\" of gpu_joules is of another kind: $how"
changed 'omitted lines that do not exist' bench/performance.json '/"omitted": \[/a {"file": "none.jsonl", "lines": [2, 3], "reason": ""},' 'there are no lines 2 to 3 of bench/results/none.jsonl to omit: correct the entry or remove it'
changed 'a reason without text' bench/performance.json '0,/"reason": /s//"text": /' 'bench/performance.json: an entry of reasons lacks reason: see bench/README.md'
changed 'texts that are not JSON' bench/performance.json '1s/{//' 'bench/performance.json: not JSON .*: see bench/README.md'
# the table of measured points
replay() { # NAME SED-EXPRESSION PATTERN
  cp "$tree/bench/scaling.tsv" saved.tsv
  sed -i "$2" "$tree/bench/scaling.tsv"
  run python3 "$HEPTANE_DIR/bench/scaling.py" --root "$tree" --check
  cp saved.tsv "$tree/bench/scaling.tsv"
  expect "$1" 1 "$3"
}
replay 'a measured point far from its replay' '/^probe nvlink.*28\.7/s/28\.7/40/' '^scaling.py: probe nvlink, 0 rows, halo 65536, 2 GPUs: the replay is -28 % off: mend the model, or give a reason in bench/scaling.tsv'
replay 'a reason that is not needed' '/^petsc/s/$/because/' 'take its reason out of bench/scaling.tsv'
replay 'a point that is not that of its line' '/^graph\t4096000\t25600\t2/s/77.99/79/' '^scaling.py: bench/scaling.tsv: graph, 4096000 rows, 2 GPUs: .*iterations.jsonl has 77.99: correct the table'
replay 'a table with other columns' '1s/rows/size/' '^scaling.py: bench/scaling.tsv: the columns must be way, rows'
changed 'a README without marks' README.md 's/<!-- to here -->//' 'README.md needs the two lines'
run python3 "$HEPTANE_DIR/bench/performance.py" --root "$work/home" --check
expect 'a folder without results' 1 '^performance.py: .*No such file.*performance.json'

# matplotlib is installed if it can be
folder=$(HEPTANE_CACHE=$cache "$HEPTANE_DIR/tools/setup" --pictures 2>setup.log) || folder=none
if [ "$folder" = none ]; then skip 'pictures are drawn' "matplotlib cannot be installed: $(tail -n 1 setup.log)"; finish; fi
export PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}
run python3 "$HEPTANE_DIR/bench/plot.py" --output "$work/drawn"
expect 'pictures are drawn from the committed results' 0 '^$'
for picture in "$HEPTANE_DIR"/docs/figures/*.svg; do
  name=$(basename "$picture")
  if [ "$(python3 -c 'import matplotlib; print(matplotlib.__version__)')" != "$(sed -n 's/.*<dc:title>Matplotlib v*\(.*\)<.*/\1/p' "$picture")" ]; then
    skip "$name is drawn again" 'drawn with another version of matplotlib, which this Python does not have'
  else
    run python3 "$HEPTANE_DIR/tests/source/performance_cases.py" --same "$picture" "drawn/$name"
    expect "$name is drawn again" 0 '^$'
  fi
done
mkdir "$tree/bench/results/2026-12-01-sample"
python3 "$HEPTANE_DIR/tests/source/performance_cases.py" --sample "$tree/bench/results/2026-12-01-sample/sample.jsonl"
run python3 "$HEPTANE_DIR/bench/performance.py" --root "$tree"
expect 'a page with a new folder of results' 0 ''
run python3 "$HEPTANE_DIR/bench/plot.py" --root "$tree"
expect 'pictures with a new folder of results' 0 '^$'
check
expect 'the new folder is picked up without other changes' 0 '^$'
[ -s "$tree/docs/figures/solution.svg" ] && [ -s "$tree/docs/figures/scaling.png" ] && [ -s "$tree/docs/figures/energy.svg" ] && ok 'time to solution, scaling and energy are drawn' ||
  not_ok 'time to solution, scaling and energy are drawn' "$(ls "$tree/docs/figures")"
run python3 "$HEPTANE_DIR/bench/performance.py" --root "$tree" --tables tables.md
expect 'tables with a new folder of results' 0 '^$'
run grep -c -E 'set-up and solve \(to 1e-08, 9 iterations, peer 40\)|^### Scaling over GPUs|^## Several GPUs|^\| sample 8x8x8:1 \| 512 \| iteration \| fusedcg bdiagh jacobi \| 2 \| 60 \| 1.67 \|' tables.md
expect 'the tables have them' 0 '^4$'
rm -r "$tree/bench/results/2026-12-01-sample"
run python3 "$HEPTANE_DIR/bench/plot.py" --root "$tree"
run diff <(ls "$HEPTANE_DIR/docs/figures") <(ls "$tree/docs/figures")
expect 'pictures whose results are gone are removed' 0 '^$'
run python3 "$HEPTANE_DIR/bench/plot.py" --root "$tree" nosuchpicture
expect 'a picture that there is not' 2 'there is no picture nosuchpicture: the results give speedup, iteration'
finish
