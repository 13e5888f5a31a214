# In serve, sweep run and dev, the name is the argument NAME or --name; two different ones are rejected.
. "$(dirname "$0")/lib.sh"
serve() { expect "$1" "$KML" serve "${@:2}" --dry-run -- sh serve.sh; }
sweep() { expect "$1" "$KML" sweep run "${@:2}" --param x=1,2 --maximize y --dry-run -- sh -c 'echo y={x}'; }
dev() { expect "$1" "$KML" dev "${@:2}" --detach -- sleep 1000; }
for command in serve sweep dev; do
  for name in bert '--name bert' --name=bert 'bert --name bert' '--name bert bert'; do
    $command 0 $name
    [[ $out$err == *bert* ]] || fail "$command $name: $out$err"
  done
  $command 2 bert --name gpt
  contains "$err" 'two names: "bert" and --name gpt'
done
[ "$("$KML" list -o name | wc -l)" = 1 ] || fail "$("$KML" list)"
expect 2 "$KML" serve -- sh serve.sh
contains "$err" "NAME is missing"
expect 2 "$KML" dev --name bert sh
contains "$err" "leave one of them out; a command follows"

# Words of a program without "--" are not treated as a second name.
for line in 'serve --name bert sh serve.sh' 'serve sh --name bert serve.sh' 'dev --name bert sh x' 'dev --name bert sh -x' \
  'sweep run --name bert --param x=1,2 --maximize y sh train.sh {args}'; do
  expect 2 "$KML" $line
  contains "$err" 'the command follows "--"'
  fix=$(sed -n 's/^ *fix: kml //p' <<<"$err")
  [[ $fix == *"--name bert"*" -- sh"* ]] || fail "$line: $err"
  [[ $line == dev* ]] || eval "expect 0 \"\$KML\" ${fix/ -- / --dry-run -- }"
done

# If a command has no flag for the name, the error says so, without "did you mean".
for command in logs cancel status why 'sweep status' 'run status' 'serve stop' 'schedule pause'; do
  expect 2 "$KML" $command --name bert
  contains "$err" "is an argument without a flag"
  contains "$err" "fix: kml $command"
done
