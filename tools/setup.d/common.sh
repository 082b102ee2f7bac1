# Messages, locks and long steps with progress for tools/setup. Knows nothing of what the steps do.

say() { printf 'heptane set-up: %s\n' "$*" >&2; }
die() { printf 'heptane set-up: error: %s\n' "$*" >&2; exit 1; }

# short_hash: the first 10 hex digits of stdin's sha256
short_hash() { sha256sum | cut -c1-10; }

# clock SECONDS: as m:ss
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# with_lock NAME FUNCTION [ARGS]: one set-up at a time works on NAME; the others wait and then find it done
with_lock() {
  local name=$1 fd; shift
  if ! command -v flock >/dev/null; then "$@"; return; fi
  exec {fd}>"$cache/$name.lock"
  if ! flock -n "$fd"; then
    say "waiting for another set-up that works on $name"
    flock "$fd"
  fi
  "$@"
  exec {fd}>&-
}

interrupted() {
  kill -TERM -- "-$running_step" 2>/dev/null
  say "interrupted; the same command goes on from here"
  exit 130
}

# run_step WHAT LOG PROGRESS REMEDY COMMAND...: run COMMAND into LOG; meanwhile tell the time and what the function PROGRESS prints
# (":" for nothing), in place on a terminal, every half minute elsewhere; on failure the end of LOG and the remedy
run_step() {
  local what=$1 log=$2 progress=$3 remedy=$4 start=$SECONDS pid told=0 period=30 status=0 tty=0; shift 4
  [ -t 2 ] && tty=1 period=1
  say "$what (log: $log)"
  mkdir -p "$(dirname "$log")"
  # a process group of its own, so that an interruption ends all of it
  set -m
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  set +m
  running_step=$pid
  trap interrupted INT TERM
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.5
    if [ $((SECONDS - start - told)) -ge "$period" ]; then
      told=$((SECONDS - start))
      if [ "$tty" = 1 ]; then
        printf '\r\033[K  %s %s' "$(clock "$told")" "$("$progress")" >&2
      else
        printf '  %s %s\n' "$(clock "$told")" "$("$progress")" >&2
      fi
    fi
  done
  wait "$pid" || status=$?
  trap - INT TERM
  [ "$tty" = 0 ] || printf '\r\033[K' >&2
  [ "$status" = 0 ] && { say "done: $what, $(clock $((SECONDS - start)))"; return 0; }
  printf '\n' >&2
  tail -n 25 "$log" >&2
  die "$what failed with status $status; above are the last lines of $log. $remedy"
}
