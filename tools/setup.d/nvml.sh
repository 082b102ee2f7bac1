# NVML for PETSc up to 3.25 with CUDA, if the toolkit lacks nvml.h or libnvidia-ml: the header from the Python package index, and nvml.c in place of
# the library, a part of the driver.

nvml_version=13.0.87 # every driver has the functions that PETSc calls

# cuda_folder NVCC: the toolkit's
cuda_folder() { readlink -f "$("$1" -dryrun -c x.cu 2>&1 | sed -n 's/^#\$ TOP=//p')"; }

# lacks_nvml TOOLKIT
lacks_nvml() {
  case "$release" in 3.24 | 3.25) ;; *) return 1 ;; esac
  [ ! -f "$1/include/nvml.h" ] || [ ! -f "$1/lib64/stubs/libnvidia-ml.so" ]
}

# nvml_options TOOLKIT: tells configure where CUDA is, one option a line
nvml_options() {
  local name libraries=''
  for name in cudart nvtx3interop cufft cublas cusparse cusolver curand; do libraries+=$1/lib64/lib$name.so,; done
  echo "--with-cuda-include=[$1/include,$cache/nvml-$nvml_version/include]"
  echo "--with-cuda-lib=[$libraries$cache/nvml-$nvml_version/lib/libnvidia-ml.a]"
}

make_nvml() {
  local dir=$1 wheel
  [ ! -d "$dir" ] || return 0
  rm -rf "$dir.part"
  mkdir -p "$dir.part"/{include,lib}
  python3 -m pip download --disable-pip-version-check --no-deps --only-binary :all: -d "$dir.part" "nvidia-nvml-dev==$nvml_version"
  wheel=$(echo "$dir.part"/*.whl)
  python3 - "$wheel" >"$dir.part/include/nvml.h" <<'PY'
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    sys.stdout.write(z.read(next(n for n in z.namelist() if n.endswith('/nvml.h'))).decode())
PY
  "$mpicc" -O2 -fPIC -fvisibility=hidden -I"$dir.part/include" -c "$here/setup.d/nvml.c" -o "$dir.part/lib/nvml.o"
  ar cr "$dir.part/lib/libnvidia-ml.a" "$dir.part/lib/nvml.o"
  rm -f "$wheel" "$dir.part/lib/nvml.o"
  mv "$dir.part" "$dir"
}

setup_nvml() {
  local dir=$cache/nvml-$nvml_version
  [ -d "$dir" ] || with_lock "nvml" run_step "fetching nvml.h" "$cache/log/nvml.log" : \
    "Check the network, then run the same command again." make_nvml "$dir"
}
