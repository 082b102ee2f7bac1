#!/usr/bin/env bash
# make docs: the site is built without a warning, its links lead somewhere, its search finds every option.
cache=$("$HEPTANE_DIR/tools/setup" --print-cache 2>/dev/null) # of the user, whose HOME the next line hides
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
if [ ! -f "$HEPTANE_DIR/tools/docs" ]; then skip 'docs' 'this archive holds no documentation'; finish; fi
if [ ! -x "$HEPTANE_BUILD/examples/reservoir" ]; then skip 'docs' 'the example reservoir is not built'; finish; fi
folder=$(HEPTANE_CACHE=$cache "$HEPTANE_DIR/tools/setup" --docs 2>setup.log) || folder=none
if [ "$folder" = none ]; then skip 'docs' "Sphinx cannot be installed: $(tail -n 1 setup.log)"; finish; fi
export PYTHONPATH=$folder${PYTHONPATH:+:$PYTHONPATH}
run "$HEPTANE_DIR/tools/docs"
expect 'the site is built without a warning' 0 'the search finds all [0-9]+ options'
for page in index reference/options reference/results reference/manual/MATBDIAGH reference/manual/MatBDIAGHGetLayout; do
  if [ -s "$HEPTANE_DIR/build/docs/$page.html" ]; then ok "$page"; else not_ok "$page" 'there is no such page'; fi
done
run grep -rlE '(src|href)="(https?:)?//[^"]*\.(js|css|woff2?)"' "$HEPTANE_DIR/build/docs" --include='*.html'
expect 'no page loads anything from the network' 1 '^$'
finish
