# `kml ssh`: OpenSSH's client reaches OpenSSH's server in a pod, and knows its key.
sshd=$(command -v ssh ssh-keygen >/dev/null && "$SOURCE/tests/support/get_sshd" 2>/dev/null) || { echo "LEFT OUT: no ssh or no sshd"; exit 0; }
# As root, sshd needs its own user, which only its package creates.
if [ "$(id -u)" = 0 ] && ! getent passwd sshd >/dev/null; then
  [ "${1:-}" != inside ] || { echo "LEFT OUT: cannot add a user for sshd"; exit 0; }
  users=$(mktemp)
  { cat /etc/passwd; echo sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin; } >"$users"
  unshare --mount true 2>/dev/null || { echo "LEFT OUT: cannot add a user for sshd"; exit 0; }
  exec unshare --mount sh -c 'mount --bind "$1" /etc/passwd && rm "$1" && exec bash "$0" inside' "$0" "$users"
fi
. "$(dirname "$0")/lib.sh"
kml() { timeout 1000 "$KML" "$@"; }
export TMPDIR=$work # of the pods, where the server's settings go
in_ssh() { timeout 1000 ssh -F config -o BatchMode=yes "$@"; }

# Without sshd in the image, the error says so. For a job on this machine, the "image" is all programs in PATH
# and in the sbin folders.
if [ ! -e /usr/sbin/sshd ]; then
  expect 0 kml submit --name plain -- sleep 10000
  expect 0 kml wait plain --for=running --timeout 1000s
  expect 1 kml ssh plain --config
  contains "$err" "its container has no sshd"
fi
# Checks the same in an image without a shell.
expect 0 kml submit --name bare --env PATH=/none -- /bin/sleep 10000
expect 0 kml wait bare --for=running --timeout 1000s
expect 1 kml ssh bare --config
contains "$err" "cannot start an SSH server in bare/"
contains "$err" 'its image has no `sh`'

mkdir bin
ln -s "$sshd" bin/sshd
[ ! -x "${sshd%/*}/sftp-server" ] || ln -s "${sshd%/*}/sftp-server" bin
export PATH=$work/bin:$PATH
submit() {
  expect 0 kml submit --name j "$@" --env COLOR='dark # red' --env ODD='a"b' -- sleep 10000
  expect 0 kml wait j --for=running --timeout 1000s
}
submit
expect 0 kml ssh j --config
[ -z "$err" ] || fail "$err"
[ -z "$(ls -d kml-ssh-* 2>/dev/null)" ] || fail "--config leaves $(ls -d kml-ssh-*)"
contains "$out" "Host j.kml"$'\n'"  User $(id -un)"$'\n'
echo "$out" >config
contains "$(stat -c %a state/kml/ssh/id_ed25519)" 600

# If a key is damaged, or something else has its place, the error names the file and has a fix. kml may instead write
# the server's key again.
cp -a state/kml/ssh whole
for harm in cut empty folder loop; do
  for file in id_ed25519 hosts/local_default_j%2F0; do
    rm -r state/kml/ssh
    cp -a whole state/kml/ssh
    damaged=state/kml/ssh/$file
    [ -e "$damaged" ] || fail "$(find state/kml/ssh)"
    [ $harm = cut ] && truncate -s 20 "$damaged" || rm "$damaged"
    case $harm in
      empty) : >"$damaged" ;;
      folder) mkdir "$damaged" ;;
      loop) ln -s "${file##*/}" "$damaged" ;;
    esac
    got=0
    kml ssh j --config >harmed 2>harmed.err || got=$?
    if [ $got = 0 ]; then
      [[ $(cat harmed) = "$out" && $file != id* ]] || fail "$harm $file: $(cat harmed harmed.err)"
    else
      [[ $got = 1 && $(cat harmed.err) == *"$PWD/$damaged"*"fix: "* ]] || fail "$harm $file: $got, $(cat harmed.err)"
    fi
  done
done
rm -r state/kml/ssh
cp -a whole state/kml/ssh

