# Python packages of the plots and of the converter of Matrix Market files: the system's when it has them, else a folder in the cache. The pictures of docs/figures are
# drawn with one version of matplotlib, so that they are the same bytes everywhere; older Pythons, for which it does not exist, get the newest for them.

matplotlib=3.11.2

install_python() {
  [ -f "$1/.complete" ] && return
  rm -rf "$1"
  run_step "installing numpy, scipy and matplotlib" "$cache/log/python.log" : \
    "Check the network; only plots and the conversion of Matrix Market files need them." \
    python3 -m pip install --disable-pip-version-check --no-warn-script-location --only-binary :all: --target "$1" numpy scipy \
    "matplotlib==$matplotlib; python_version>='3.11'" "matplotlib; python_version<'3.11'"
  touch "$1/.complete"
}

# setup_python [VERSION]: prints the folder for PYTHONPATH, an empty line if the system has the packages (matplotlib of that version)
setup_python() {
  local dir
  have python3 || die "python3 is missing: sudo apt-get install python3 python3-pip"
  if python3 -c 'import sys, numpy, scipy, matplotlib; sys.exit(sys.argv[1] not in ("", matplotlib.__version__))' "${1:-}" 2>/dev/null; then echo; return; fi
  python3 -m pip --version >/dev/null 2>&1 || die "Python's pip is missing: sudo apt-get install python3-pip"
  dir=$cache/python-matplotlib-$matplotlib-$(python3 -c 'import sys; print(sys.implementation.cache_tag + "-" + sys.platform)')
  [ -f "$dir/.complete" ] || with_lock "$(basename "$dir")" install_python "$dir"
  echo "$dir"
}
