# Tests what kml-step does for `kml submit --data`: it fetches data from files and hubs once, continues after
# broken connections, verifies the data, and never shows incomplete data.
. "$(dirname "$0")/lib.sh"
here=$(dirname "$KML")
mkdir hub program
python3 "$SOURCE/tests/support/fake_hub.py" hub & hub=$!
trap 'status=$?; kill $hub; finish $status' EXIT
eventually test -s hub/port
url=http://127.0.0.1:$(cat hub/port) sum=$(cat hub/sum)
export HF_ENDPOINT=$url
commit=0123456789abcdef0123456789abcdef01234567
rows=hf://datasets/ana/rows@$commit
mode() { echo "$*" >hub/mode; : >hub/log; }
tar czf program.tar.gz -C "$here" kml-step-s3
split -b 1000000 -d -a 2 program.tar.gz program/
# fetch SOURCE FOLDER: fetches data as a pod does.
fetch() { "$here/kml-step" --bucket data "$work/program" --data "$@" --; }
bytes_sent() { awk -v path="$1" '$1 ~ /^20/ && index($2, path) == 1 { sum += $5 } END { print sum + 0 }' hub/log; }

# Faults of a hub that kml-step overcomes. Each row has the hub's mode, and a pattern that its log must then contain.
count=0
while IFS='|' read -r words text; do
  mode "$words"
  store=$work/data$((count += 1))
  mkdir "$store"
  HF_TOKEN=hub-token expect 0 fetch "$rows" "$store/rows"
  [ "$(find "$store/rows" -type f | wc -l)" = 1203 ] && [ "$(sha256sum <"$store/rows/data/large.bin" | cut -d' ' -f1)" = "$sum" ] &&
    [ "$(cat "$store/rows/odd name+%.txt" "$store/rows/data/0007.txt")" = $'odd\n7' ] || fail "$words: $(find "$store" | head)"
  grep -q "$text" hub/log || fail "$words: $(head hub/log)"
  [ "$(ls -A "$store")" = $'.rows.lock\n.rows.used\nrows' ] || fail "$(ls -A "$store")"
done <<'T'
|^302
token|/api.* token
busy=5|^429
cut=97|^206
no-ranges|^200 /cdn
break=3000000|^206 /cdn.*bytes=18000000-
break=3000000 expires|^403 /cdn
T
contains "$(head -c 100000 err)" "fetching $rows"
! grep -q 'cdn.* token' hub/log || fail "a token was sent to another server"
# Each byte was sent once, although the connection broke six times; and nothing is fetched again.
[ "$(bytes_sent /cdn)" = 20000000 ] || fail "$(bytes_sent /cdn) bytes: $(grep cdn hub/log)"
mode
expect 0 fetch "$rows" "$work/data1/rows"
[ ! -s hub/log ] || fail "$(cat hub/log)"
# Fetches a part of a model, and the files of a pull request.
expect 0 fetch "hf://models/ana/net@$commit/data" "$work/part"
[ -e part/0000.txt ] && [ ! -e part/README.md ] || fail "$(ls part)"

# A file at a URL has the name at the end of the URL, decoded. A name cannot lead out of the folder.
odd=$(printf 'odd\n' | sha256sum | cut -d' ' -f1) number=0
while IFS='|' read -r end name; do
  number=$((number + 1))
  expect 0 fetch "$url/datasets/ana/rows/resolve/$commit/$end#sha256=$odd" "$work/named$number"
  [ "$(ls -A "named$number")" = "$name" ] || fail "$end: $(ls -A "named$number")"
done <<'T'
odd%20name%2B%25.txt|odd name+%25.txt
odd%20name%2B%25.txt?download=true|odd name+%25.txt
%6Fdd%20name+%25.txt|odd name+%25.txt
T

# A fetch that was killed is continued: no file is fetched twice, and only the rest of the large file is fetched.
mkdir killed
mode hold=1000000
setsid "$here/kml-step" --bucket data "$work/program" --data "$rows" "$work/killed/rows" -- 2>/dev/null & fetching=$!
part=killed/.rows.part/data/.large.bin.kml-part
holds() { [ "$(stat -c %s $part)" = 1000000 ] && [ "$(find killed -type f ! -name '*.kml-part' ! -name '.rows.*' | wc -l)" = 1202 ]; }
eventually holds
kill -KILL -- -$fetching
wait $fetching || true
[ ! -e killed/rows ] || fail "it was complete"
: >hub/mode
expect 0 fetch "$rows" "$work/killed/rows"
[ "$(sha256sum <killed/rows/data/large.bin | cut -d' ' -f1)" = "$sum" ] || fail "another content"
[ "$(bytes_sent /cdn)" = 20000000 ] || fail "$(bytes_sent /cdn) bytes: $(grep cdn hub/log)"
twice=$(grep '^20. /datasets' hub/log | cut -d' ' -f2 | sort | uniq -d)
[ -z "$twice" ] || fail "fetched twice: $twice"

