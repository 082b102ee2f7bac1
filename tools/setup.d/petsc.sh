# PETSc: checks a given one, or downloads, verifies, configures, builds and installs PETSc into the cache, keyed by its configuration.
# Sets petsc_dir and petsc_arch. A prefix counts only with its .complete mark; an interrupted build goes on where it stopped.

# The source archives; docs/develop/releases.md tells which releases are supported
case "${release:=3.26}" in
  3.26) petsc_version=3.26.1 petsc_sha256=a4dc46c1b4403545ac2274741ce10801366c4a9a7b2683b678d18f6663b93496 ;;
  3.25) petsc_version=3.25.6 petsc_sha256=00ac91c7ae96eae6a39d7380c7e869c1c7ddbc0c64a23a0b5fd3442227c7cdb9 ;;
  3.24) petsc_version=3.24.6 petsc_sha256=d6ad14652996b0e0d3da51068eec902118057f275de867e8cf258ffd64d90a7d ;;
  *) die "there is no archive of PETSc $release: --release 3.26, 3.25 or 3.24, or set PETSC_DIR" ;;
esac

petsc_check_given() {
  local arch=${PETSC_ARCH:-}
  [ -f "$PETSC_DIR/include/petscversion.h" ] || die "PETSC_DIR=$PETSC_DIR holds no include/petscversion.h: set it to a PETSc, or unset it and one is built"
  [ -f "$PETSC_DIR/$arch/lib/petsc/conf/petscvariables" ] ||
    die "PETSC_DIR=$PETSC_DIR has no configuration '$arch': set PETSC_ARCH to one of its arch folders (empty for a prefix installation)"
}

find_nvcc() {
  local c
  for c in "$(command -v nvcc || true)" "${CUDA_HOME:-/none}/bin/nvcc" /usr/local/cuda/bin/nvcc; do
    [ -n "$c" ] && [ -x "$c" ] && { echo "$c"; return 0; }
  done
  return 0
}

# cuda_arch: HEPTANE_CUDA_ARCH, else the devices present, else 90
cuda_arch() {
  local found=''
  [ -n "${HEPTANE_CUDA_ARCH:-}" ] && { echo "$HEPTANE_CUDA_ARCH"; return; }
  have nvidia-smi && found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d '. ' | grep -E '^[0-9]+$' | sort -un | paste -sd, || true)
  echo "${found:-90}"
}

# petsc_options: what makes this variant, one option a line
petsc_options() {
  local nvcc cuda
  if [ "$variant" = debug ]; then
    echo --with-debugging=1
  else
    printf '%s\n' --with-debugging=0 COPTFLAGS=-O3 CXXOPTFLAGS=-O3
  fi
  printf '%s\n' --with-fc=0 --with-x=0 "--with-cc=$mpicc" "--with-cxx=$mpicxx" "--with-mpiexec=$mpiexec"
  case "$variant" in
    default)
      nvcc=$(find_nvcc)
      if [ -n "$nvcc" ]; then
        printf '%s\n' --with-cuda=1 "--with-cuda-arch=$(cuda_arch)" "--with-cudac=$nvcc" CUDAOPTFLAGS=-O3
        cuda=$(cuda_folder "$nvcc")
        if lacks_nvml "$cuda"; then nvml_options "$cuda"; fi
      else
        echo --with-cuda=0
      fi
      ;;
    host | debug) echo --with-cuda=0 ;;
    single) printf '%s\n' --with-cuda=0 --with-precision=single ;;
    int64) printf '%s\n' --with-cuda=0 --with-64-bit-indices=1 ;;
    complex) printf '%s\n' --with-cuda=0 --with-scalar-type=complex ;;
  esac
}

petsc_identity() {
  petsc_options
  "$mpicc" -show
  cc --version | head -n 1
  if [ "$variant" = default ] && [ -n "$(find_nvcc)" ]; then "$(find_nvcc)" --version | grep release; fi
}

petsc_archive_ok() { [ -f "$1" ] && echo "$petsc_sha256  $1" | sha256sum --check --status; }

