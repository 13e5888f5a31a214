#include "pod/hang/probe.h"

namespace kml::pod {

namespace {

/// Each line of output starts with a word that names its content. look() only uses commands that are built
/// into the shell, so that it does not start a process for each thread. Command lines come after the samples
/// and the stacks, because reading the command line of a process whose memory is locked may hang.
constexpr const char* kScript = R"SH(exec 2>/dev/null
pause=$1 spy=py-spy locks=$3
command -v py-spy >/dev/null || [ ! -x "$2" ] || spy=$2
# Some images have a shell, but the other tools only as applets of busybox.
for tool in sleep ls readlink tr cut uname timeout rm cat wc stat date tail; do
  command -v $tool >/dev/null || ! [ -x /bin/busybox ] || eval "$tool() { /bin/busybox $tool \"\$@\"; }"
done
echo "self $$ $PPID $(uname -m)"
look() {
  read -r up rest </proc/uptime
  echo "look $up"
  for p in /proc/[0-9]*; do
    pid=${p#/proc/} line= wait= call= rest=
    IFS= read -r line <$p/stat || continue
    echo "P $line"
    read -r wait <$p/task/$pid/wchan
    read -r call rest <$p/task/$pid/syscall
    echo "W $pid ${wait:-0} ${call:--} ${rest%% *}"
    while read -r key value rest; do
      case $key in rchar: | wchar: | read_bytes: | write_bytes:) echo "I $pid $key $value" ;; esac
    done <$p/io
    for t in $p/task/*; do
      [ "$t" != "$p/task/$pid" ] && IFS= read -r line <$t/stat || continue
      case $line in *") D "*) wait=; read -r wait <$t/wchan; echo "D $pid ${wait:-0}" ;; esac
    done
  done
}
# On the embedded server, /proc may also show the processes of the machine.
is_of_container() {
  at=$1
  while [ $PPID != 0 ] && [ $at != $PPID ]; do
    [ "$at" -gt 1 ] && IFS= read -r line </proc/$at/stat || return 1
    line=${line##*) } line=${line#* } at=${line%% *}
  done
}
# dump PID EXE SECONDS [LOCKS]: the stacks of all threads, and the locks of each, as far as its Python finds them.
dump() {
  dumped=$(limited $3 $spy dump --nonblocking --json ${4:+--locals} --pid $1 2>&1 </dev/null)
  case $dumped in *"["*) ;; *) plain=$(limited $3 $spy dump --nonblocking --pid $1 2>/dev/null </dev/null) && dumped=$plain ;; esac
  echo "S $1"
  if [ -z "$4" ] || ! printf '%s\n' "$dumped" | limited $3 "$2" -I -S -c "$4" $1; then printf '%s\n' "$dumped"; fi
  echo
  echo "S end"
}
# dump_all MOST SECONDS [LOCKS]
dump_all() {
  count=0
  for p in /proc/[0-9]*; do
    pid=${p#/proc/} exe=
    exe=$(readlink $p/exe)
    case ${exe##*/} in python*) is_of_container $pid || continue ;; *) continue ;; esac
    if ! command -v $spy >/dev/null; then echo "N $pid"
    elif [ $count -lt $1 ]; then
      count=$((count + 1))
      dump $pid "$exe" $2 "$3"
    fi
  done
}
limited() { if command -v timeout >/dev/null; then timeout "$@"; else shift; "$@"; fi; }
look
recorded=${TORCH_FR_DUMP_TEMP_FILE:-${TORCH_NCCL_DEBUG_INFO_TEMP_FILE:-/tmp/nccl_trace_rank_}}
asked=${TORCH_NCCL_DEBUG_INFO_PIPE_FILE:-} since=
for f in "$asked"*.pipe; do # opened for both, so that it never waits for a reader
  [ -n "$asked" ] && [ -p "$f" ] && since=$(date +%s) && echo 1 1<>"$f"
done
if command -v nvidia-smi >/dev/null; then
  limited 3 nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader,nounits </dev/null |
    while read -r use; do echo "G $use"; done
fi
# Who listens on port 28028 (6D7C), in the state LISTEN (0A): proc_pid_net(5).
held=
for f in /proc/net/tcp /proc/net/tcp6; do
  while read -r n local remote state queues timer retries uid timeout inode rest; do
    case $local/$state in *:6D7C/0A) echo "L $inode"; held="$held socket:[$inode] " ;; esac
  done <$f
done
[ -z "$held" ] || for p in /proc/[0-9]*; do
  ls -l $p/fd | while read -r line; do
    case $held in *" ${line##* } "*) echo "O ${p#/proc/} ${line##* }" ;; esac
  done
done
dump_all 4 1
sleep $((pause / 2))
dump_all 4 1
sleep $((pause - pause / 2))
look
echo end
for p in /proc/[0-9]*; do
  pid=${p#/proc/} exe= line= call= first=
  exe=$(readlink $p/exe) && echo "E $pid $exe"
  read -r call first line <$p/syscall
  case $first in
    0x?|0x??|0x???) echo "F $pid $(readlink $p/fd/$(($first)))" ;;
  esac
done
dump_all 16 4 "$locks"
# "7: FLOCK ADVISORY WRITE 81 …", and who waits for that lock: "7: -> FLOCK ADVISORY WRITE 82 …" (proc_locks(5)).
while read -r number kind type mode right rest; do
  case $kind in "->") echo "K ${rest%% *} $owner" ;; *) owner=$right ;; esac
done </proc/locks
[ -z "$2" ] || rm -f "$2"
for p in /proc/[0-9]*; do
  pid=${p#/proc/}
  [ $pid = $$ ] || echo "C $pid $(tr '\000\n' '  ' <$p/cmdline | cut -c1-300)"
done
# Pickles end with a dot, JSON with a brace. What has just been asked for may still be missing, or not be written to its end.
is_written() {
  case $(tail -c 1 "$1") in . | "}") [ $(($(stat -c %Y "$1") + 1)) -ge "${since:-0}" ] ;; *) false ;; esac
}
are_written() {
  for f in "$recorded"[0-9]*; do
    case $f in *.pipe) continue ;; esac
    [ -f "$f" ] || [ -n "$since" ] || continue
    is_written "$f" || return 1
  done
}
for try in 1 2 3; do are_written || sleep 1; done
left=6000000
for f in "$recorded"[0-9]*; do
  [ -f "$f" ] && size=$(wc -c <"$f") && written=$(stat -c %Y "$f") || continue
  case $f in *.pipe) continue ;; esac
  [ $((size)) -gt $left ] && size=0 # kml says that it is missing
  left=$((left - size))
  echo "T $((size)) $(($(date +%s) - written)) ${f#"$recorded"}"
  [ $((size)) = 0 ] || cat "$f"
done
)SH";

}  // namespace

std::vector<std::string> probe_command(std::chrono::seconds between, const std::string& py_spy) {
  return {"sh", "-c", kScript, "sh", std::to_string(between.count()), py_spy, lock_script()};
}

}  // namespace kml::pod
