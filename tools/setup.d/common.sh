# Messages, locks and long steps with progress for tools/setup. Knows nothing of what the steps do.

say() { printf 'heptane set-up: %s\n' "$*" >&2; }
die() { printf 'heptane set-up: error: %s\n' "$*" >&2; exit 1; }

# short_hash: the first 10 hex digits of stdin's sha256
short_hash() { sha256sum | cut -c1-10; }

# clock SECONDS: as m:ss
clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

cache_writable() { mkdir -p "$cache/log" 2>/dev/null && [ -w "$cache" ] && [ -w "$cache/log" ]; }

# started PID: when the process began, in clock ticks since the machine did; nothing if there is none. A number that was given to another process tells itself by it
started() {
  local line
  [ -r "/proc/$1/stat" ] && read -r line 2>/dev/null <"/proc/$1/stat" || return 0
  # what follows the command's closing bracket begins with the third field; the time is the 22nd
  cut -d' ' -f20 <<<"${line##*) }"
}

lock_file='' lock_fd=''

# lock_holder FILE: whom one waits for: what the holder wrote, else the processes that have the file open
lock_holder() {
  local line='' fd
  read -r line <"$1" || true
  case "$line" in process\ *) echo "$line"; return ;; esac
  for fd in /proc/[0-9]*/fd/*; do
    if [ "$fd" -ef "$1" ]; then fd=${fd#/proc/}; [ "${fd%%/*}" = $$ ] || echo "${fd%%/*}"; fi
  done 2>/dev/null | sort -un | xargs echo process
}

# wait_for_lock NAME: says for whom, again after every HEPTANE_LOCK_PERIOD seconds (tests set it)
wait_for_lock() {
  local name=$1 start=$SECONDS
  say "waiting for another set-up that works on $name: $(lock_holder "$lock_file"); its logs: $cache/log/$name*"
  until flock -w "${HEPTANE_LOCK_PERIOD:-30}" "$lock_fd"; do
    say "still waiting after $(clock $((SECONDS - start))) for $(lock_holder "$lock_file"). Should it hang, end it (kill); the work goes on from where it is"
  done
}

# group_at_work GROUP: one of its processes has not ended; what nobody waits for stays as a zombie where the first process of a container reaps none
group_at_work() { { cat /proc/[0-9]*/stat 2>/dev/null || true; } | awk -v group="$1" '{ sub(/.*\) /, "") } $3 == group && $1 != "Z" { found = 1 } END { exit !found }'; }

# end_orphan: a set-up that was cut off (its terminal closed, kill -9) may have left a step at work in the folder that is ours now
end_orphan() {
  local host group start tries
  host=$(sed -n '1s/^process .* on \([^ ]*\) since .*/\1/p' "$lock_file")
  read -r group start < <(sed -n 's/^step //p' "$lock_file" | tail -n 1) || return 0
  [ "$host" = "$(uname -n)" ] && [ -n "$start" ] && [ "$(started "$group")" = "$start" ] || return 0
  say "an earlier set-up was cut off ($(lock_holder "$lock_file")) and left a step running: ending it; what it has done is kept"
  kill -TERM -- "-$group" 2>/dev/null || true
  for tries in {1..100}; do
    group_at_work "$group" || return 0
    [ "$tries" != 50 ] || kill -KILL -- "-$group" 2>/dev/null || true
    sleep 0.1
  done
  die "the processes of group $group still run: end them (kill -KILL -- -$group), then run the same command again"
}

# with_lock NAME FUNCTION [ARGS]: one set-up at a time works on NAME; the others wait and then find it done. The lock goes with its process: steps do not inherit it.
with_lock() {
  local name=$1; shift
  cache_writable || die "$name is not complete in the cache folder $cache, which cannot be written to: set HEPTANE_CACHE to a folder you can write to"
  if ! command -v flock >/dev/null; then "$@"; return; fi
  lock_file=$cache/$name.lock
  # opened without emptying it: it names the holder
  exec {lock_fd}<>"$lock_file"
  flock -n "$lock_fd" || wait_for_lock "$name"
  end_orphan
  echo "process $$ of $(id -un 2>/dev/null || id -u) on $(uname -n) since $(date '+%F %T')" >"$lock_file"
  "$@"
  : >"$lock_file"
  exec {lock_fd}>&-
  lock_file='' lock_fd=''
}

interrupted() {
  trap '' HUP INT PIPE TERM
  kill -TERM -- "-$running_step" 2>/dev/null
  say "interrupted; the same command goes on from here"
  exit 130
}

# step_alone COMMAND...: without the lock, which says whom to end should the set-up be cut off
step_alone() {
  # not inside $(...): BASHPID is there the substitution's own process, which may have begun a tick later
  local pid=$BASHPID
  if [ -n "$lock_file" ]; then
    echo "step $pid $(started "$pid")" >>"$lock_file"
    exec {lock_fd}>&-
  fi
  "$@"
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
  step_alone "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  set +m
  running_step=$pid
  trap interrupted HUP INT PIPE TERM
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
  trap - HUP INT PIPE TERM
  [ "$tty" = 0 ] || printf '\r\033[K' >&2
  [ "$status" = 0 ] && { say "done: $what, $(clock $((SECONDS - start)))"; return 0; }
  printf '\n' >&2
  tail -n 25 "$log" >&2
  die "$what failed with status $status; above are the last lines of $log. $remedy"
}
