# An alias is a name for a command line. It is only read from the user's own configuration, and no shell is involved.
. "$(dirname "$0")/lib.sh"
expect 0 "$KML" config alias
contains "$err" "no aliases yet"
expect 0 "$KML" config alias gone -- list --state 'failed' --sort newest
expect 0 "$KML" config alias evil -- submit --dry-run -- echo '$(touch pwned)' ';' touch pwned
expect 3 "$KML" submit --name bad --wait -- false
expect 0 "$KML" submit --name good --wait -- true
expect 0 "$KML" gone -o name
[ "$out" = job.batch/bad ] || fail "$out"
expect 0 "$KML" -n other gone
contains "$err" "no matching jobs in namespace other"
expect 0 "$KML" evil
contains "$out" '$(touch pwned)'
[ ! -e pwned ] || fail "a shell ran"
expect 0 "$KML" config alias
contains "$out" "kml list --state failed --sort newest"
expect 0 "$KML" config alias -o json
contains "$out" '"gone"'
expect 0 "$KML" config alias gone
contains "$out" "kml list --state failed --sort newest"
[[ "$out" != *evil* ]] || fail "more than the named alias: $out"
expect 0 "$KML" config alias gone -o json
[ "$(tr -d ' \n' <<<"$out")" = '{"gone":["list","--state","failed","--sort","newest"]}' ] || fail "$out"
while IFS='|' read -r arguments fix; do
  expect 2 "$KML" config alias $arguments
  contains "$err" "no alias"
  contains "$err" "$fix"
done <<'ROWS'
gonne|did you mean "gone"?
--remove gonne|did you mean "gone"?
other|kml config alias other -- COMMAND…
--remove other|`kml config alias` lists the aliases
ROWS
expect 0 "$KML" __complete -- go
contains "$out" "gone"
expect 0 "$KML" __complete -- gone --sta
contains "$out" "--state"
expect 0 "$KML" __complete -- config alias --remove ev
contains "$out" "evil"

# A command takes precedence over an alias. An alias must stand for a command. A project's file cannot define aliases.
for bad in 'list -- queue' 'help -- list' 'x -- rm -rf /' 'x --' '-x -- list' 'a/b -- list' 'x -- gone'; do
  expect 2 "$KML" config alias $bad
done
printf 'list: [version]\n' >>"$XDG_CONFIG_HOME/kml/aliases.yaml"
expect 0 "$KML" list -o name
contains "$out" job.batch/good
mkdir -p project && cd project
printf 'alias: {theirs: [list]}\n' >kml.yaml
printf 'theirs: [list]\n' >aliases.yaml
expect 2 "$KML" theirs
contains "$err" 'unknown command "theirs"'
cd ..
expect 0 "$KML" config alias --remove gone
expect 2 "$KML" gone
expect 2 "$KML" config alias --remove gone
echo 'x: list' >"$XDG_CONFIG_HOME/kml/aliases.yaml"
expect 2 "$KML" x
contains "$err" "aliases.yaml is not a list of words"
expect 0 "$KML" list # does not read aliases
