#!/usr/bin/env bash
# Installs into a scratch prefix (with make, and with CMake) and builds a program against heptane.pc and against HeptaneConfig.cmake.
. "$(dirname "${BASH_SOURCE[0]}")/../loader/common.bash"
source=$HEPTANE_DIR/tests/install
petsc_lib=$PETSC_DIR/${PETSC_ARCH:+$PETSC_ARCH/}lib

if [ ! -f "$HEPTANE_DIR/makefile" ]; then skip 'installation' 'this archive holds no sources'; finish; fi

use_prefix() { # NAME PREFIX: the two kinds of consumer of an installation
  local name=$1 prefix=$2 f
  for f in lib/libheptane.so bin/heptane-tune bin/heptane-advise include/heptane.h lib/pkgconfig/heptane.pc lib/cmake/Heptane/HeptaneConfig.cmake lib/cmake/Heptane/HeptaneConfigVersion.cmake; do
    [ -f "$prefix/$f" ] || not_ok "$name installs $f"
  done
  if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$prefix/lib/pkgconfig:$petsc_lib/pkgconfig
    # shellcheck disable=SC2046
    run $(pkg-config --variable=ccompiler petsc) "$source/consumer.c" -o "$work/$name-pc" $(pkg-config --cflags --libs heptane)
    expect "$name: a program builds with heptane.pc" 0 '' && run env -u LD_LIBRARY_PATH "$work/$name-pc" && expect "$name: it runs" 0 'round 2 passed'
    run env -u LD_LIBRARY_PATH "$work/$name-pc" -dll_append "$(pkg-config --variable=plugin heptane)"
    expect "$name: the plugin named by heptane.pc loads" 0 'round 2 passed'
    unset PKG_CONFIG_PATH
  else
    skip "$name: heptane.pc" 'no pkg-config'
  fi
  if command -v cmake >/dev/null && command -v pkg-config >/dev/null; then
    run sh -c "cmake -S '$source' -B '$work/$name-cmake' -DCMAKE_PREFIX_PATH='$prefix' && cmake --build '$work/$name-cmake'"
    expect "$name: a program builds with HeptaneConfig.cmake" 0 '' && run env -u LD_LIBRARY_PATH "$work/$name-cmake/consumer" && expect "$name: it runs with CMake" 0 'round 2 passed'
  else
    skip "$name: HeptaneConfig.cmake" 'no cmake or no pkg-config'
  fi
}

# a build by CMake is left alone: make then uses its own folder
unset MAKEFLAGS MFLAGS MAKELEVEL
make=(make --no-print-directory -C "$HEPTANE_DIR")
[ ! -f "$HEPTANE_BUILD/CMakeCache.txt" ] || make=(env -u HEPTANE_BUILD -u HEPTANE_LIB "${make[@]}")
run "${make[@]}" install PREFIX="$work/made"
expect 'make install' 0 'Installed in' && use_prefix made "$work/made"

# an installation that moves still works
cp -r "$work/made" "$work/moved" && rm -rf "$work/made"
use_prefix moved "$work/moved"

# the line that is printed loads the library, wherever it lies
compiled app
printed() { # NAME PREFIX
  run "${make[@]}" install PREFIX="$2"
  expect "make install, $1" 0 'Installed in' || return
  run sh -c "$(sed -n "s|^Installed in .*:  \\(PETSC_OPTIONS=.*\\) ./anyapp|\\1 '$bin/app' $gpu_options|p" <<<"$output") -ksp_type gmres -pc_type none"
  expect "the line that make install prints, $1" 0 'type seqaijbdiagh ranks 1 solved'
}
printed 'a plain prefix' "$work/plain"
printed 'a prefix with a blank' "$work/a blank"

# a program of one's own with the PETSc that heptane was built with: README.md, "Compile your own program"
if command -v pkg-config >/dev/null; then
  # shellcheck disable=SC2016
  run env PKG_CONFIG_PATH= bash -c 'settings=$("${@:3}" -s env) && eval "$settings" && mpicc=$(pkg-config --variable=ccompiler petsc) &&
    $mpicc "$1" -o "$2" $(pkg-config --cflags --libs petsc) -Wl,-rpath,"$(pkg-config --variable=libdir petsc)" && [ -d "$HEPTANE_BUILD" ] && env -u LD_LIBRARY_PATH "$2" -dll_append "$HEPTANE_LIB" -mat_type bdiagh -ksp_type gmres -pc_type none' \
    _ "$here/app.c" "$work/own" "${make[@]}"
  expect 'a program compiled with what make env prints' 0 'type seqaijbdiagh ranks 1 solved'