# The command runs in the pod, with the container's environment; the exit code and all bytes arrive.
expect 7 in_ssh j.kml 'echo "$COLOR-$ODD"; echo wrong >&2; exit 7'
[ "$out" = "dark # red-" ] || fail "$out"
[ "$err" = wrong ] || fail "$err"
head -c 3000000 /dev/urandom >sent
in_ssh j.kml cat <sent >back
cmp sent back

# Editors use sftp, forwarded ports, and several connections at once.
echo "put sent $work/put" | timeout 1000 sftp -q -F config -b - j.kml >/dev/null
cmp sent put
for i in 1 2; do in_ssh j.kml "echo $i" >by$i & done
wait
[ "$(cat by1 by2)" = $'1\n2' ] || fail "$(cat by1 by2)"

# Sessions start in the working folder of the job, as with `kml exec` and `kml shell`.
mkdir -p "a folder's/code" home
echo pwd >"a folder's/code/where.sh"
submit --replace --chdir "a folder's" --env HOME=$work/home
here="$work/a folder's"
for session in 'kml exec j -- pwd' 'kml shell j' 'in_ssh j.kml pwd' 'in_ssh -T j.kml' 'in_ssh j.kml sh code/where.sh'; do
  expect 0 $session <<<pwd
  [ "$(tr -d '\r' <<<"$out" | tail -n 1)" = "$here" ] || fail "$session: $out $err"
done
expect 0 timeout 1000 sftp -q -F config -b - j.kml <<<pwd
contains "$out" "Remote working directory: $here"
expect 5 in_ssh j.kml 'exit 5'
submit --replace --code "a folder's/code"
expect 0 kml exec j -- pwd
code=$out
[[ $code != "$work" ]] || fail "$code"
expect 0 in_ssh j.kml 'pwd; sh where.sh'
[ "$out" = "$code"$'\n'"$code" ] || fail "$out, not $code"
submit --replace

# When the last connection closes, the server's files are removed, even after a connection was killed, and
# even if its ended process is still a zombie.
mkfifo hold
in_ssh j.kml 'echo $$; cat' <hold >pid 2>/dev/null &
exec 5>hold
until [ -s pid ]; do sleep 0.05; done
expect 0 in_ssh j.kml true
is_only_connection() { [ "$(ls -d kml-ssh-*/connection.* | wc -l)" = 1 ]; }
eventually is_only_connection # the other one's file goes a moment after its client
expect 0 kml exec j -- sh -c "kill -9 $(cat kml-ssh-*/connection.*)"
exec 5>&-
wait
mkfifo end
kml exec j -- python3 -c 'import glob, os
killed = os.fork() or os._exit(0)
os.waitid(os.P_PID, killed, os.WEXITED | os.WNOWAIT)
print(killed, file=open(glob.glob("kml-ssh-*")[0] + "/connection.killed", "w"))
open("end").read()' &
until [ -s kml-ssh-*/connection.killed ]; do sleep 0.05; done
expect 0 in_ssh j.kml true
is_removed() { ! ls -d kml-ssh-*; }
eventually is_removed
: >end
wait

# A new pod has another key, which ssh accepts without a question. ssh rejects the key of a different server.
key=$(cat state/kml/ssh/hosts/*)
submit --replace
expect 0 in_ssh j.kml true
[ "$(cat state/kml/ssh/hosts/*)" != "$key" ] || fail "the new pod has the old key"
sed "s|\"\\(.*/hosts/.*\\)\"|$work/old|" config >config.old
echo "$key" >old
expect 255 timeout 1000 ssh -F config.old -o BatchMode=yes j.kml true
contains "$err" "REMOTE HOST IDENTIFICATION HAS CHANGED"
# A client with another key is rejected.
ssh-keygen -q -t ed25519 -N '' -f other
sed "s|\"\\(.*/id_ed25519\\)\"|$work/other|" config >config.other
expect 255 timeout 1000 ssh -F config.other -o BatchMode=yes j.kml true
contains "$err" "Permission denied (publickey)"

# `kml dev --ssh` makes a session reachable in the same way.
expect 0 kml dev s --ssh --idle 10m
echo "$out" | grep -v '^job ' >config
expect 0 in_ssh s.kml 'echo inside'
[ "$out" = inside ] || fail "$out"
expect 2 kml dev s --ssh --jupyter
