# petsc4py for the PETSc at hand, of the same version, and what tests/python needs in addition, in a folder of the cache.

install_petsc4py() {
  local dir=$1 version=$2
  [ -f "$dir/.complete" ] && return
  rm -rf "$dir"
  run_step "installing pytest, mpi4py and scikit-build-core" "$cache/log/petsc4py.log" : \
    "Check the network; only the tests of the Python package need them." \
    python3 -m pip install --disable-pip-version-check --no-warn-script-location --target "$dir" pytest mpi4py scikit-build-core pathspec
  # a wheel that pip has kept may be that of another PETSc
  run_step "building petsc4py $version for $PETSC_DIR (some minutes, 2.5 GB of memory)" "$cache/log/petsc4py.log" : \
    "Check the network, or install petsc4py by hand; only the tests of the Python package need it." \
    env CFLAGS="-O1 -g0" python3 -m pip install --disable-pip-version-check --no-cache-dir --no-deps --no-binary petsc4py --target "$dir" "petsc4py==$version"
  touch "$dir/.complete"
}

# setup_petsc4py: prints the folders for PYTHONPATH, an empty line if the system has petsc4py of this PETSc and the rest
setup_petsc4py() {
  local dir version packages tag
  export PETSC_DIR=${PETSC_DIR:?set PETSC_DIR to the PETSc of petsc4py (eval \"\$(make -s env)\" does)} PETSC_ARCH=${PETSC_ARCH:-}
  version=$(awk '/define PETSC_VERSION_(MAJOR|MINOR|SUBMINOR) /{printf "%s%s", s, $3; s = "."}' "$PETSC_DIR/include/petscversion.h")
  packages=$(setup_python)
  if PYTHONPATH=$packages python3 - 2>/dev/null <<'EOF'
import os, petsc4py, pytest, mpi4py, scikit_build_core
assert os.path.samefile(petsc4py.get_config()["PETSC_DIR"], os.environ["PETSC_DIR"])
EOF
  then echo "$packages"; return; fi
  tag=$(python3 -c 'import sys; print(sys.implementation.cache_tag)')
  dir=$cache/petsc4py-$version-$(printf '%s' "$(cd "$PETSC_DIR" && pwd)/$PETSC_ARCH" | short_hash)-$tag
  # setup_python's folder holds the numpy that petsc4py runs with
  [ -f "$dir/.complete" ] || PYTHONPATH= with_lock "$(basename "$dir")" install_petsc4py "$dir" "$version"
  echo "$dir${packages:+:$packages}"
}
