# Python packages of the demonstration's plots and of the converter of Matrix Market files: the system's when it has them, else a folder in the cache.

install_python() {
  [ -f "$1/.complete" ] && return
  rm -rf "$1"
  run_step "installing numpy, scipy and matplotlib" "$cache/log/python.log" : \
    "Check the network; only plots and the conversion of Matrix Market files need them." \
    python3 -m pip install --disable-pip-version-check --no-warn-script-location --only-binary :all: --target "$1" numpy scipy matplotlib
  touch "$1/.complete"
}

setup_python() {
  local dir
  have python3 || die "python3 is missing: sudo apt-get install python3 python3-pip"
  if python3 -c 'import numpy, scipy, matplotlib' 2>/dev/null; then echo; return; fi
  python3 -m pip --version >/dev/null 2>&1 || die "Python's pip is missing: sudo apt-get install python3-pip"
  dir=$cache/python-scipy-$(python3 -c 'import sys; print(sys.implementation.cache_tag + "-" + sys.platform)')
  [ -f "$dir/.complete" ] || with_lock "$(basename "$dir")" install_python "$dir"
  echo "$dir"
}
