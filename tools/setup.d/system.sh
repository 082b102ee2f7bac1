# System packages (Debian names): found out by use, installed with apt-get when root, otherwise told by the exact command.

have() { command -v "$1" >/dev/null 2>&1; }

links_with() {
  local dir status=0
  dir=$(mktemp -d)
  echo 'int main(void) { return 0; }' >"$dir/a.c"
  cc "$dir/a.c" -o "$dir/a" "$@" >/dev/null 2>&1 || status=1
  rm -rf "$dir"
  return $status
}

has_gtest() { [ -f /usr/include/gtest/gtest.h ] || { have c++ && echo '#include <gtest/gtest.h>' | c++ -std=c++17 -x c++ -fsyntax-only - >/dev/null 2>&1; }; }

# missing_packages: the packages without which nothing is built
missing_packages() {
  have cc || echo gcc libc6-dev
  have c++ || echo g++
  have make || echo make
  have python3 || echo python3
  have xz || echo xz-utils
  have diff || echo diffutils
  have python3 && python3 -m pip --version >/dev/null 2>&1 || echo python3-pip
  have cc && { links_with -llapack -lblas || links_with -lopenblas; } || echo libblas-dev liblapack-dev
}

# optional_packages: GoogleTest for the unit tests, the tools of the installation tests
optional_packages() {
  has_gtest || echo libgtest-dev
  have pkg-config || echo pkg-config
  have cmake || echo cmake
}

apt_install() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get update && apt-get install -y --no-install-recommends "$@"
}

setup_system() {
  local needed optional log=$cache/log/apt-get.log
  needed=$(missing_packages | xargs) optional=$(optional_packages | xargs)
  [ -n "$needed$optional" ] || return 0
  if [ "$(id -u)" = 0 ] && have apt-get; then
    cache_writable || log=${TMPDIR:-/tmp}/heptane-apt-get.log
    # in a subshell: without the optional packages the set-up goes on
    # shellcheck disable=SC2086
    ( run_step "installing the system packages $(echo $needed $optional)" "$log" : \
      "Install them by hand, then run the same command again." apt_install $needed $optional ) || [ -z "$needed" ] || exit 1
    hash -r
    needed=$(missing_packages | xargs)
    [ -z "$needed" ] || die "still missing after the installation: $needed. Are they in PATH?"
  elif [ -n "$needed" ]; then
    die "system packages are missing: sudo apt-get install $(echo $needed $optional) (or your system's of the same kind), then run the same command again"
  else
    say "without these packages some tests are skipped: sudo apt-get install $optional"
  fi
}
