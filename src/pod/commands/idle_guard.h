#pragma once

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "kml/job/views/dev_session.h"

namespace kml::cli {

/// The program in the pod of a `kml dev` session, for sh (POSIX, with awk, readlink and stat). After $1
/// seconds without activity, it ends the pod, which frees its GPUs. If $2... is given, the program runs that
/// command, and ends when the command ends. Activity is input on a terminal in the pod, more than 5 % of one
/// core used by all processes in the pod, a GPU that is at least 5 % busy, or traffic through a forwarded
/// port or ssh. For such traffic, pod::SessionActivity touches the file $told. The program checks every $step
/// seconds. Processor times come from proc(5), /proc/PID/stat, fields 14 to 17, in 1/100 s.
inline constexpr const char* kIdleGuard = R"SH(idle=$1; shift
main=
if [ $# -gt 0 ]; then "$@" & main=$!; fi
trap 'rm -f "$told"' EXIT
trap '[ -z "$main" ] || kill $main; exit 0' TERM

terminals() { for p in /proc/[0-9]*; do readlink $p/fd/0; done 2>/dev/null | grep '^/dev/pts/' | sort -u; }
ticks() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v self=$$ '$1 != self { sub(/.*\) /, ""); sum += $12 + $13 + $14 + $15 } END { print sum + 0 }'; }
last=$(ticks)
is_active() {
  now=$(ticks); used=$((now - last)); last=$now
  [ ${used#-} -le $((step * 5)) ] || return 0
  for t in $(terminals); do # the kernel notes the time of input every 8 seconds
    [ $(($(date +%s) - $(stat -c %X $t))) -gt $((step + 8)) ] || return 0
  done
  at=$(stat -c %Y "$told" 2>/dev/null) && [ $(($(date +%s) - at)) -le $((step + 1)) ] && return 0
  nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits 2>/dev/null | awk '$1 >= 5 { busy = 1 } END { exit !busy }'
}
tell() { echo "$1"; for t in $(terminals); do echo "$1" >$t; done 2>/dev/null; }

quiet=0 warned=
while [ -z "$main" ] || kill -0 $main 2>/dev/null; do
  sleep $step & wait $!
  if is_active; then quiet=0 warned=; continue; fi
  quiet=$((quiet + step))
  if [ $quiet -ge $idle ]; then
    tell "kml: no activity for $quiet s: this session ends"
    [ -z "$main" ] || kill $main
    exit 0
  fi
  if [ -z "$warned" ] && [ $((quiet * 5)) -ge $((idle * 4)) ]; then
    warned=1
    tell "kml: no activity for $quiet s: this session ends in $((idle - quiet)) s, unless something is typed or runs"
  fi
done
wait $main
)SH";

/// The idle guard for a session with this limit.
inline std::string idle_guard(std::chrono::seconds limit) {
  return fmt::format("told={}\nstep={}\n", job::kActivityFile, job::guard_step(limit).count()) + kIdleGuard;
}

}  // namespace kml::cli
