#!/usr/bin/env bash
# How -dll_append names the library: the ways that work, and the ones that must end with an error or do nothing at all.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
app=$bin/app
type=(-mat_type bdiagh -ksp_type gmres -pc_type none)
solved='type seqaijbdiagh ranks 1 solved'
unknown='Unknown (Mat )?type|Unknown type'

mkdir -p here other dir.so.d
cp "$HEPTANE_LIB" here/libheptane.so
cp "$HEPTANE_LIB" other/libheptane.so
cp "$HEPTANE_LIB" dir.so.d/libheptane.so
cp "$HEPTANE_LIB" here/libseven.so

run "$app" "${type[@]}"
expect 'without the library the type is unknown' fail "$unknown"

run "$app" -dll_append "$HEPTANE_LIB" "${type[@]}"
expect 'absolute path' 0 "$solved"

run "$app" -dll_append ./here/libheptane.so "${type[@]}"
expect 'path that begins with ./' 0 "$solved"

run "$app" -dll_append ./here/libheptane "${type[@]}"
expect 'path without suffix' 0 "$solved"

run "$app" -dll_append "$work/dir.so.d/libheptane.so" "${type[@]}"
expect 'folder with .so in its name' 0 "$solved"

run "$app" -dll_prepend "$HEPTANE_LIB" "${type[@]}"
expect '-dll_prepend' 0 "$solved"

run env PETSC_OPTIONS="$gpu_options -dll_append $HEPTANE_LIB" "$app" "${type[@]}"
expect 'environment variable PETSC_OPTIONS' 0 "$solved"

printf -- '-dll_append %s\n-mat_type bdiagh\n-ksp_type gmres\n-pc_type none\n' "$HEPTANE_LIB" >.petscrc
run "$app"
expect 'file .petscrc in the working folder' 0 "$solved"
mv .petscrc home/.petscrc
run "$app"
expect 'file .petscrc in the home folder' 0 "$solved"
rm -f home/.petscrc

run env HEPTANE_HERE="$work/here" "$app" -dll_append '${HEPTANE_HERE}/libheptane.so' "${type[@]}"
expect 'environment variable inside the path' 0 "$solved"

# the folders of LD_LIBRARY_PATH are searched, so ours must not be among them
search=$(tr : '\n' <<<"${LD_LIBRARY_PATH:-}" | grep -vxF "$(dirname "$HEPTANE_LIB")" | paste -sd: || true)
(cd here && LD_LIBRARY_PATH=$search "$app" -dll_append libheptane.so "${type[@]}") >no-slash.log 2>&1 </dev/null
status=$? output=$(cat no-slash.log)
expect 'a name without a slash is an error' fail 'Unable to open dynamic library|cannot open shared object'

run "$app" -dll_append "$work/here/libmissing.so" "${type[@]}"
expect 'a missing file is an error' fail 'Unable to (locate|open|find)|not found'

run "$app" -dll_append ./here/libseven.so "${type[@]}"
expect 'a renamed library registers nothing' fail "$unknown"

run "$app" -dll_append "$HEPTANE_LIB" -dll_append ./here/libseven.so "${type[@]}"
expect 'the last -dll_append wins' fail "$unknown"

run "$app" -dll_append "./here/libseven.so,$HEPTANE_LIB" "${type[@]}"
expect 'two libraries in one list' 0 "$solved"

run "$app" -dll_append "$HEPTANE_LIB,$HEPTANE_LIB" "${type[@]}" -malloc_dump
expect 'the same path twice' 0 "$solved"

run "$app" -dll_append "$work/here/libheptane.so,$work/other/libheptane.so" "${type[@]}" -malloc_dump
expect 'two copies under two paths' 0 "$solved"
run "$app" -times 2 -dll_append "$work/here/libheptane.so,$work/other/libheptane.so" "${type[@]}"
expect 'two copies, PETSc initialized again' 0 "$solved"

run "$app" -dll_append "$HEPTANE_LIB" "${type[@]}" -version
expect '-version names heptane and its PETSc' 0 '^heptane [0-9]+\.[0-9]+\.[0-9]+ for PETSc 3\.[0-9]+$'
finish
