# `kml cp` does not trust a pod that sends names that lead out of the target, places links in the way, reports wrong
# checksums, or has tools that print wrong results.
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/cli/local_server.sh"
mkdir -p far/pod/many far/pod/a outside
head -c 5000000 /dev/urandom >far/pod/large
echo 1 >far/pod/many/1
echo evil >far/evil
pod() { # NAME TOOL SCRIPT: a job in whose pod the tool is the script
  mkdir "$1-tools"
  printf '#!/bin/sh\n%s\n' "$3" >"$1-tools/$2"
  chmod +x "$1-tools/$2"
  expect 0 "$KML" submit --image none --name "$1" --env "PATH=$work/$1-tools:$PATH" -- sleep 10000
  eventually "$KML" exec "$1" -- true
}
untouched() { [ -z "$(ls -A outside)" ] && [ ! -e evil ] && [ "$(cat far/evil)" = evil ] || fail "a file was written elsewhere"; }

# Tests names that lead out of the target, and links in the target.
count=0
for name in ../evil ./../evil "$work/far/evil" ./a/../../evil ./..; do
  pod "names$((count += 1))" find "printf '$name\\0'"
  mkdir -p here/pod
  expect 1 timeout 1000 "$KML" cp "names$count:$work/far/pod" here
  contains "$err" "leads out of the folder"
  untouched
done
pod link true true
mkdir -p here/pod
ln -s "$work/outside" here/pod/many
expect 1 timeout 1000 "$KML" cp "link:$work/far/pod" here
contains "$err" "a file or a link has that name"
untouched
rm here/pod/many
ln -s "$work/outside/large" here/pod/.large.kml-part
expect 1 timeout 1000 "$KML" cp "link:$work/far/pod" here
contains "$err" "leads through a link"
untouched

# Sends contents that differ from what the pod reports.
pod sums sha256sum 'for file in "${@:--}"; do printf "%064d  %s\n" 0 "$file"; done'
for what in far/pod far/pod/large far/pod/many/1; do
  rm -rf here there; mkdir here there
  expect 1 timeout 1000 "$KML" cp "sums:$work/$what" here
  contains "$err" "sha256sum differs on the two sides"
  [ -z "$(find here -type f ! -name '*.kml-part')" ] || fail "a file with another sum is there: $(find here)"
  expect 1 timeout 1000 "$KML" cp "$what" "sums:$work/there"
  contains "$err" "sha256sum differs on the two sides"
  [ -z "$(find there -mindepth 1 -maxdepth 1 ! -name '*.kml-part')" ] || fail "a file with another sum is there"
done
# Ends a stream too early, without an error.
pod short dd 'head -c 1000000 "$(expr "$1" : "if=\(.*\)")"; kill -9 $PPID'
rm -rf here; mkdir here
expect 1 timeout 1000 "$KML" cp "short:$work/far/pod/large" here
[ ! -e here/large ] || fail "half a file is there"
# A file that was damaged during unpacking gets its name only after it has been sent again.
pod damaged tar "/bin/tar \"\$@\" || exit
[ -e $work/once ] || { ls $work/there >$work/once; echo more >>many/1; }"
rm -rf there; mkdir there
expect 0 timeout 1000 "$KML" cp far/pod/many "damaged:$work/there"
[ -e once ] && [ ! -s once ] && diff -r far/pod/many there/many
# A file that cannot be read is named.
pod denied cat 'case $* in *many*) echo "cat: ./many/1: Permission denied" >&2; exit 1 ;; esac; exec /bin/cat "$@"'
rm -rf here; mkdir here
expect 0 timeout 1000 "$KML" cp "denied:$work/far/pod" here
cmp far/pod/many/1 here/pod/many/1
# The pod computes the checksum of a large file while the file arrives, and does not read the file a second
# time.
pod streams sha256sum "readlink /proc/\$\$/fd/0 >>$work/summed; exec /usr/bin/sha256sum \"\$@\""
rm -rf there; mkdir there
expect 0 timeout 1000 "$KML" cp far/pod/large "streams:$work/there/"
cmp far/pod/large there/large
[[ $(cat summed) == pipe:* ]] || fail "summed $(cat summed)"
