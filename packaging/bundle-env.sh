# Source this in bash, from anywhere: . path/to/env.sh. Sets what the programs of this archive need, with the names the makefile uses.
# PETSC_OPTIONS stays as it is. CUDA's libraries are looked for in the usual places; CUDA_LIB_DIR=folder names another.
HEPTANE_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export HEPTANE_DIR
export HEPTANE_BUILD=$HEPTANE_DIR/build HEPTANE_LIB=$HEPTANE_DIR/build/lib/libheptane.so
export PETSC_DIR=$HEPTANE_DIR/petsc PETSC_ARCH= MPIEXEC=$HEPTANE_DIR/mpi/bin/mpiexec
export HYDRA_LAUNCHER=${HYDRA_LAUNCHER:-fork}
export MPIR_CVAR_CH4_PROGRESS_THROTTLE=${MPIR_CVAR_CH4_PROGRESS_THROTTLE:-1}
export MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT=${MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT:-16}
export PATH=$HEPTANE_DIR/mpi/bin:$PATH
if [ -d "$HEPTANE_DIR/petsc/python" ]; then export PYTHONPATH=$HEPTANE_DIR/petsc/python${PYTHONPATH:+:$PYTHONPATH}; fi
export LD_LIBRARY_PATH=$HEPTANE_DIR/build/lib:$HEPTANE_DIR/petsc/lib:$HEPTANE_DIR/mpi/lib:$HEPTANE_DIR/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# A folder is added for each CUDA library that the loader does not find by itself
_heptane_cuda_dir() {
  local d
  for d in ${LD_LIBRARY_PATH//:/ } ${CUDA_LIB_DIR:-} ${CUDA_HOME:+"$CUDA_HOME/lib64"} ${CUDA_PATH:+"$CUDA_PATH/lib64"} /usr/local/cuda/lib64 \
    /usr/local/cuda*/lib64 /usr/local/cuda*/targets/x86_64-linux/lib /opt/cuda/lib64 \
    $(python3 -c 'import glob, os, sys; print(*[d for p in sys.path for d in glob.glob(os.path.join(p, "nvidia", "*", "lib"))])' 2>/dev/null); do
    [ -e "$d/$1" ] && { echo "$d"; return 0; }
  done
  return 1
}
while read -r _heptane_lib; do
  if ldconfig -p 2>/dev/null | grep -q "[[:space:]]$_heptane_lib "; then continue; fi
  if _heptane_dir=$(_heptane_cuda_dir "$_heptane_lib"); then
    case ":$LD_LIBRARY_PATH:" in *":$_heptane_dir:"*) ;; *) LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$_heptane_dir ;; esac
  else
    echo "env.sh: $_heptane_lib of CUDA is not on this machine or not in a usual place: set CUDA_LIB_DIR to its folder" >&2
  fi
done <"$HEPTANE_DIR/lib/cuda-libraries"
unset -f _heptane_cuda_dir
unset _heptane_lib _heptane_dir