download_petsc() {
  local dir=$1 list
  list=$(mktemp)
  echo "petsc==$petsc_version --hash=sha256:$petsc_sha256" >"$list"
  python3 -m pip download --disable-pip-version-check --no-deps --no-binary petsc -d "$dir" -r "$list"
  rm -f "$list"
}

# petsc_archive: sets archive to a verified source archive
petsc_archive() {
  archive=${HEPTANE_PETSC_ARCHIVE:-}
  if [ -n "$archive" ]; then
    [ -f "$archive" ] || die "HEPTANE_PETSC_ARCHIVE=$archive does not exist"
    petsc_archive_ok "$archive" || die "$archive is not petsc-$petsc_version.tar.gz: its sha256 must be $petsc_sha256"
    return
  fi
  archive=$cache/download/petsc-$petsc_version.tar.gz
  petsc_archive_ok "$archive" && return
  rm -f "$archive"
  mkdir -p "$cache/download"
  run_step "downloading PETSc $petsc_version" "$cache/log/petsc-download.log" : \
    "Check the network; or fetch petsc-$petsc_version.tar.gz elsewhere and set HEPTANE_PETSC_ARCHIVE to it." download_petsc "$cache/download"
  petsc_archive_ok "$archive" || die "the downloaded $archive has not the sha256 $petsc_sha256: it was not used; delete it and try again"
}

compile_progress() {
  local total
  [ -f "$petsc_files" ] || return 0
  total=$(tr ' ' '\n' <"$petsc_files" | grep -cE '^src/.*\.(c|cxx|cu|cpp)$')
  echo "$(grep -cE '^ +(CC|CXX|CUDAC) ' "$petsc_make_log") of $total files compiled"
}

petsc_configure() { cd "$1" && shift && env -u PETSC_DIR -u PETSC_ARCH -u MAKEFLAGS -u MAKELEVEL -u MFLAGS python3 ./configure "$@"; }
petsc_make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u CFLAGS -u CXXFLAGS make -C "$1" PETSC_DIR="$1" PETSC_ARCH=build "${@:2}"; }

build_petsc() {
  local prefix=$1 work=$cache/build/$2 source options archive log=$cache/log/$2 again='Then run the same command again: it goes on from here.'
  [ -f "$prefix/.complete" ] && return
  mapfile -t options < <(petsc_options)
  source=$work/petsc-$petsc_version
  if [ ! -f "$work/.unpacked" ]; then
    petsc_archive
    rm -rf "$work"
    mkdir -p "$work"
    tar -xf "$archive" -C "$work" || die "cannot unpack $archive into $work: is the disk full?"
    touch "$work/.unpacked"
  fi
  if [ ! -f "$work/.configured" ]; then
    rm -rf "$source/build"
    run_step "configuring PETSc $petsc_version, variant $variant (about a minute)" "$log-configure.log" : \
      "The whole story is in $source/configure.log; mostly a compiler or library is missing. Trouble with CUDA alone: make VARIANT=host leaves it out. $again" \
      petsc_configure "$source" PETSC_ARCH=build "--prefix=$prefix" "${options[@]}"
    touch "$work/.configured"
  fi
  petsc_files=$source/build/lib/petsc/conf/files petsc_make_log=$log-make.log
  run_step "compiling PETSc with $np processes (about 12 core-minutes)" "$petsc_make_log" compile_progress \
    "Out of memory or disk? HEPTANE_NP=1 needs the least memory. $again" petsc_make "$source" MAKE_NP="$np" all
  rm -rf "$prefix"
  run_step "installing PETSc into $prefix" "$log-install.log" : "Is the disk full? $again" petsc_make "$source" install
  touch "$prefix/.complete"
  rm -rf "$work"
}

setup_petsc() {
  local key
  key=petsc-$petsc_version-$variant-$(petsc_identity | short_hash)
  petsc_dir=$cache/$key petsc_arch=''
  [ -f "$petsc_dir/.complete" ] || ! petsc_options | grep -qF "$cache/nvml-" || setup_nvml
  [ -f "$petsc_dir/.complete" ] || with_lock "$key" build_petsc "$petsc_dir" "$key"
}
