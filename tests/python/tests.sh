#!/usr/bin/env bash
# Runs pytest over this folder, with the package of the checkout and petsc4py of the PETSc under test. Prints one line a test, as the other scripts do.
# HEPTANE_PYTHON: the Python to take, which has petsc4py, pytest, SciPy and matplotlib; otherwise tools/setup provides them in its cache.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=${HEPTANE_DIR:-$(cd "$here/../.." && pwd)}
unset PETSC_OPTIONS
python=${HEPTANE_PYTHON:-python3} packages=''
if [ -z "${HEPTANE_PYTHON:-}" ]; then
  if [ ! -x "$root/tools/setup" ]; then echo 'ok python # SKIP this archive holds no sources'; exit 0; fi
  log=$(mktemp)
  packages=$("$root/tools/setup" --petsc4py 2>"$log") || { echo "ok python # SKIP no petsc4py: $(tail -n 1 "$log")"; rm -f "$log"; exit 0; }
  rm -f "$log"
fi
export PYTHONPATH=$root/python${packages:+:$packages} PYTHONDONTWRITEBYTECODE=1
cd "$root" && exec "$python" -m pytest -p no:cacheprovider -q --tb=short "$here" "$@"
