# Python packages of the plots, of the converter of Matrix Market files and of the documentation: the system's if it has them, else
# a folder in the cache. Pictures and pages are made with one version of matplotlib and Sphinx, so that they are the same
# everywhere; older Pythons, for which these do not exist, get the newest for them.

matplotlib=3.11.2 sphinx=9.0.4 myst=5.2.0 theme=0.24.0

# install_packages FOLDER WHAT REQUIREMENT...
install_packages() {
  local dir=$1 what=$2; shift 2
  [ -f "$dir/.complete" ] && return
  rm -rf "$dir"
  run_step "installing $what" "$cache/log/python.log" : \
    "Check the network; only plots, the conversion of Matrix Market files and make docs need them." \
    python3 -m pip install --disable-pip-version-check --no-warn-script-location --only-binary :all: --target "$dir" "$@"
  touch "$dir/.complete"
}

need_pip() {
  have python3 || die "python3 is missing: sudo apt-get install python3 python3-pip"
  python3 -m pip --version >/dev/null 2>&1 || die "Python's pip is missing: sudo apt-get install python3-pip"
}

# in_cache NAME WHAT REQUIREMENT...: prints the folder for PYTHONPATH
in_cache() {
  local dir
  dir=$cache/$1-$(python3 -c 'import sys; print(sys.implementation.cache_tag + "-" + sys.platform)')
  [ -f "$dir/.complete" ] || with_lock "$(basename "$dir")" install_packages "$dir" "${@:2}"
  echo "$dir"
}

# setup_python [VERSION]: prints the folder for PYTHONPATH, an empty line if the system has the packages (matplotlib of that version)
setup_python() {
  have python3 || die "python3 is missing: sudo apt-get install python3 python3-pip"
  if python3 -c 'import sys, numpy, scipy, matplotlib; sys.exit(sys.argv[1] not in ("", matplotlib.__version__))' "${1:-}" 2>/dev/null; then echo; return; fi
  need_pip
  in_cache "python-matplotlib-$matplotlib" "numpy, scipy and matplotlib" numpy scipy \
    "matplotlib==$matplotlib; python_version>='3.11'" "matplotlib; python_version<'3.11'"
}

# setup_docs: prints the folder for PYTHONPATH with Sphinx, MyST-Parser and PETSc's theme
setup_docs() {
  need_pip
  in_cache "python-sphinx-$sphinx" "Sphinx, MyST-Parser and pydata-sphinx-theme" \
    "sphinx==$sphinx; python_version>='3.11'" "myst-parser==$myst; python_version>='3.11'" "pydata-sphinx-theme==$theme; python_version>='3.11'" \
    "sphinx; python_version<'3.11'" "myst-parser; python_version<'3.11'" "pydata-sphinx-theme; python_version<'3.11'"
}
