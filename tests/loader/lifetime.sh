#!/usr/bin/env bash
# Loaded, linked, both, and all of it again after PetscFinalize(); nothing is left over, neither memory nor options.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
compiled app
compiled consumer
app=$bin/app
export LD_LIBRARY_PATH=$(dirname "$HEPTANE_LIB")${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
load=(-dll_append "$HEPTANE_LIB" -mat_type bdiagh -ksp_type gmres -pc_type none)
leak='Memory allocated by|bytes which could not be freed|\[ ?0\] ?[0-9]+ bytes'

run "$app" "${load[@]}" -times 3
expect 'PetscInitialize again' 0 'solved'
[ "$(grep -c ' solved' <<<"$output")" = 3 ] && ok 'three rounds solved' || not_ok 'three rounds solved' "$output"

run "$bin/consumer"
expect 'linked' 0 'round 2 passed'
run "$bin/consumer" -dll_append "$HEPTANE_LIB"
expect 'linked and loaded' 0 'round 2 passed'
cp "$HEPTANE_LIB" libheptane.so
run "$bin/consumer" -dll_append ./libheptane.so
expect 'linked and loaded from another path' 0 'round 2 passed'
run "$MPIEXEC" -n 2 "$bin/consumer" -dll_append "$HEPTANE_LIB"
expect 'linked and loaded on 2 ranks' 0 'round 2 passed'

run "$app" "${load[@]}" -malloc_dump
expect 'all memory is given back' 0 'solved' && expect_not 'no memory is left by -malloc_dump' "$leak"
run "$bin/consumer" -malloc_dump -dll_append "$HEPTANE_LIB"
expect_not 'no memory is left when linked and loaded' "$leak"

run "$app" "${load[@]}" -options_left
expect 'with -options_left' 0 'solved' && expect_not 'no option is left by -options_left' 'unused database option|option.*left.*-(dll|mat|heptane)'

run "$app" "${load[@]}" -mat_bdiagh_max_fill 2.5 -heptane_device host -options_left
expect 'own options are read' 0 'solved' && expect_not 'own options are not left' 'unused database option'

run "$MPIEXEC" -n 2 "$app" "${load[@]}"
expect '2 ranks' 0 'type mpiaijbdiagh ranks 2 solved'

run "$app" "${load[@]}" -help
expect '-help lists the options of the type' 0 '-mat_bdiagh_block_size' && expect '-help lists the library-wide option' 0 '-heptane_device' && expect '-help lists that of the metrics' 0 '-heptane_metrics'
finish
