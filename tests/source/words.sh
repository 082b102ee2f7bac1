#!/usr/bin/env bash
# tools/check-words: no folder has more of a pattern than tools/words.tsv allows; each pattern is found; numbers only fall.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
check=$HEPTANE_DIR/tools/check-words
if [ ! -f "$check" ]; then skip 'words' 'this archive holds no sources'; finish; fi
run "$check"
expect 'no pattern of language has become more frequent' 0 '^$'

tree=$work/tree
mkdir -p "$tree"/{src/one,tools,docs}
printf 'folder\tP1\tP2\tP3\tP4\tP5\tP6\tP7\tP8\tP9\n' >"$tree/tools/words.tsv"
cat >"$tree/src/one/good.cxx" <<'END'
/* Those two arrays behind_one */
int alone = 1; // gives_back
#include "beside.hpp"
END
run "$check" "$tree"
expect 'identifiers, includes and good English are not counted' 0 '^$'
# found PATTERN FILE TEXT: the text at the end of the file is found
found() {
  printf '%s\n' "$3" >"$tree/$2"
  run "$check" "$tree"
  expect "$1 in $2" 1 "^(src/one|docs): $1, .*: 1, and tools/words.tsv allows 0"
  rm "$tree/$2"
}
found P1 src/one/a.cxx '/* stored where the matrix is symmetric */'
found P2 src/one/a.cxx '  printf("what is left\n");'
found P3 src/one/a.cxx '// as those of the host'
found P4 src/one/a.cxx '/* nobody reads it */'
found P5 src/one/a.cxx "$(printf '/*\n   entries\n   beside the diagonals\n*/')"
found P6 docs/a.md 'It gives the result.'
found P7 docs/a.md 'It is stored alone.'
found P8 src/one/a.cxx '/* 1.25 ms, 2.5 ms, 3.75 ms */'
found P9 src/one/a.cxx "/* $(printf 'x%.0s' {1..160}) */"
printf '```\nnobody\n```\n`nobody` [x](nobody.md)\n| nobody |\n' >"$tree/docs/code.md"
run "$check" "$tree"
expect 'code and tables of pages are not counted' 0 '^$'
printf '/* nobody, somebody */\n' >"$tree/src/one/b.cxx"
"$check" --update "$tree"
run "$check" "$tree"
expect 'an update allows no more' 1 'P4, .*: 2, and tools/words.tsv allows 0'
"$check" --write "$tree"
printf '/* nobody */\n' >"$tree/src/one/b.cxx"
"$check" --update "$tree"
run cat "$tree/tools/words.tsv"
expect 'an update keeps what has fallen' 0 '^src/one.0.0.0.1.'
finish
