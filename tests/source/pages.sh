#!/usr/bin/env bash
# The pages of docs/ and README.md: examples print what the pages show, links lead to files, sizes are within their limits; a page that is wrong is found.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -d "$HEPTANE_DIR/docs/guide" ]; then skip 'pages' 'this archive holds no documentation'; finish; fi
pages=$HEPTANE_DIR/tests/source/pages.py
run python3 "$pages" --links
expect 'links and sizes of the pages' 0 '^$'
run python3 "$HEPTANE_DIR/docs/drawings/draw.py" --check
expect 'drawings are those of their script' 0 '^$'

if grep -qE 'define PETSC_USE_(REAL_SINGLE|64BIT_INDICES|COMPLEX) 1' "$PETSC_DIR/${PETSC_ARCH:-}/include/petscconf.h"; then
  skip 'examples of the pages' 'they show double precision and 32-bit indices'
elif [ ! -x "$HEPTANE_BUILD/examples/solve_matrix" ] || [ ! -x "$HEPTANE_BUILD/bin/heptane-advise" ]; then
  skip 'examples of the pages' 'the programs are not built: make examples tools'
else
  (cd "$HEPTANE_DIR" && find docs README.md -name '*.md' -exec grep -l '^```console' {} +) | sort > with_examples
  while read -r page; do
    run python3 "$pages" "$page"
    expect "examples of $page" 0 '^$'
  done < with_examples
  printf '%s\n' '[gone](gone.md)' '```console' '$ echo 3 rows, 1.5 seconds' '3 rows, 2.5 seconds' '$ echo 30 rows' '20 rows' '```' > "$work/wrong.md"
  run python3 "$pages" "$work/wrong.md"
  expect 'a link that leads nowhere' 1 'there is no gone.md'
  expect 'an output that differs' 1 '`echo 30 rows` does not print, in this order: 20 rows'
  expect_not 'numbers that vary' 'seconds`'
fi
finish