else
  skip 'a program compiled with what make env prints' 'no pkg-config'
fi

run "${make[@]}" install PREFIX=/proc/heptane
expect 'a prefix that cannot be written to is an error with a remedy' fail 'PREFIX='

if command -v cmake >/dev/null && command -v pkg-config >/dev/null; then
  # CMake compiles one source of each language and links the objects that make has compiled
  export CMAKE_BUILD_PARALLEL_LEVEL=${HEPTANE_NP:-2}
  build=$work/cmake objects=$work/cmake/CMakeFiles/heptane.dir
  own=(src/heptane.cxx.o)
  if [ -e "$HEPTANE_BUILD/obj/src/pc/gridmg/device/block_factor.cu.o" ]; then own+=(src/pc/gridmg/device/block_factor.cu.o); fi
  run sh -c "cmake -S '$HEPTANE_DIR' -B '$build' -G 'Unix Makefiles' -DPETSC_DIR='$PETSC_DIR' -DPETSC_ARCH='$PETSC_ARCH'"
  expect 'CMake configures' 0 ''
  output=$(<"$build/CMakeFiles/heptane.dir/flags.make") missing=''
  for folder in $(sed -n 's/^PETSC_CC_INCLUDES = //p' "$petsc_lib/petsc/conf/petscvariables"); do
    # the folders of hypre and other packages are not used
    [[ -n $(ls "${folder#-I}"/{petscsys,petscconf,cuda_runtime,nvml}.h 2>/dev/null) ]] || continue
    grep -qE "^CXX_INCLUDES = .*(-I|-isystem )${folder#-I}( |$)" <<<"$output" || missing+=" $folder"
  done
  if [ -z "$missing" ]; then ok 'CMake knows the folders of headers'; else not_ok 'CMake knows the folders of headers' "$missing"; fi
  for target in heptane inside heptane-tune heptane-advise; do
    (cd "$HEPTANE_BUILD/obj" && find "$([ $target = heptane ] && echo src || echo src/tools)" -name '*.o') | while read -r o; do
      mkdir -p "$build/CMakeFiles/$target.dir/${o%/*}" && cp "$HEPTANE_BUILD/obj/$o" "$build/CMakeFiles/$target.dir/$o"
    done
  done
  # sources that the build makes lie elsewhere with CMake
  (cd "$build/made" && find . -name '*.cu' -o -name '*.cxx') | while read -r o; do
    mkdir -p "$objects/made/${o%/*}" && if [ -e "$objects/$o.o" ]; then mv "$objects/$o.o" "$objects/made/$o.o"; fi
  done
  (cd "$objects" && rm -f "${own[@]}")
  run sh -c "cmake --build '$build' && cmake --install '$build' --prefix '$work/cmade'"
  for o in "${own[@]}"; do expect "CMake compiles ${o%.o}" 0 "Building .*${o//./\\.}"; done
  if [ "$(grep -c 'Building ' <<<"$output")" = ${#own[@]} ]; then ok 'CMake takes the other objects'; else not_ok 'CMake takes the other objects' "$output"; fi
  if expect 'CMake builds and installs' 0 ''; then
    expect_not 'CMake builds without warnings' 'warning:'
    use_prefix cmade "$work/cmade"
    made=$(cd "$work/moved" && find . -type f | sort) cmade=$(cd "$work/cmade" && find . -type f | sort)
    [ "$made" = "$cmade" ] && ok 'make and CMake install the same files' || not_ok 'make and CMake install the same files' "$made" "$cmade"
    for f in lib/pkgconfig/heptane.pc lib/cmake/Heptane/HeptaneConfig.cmake lib/cmake/Heptane/HeptaneConfigVersion.cmake include/heptane.h; do
      cmp -s "$work/moved/$f" "$work/cmade/$f" || not_ok "$f is the same from make and CMake" "$(diff "$work/moved/$f" "$work/cmade/$f")"
    done
  fi
else
  skip 'CMake builds and installs' 'no cmake or no pkg-config'
fi
finish