# Two processes fetch the same file at once, after the first attempt was killed.
mkdir .file.part
head -c 9000000 data1/rows/data/large.bin >.file.part/.file.kml-part
mode break=1500000
fetch "$url/file#sha256=$sum" "$work/file" 2>first & one=$!
expect 0 fetch "$url/file#sha256=$sum" "$work/file"
wait $one
[ "$(sha256sum <file/file | cut -d' ' -f1)" = "$sum" ] || fail "another content"
[ "$(bytes_sent /file)" = 11000000 ] || fail "$(cat hub/log)"
# An earlier attempt has left a file: complete, with other bytes, with too many bytes, or damaged. A link is not followed.
while IFS='|' read -r name spoil; do
  mode
  mkdir -p ".$name.part"
  eval "$spoil"
  expect 0 fetch "$url/file#sha256=$sum" "$work/$name"
  [ "$(sha256sum <"$name/file" | cut -d' ' -f1)" = "$sum" ] || fail "$name: another content"
done <<'T'
other|head -c 9000000 /dev/zero >.other.part/.file.kml-part
more|head -c 29000000 /dev/zero >.more.part/.file.kml-part
whole|cp data1/rows/data/large.bin .whole.part/.file.kml-part
damaged|head -c 20000000 /dev/zero >.damaged.part/file
T
mkdir empty # a kubelet has made it for a mount
expect 0 fetch "$url/file#sha256=$sum" "$work/empty"
[ "$(sha256sum <empty/file | cut -d' ' -f1)" = "$sum" ] || fail "another content"
echo kept >victim
mkdir .link.part && ln -s "$work/victim" .link.part/.file.kml-part
expect 125 fetch "$url/file#sha256=$sum" "$work/link"
ln -s "$work/hub" .folder.part
expect 125 fetch "$url/file#sha256=$sum" "$work/folder"
contains "$err" "it is not a folder"
ln -s "$work/hub" there
expect 125 fetch "$url/file#sha256=$sum" "$work/there"
contains "$err" "it is not a folder"
[ "$(cat victim)" = kept ] && [ ! -e hub/file ] || fail "a link was followed"

# After each of these errors, the folder does not exist.
mkdir none
while IFS='|' read -r words source text; do
  mode "$words"
  HF_TOKEN=${token-} expect 125 fetch "$source" "$work/none/data"
  contains "$err" "$text"
  [ ! -e none/data ] && [ ! -e evil ] && [ ! -e none/evil ] || fail "$words: half-made data"
  rm -rf none; mkdir none
done <<T
|hf://datasets/ana/none@$commit|it does not exist
|$url/none#sha256=$sum|it does not exist
gone|$rows|it does not exist
token|$rows|HF_TOKEN
changed|$url/file#sha256=$sum|sends a different file
changed|$rows|sends a different file
longer|$rows|bytes instead of
hostile=../../evil|$rows|not a valid path
hostile=/evil|$rows|not a valid path
hostile=README.md/evil|$rows|a file or a link has that name
elsewhere|$rows|continues on another server
shape|$rows|not a JSON array
T
mode other-range break=1000000
expect 125 fetch "$url/file#sha256=$sum" "$work/none/data"
contains "$err" "a different range"
mode token=800
HF_TOKEN=hub-token expect 125 fetch "$rows" "$work/none/data" # the token expires in the middle
contains "$err" "HF_TOKEN"
[ ! -e none/data ] || fail "half-made data"
mode token
HF_TOKEN=hub-token expect 0 fetch "$rows" "$work/none/data"
[ "$(grep -c resolve hub/log)" -lt 1203 ] || fail "the files were fetched again"
HF_ENDPOINT=http://example.invalid HF_TOKEN=x expect 125 fetch "$rows" "$work/none/other"
contains "$err" "without encryption"
# If the sizes are known, kml-step reports a full volume before it fetches anything.
if [ "$(id -u)" = 0 ] && unshare --mount true 2>/dev/null; then
  mode
  mkdir full
  full() { unshare --mount sh -c 'mount -t tmpfs -o size=10m none full && exec "$@"' sh "$here/kml-step" --bucket data "$work/program" --data "$@" --; }
  expect 125 full "$rows" "$work/full/rows"
  contains "$err" "no space for $rows"
  contains "$err" "kml gc --data-store"
  ! grep -q resolve hub/log || fail "$(cat hub/log)"
  expect 125 full "$url/file#sha256=$sum" "$work/full/file"
  contains "$err" "No space left"
fi

# --tidy deletes data that was not used for some time, except for data that pods use.
mode
mkdir store
for name in a b c; do cp -r part store/kml-data-$name; echo "hf://$name" >store/.kml-data-$name.used; done
mkdir store/.kml-data-d.part store/.kml-data-e.part store/other
touch -d '3 days ago' store/.kml-data-[ac].used store/.kml-data-d.part store/other
tidy() { "$here/kml-step" --bucket data "$work/program" --tidy "$1" "$work/store" 86400 kml-data-c,kml-data-x --; }
expect 0 tidy untidy
contains "$out" "would remove hf://a"
[ -e store/kml-data-a ] && [ -e store/.kml-data-d.part ] || fail "$(ls -A store)"
expect 0 tidy tidy
contains "$out" "removed hf://a"
contains "$out" "freed"
[ "$(ls -A store | grep -v lock | xargs)" = ".kml-data-b.used .kml-data-c.used .kml-data-e.part kml-data-b kml-data-c other" ] || fail "$(ls -A store)"
