. "$(dirname "$0")/lib.sh"
# kml asks git about a folder, but runs no program that the folder's repository configures, because the folder may be
# from a stranger.
trap_that() { # NAME: creates a program that leaves a file as proof that it was run
  printf '#!/bin/sh\ntouch %q\ncat\n' "$work/ran-$1" >"$work/$1"
  chmod +x "$work/$1"
  echo "$work/$1"
}
git() { command git -c user.name=a -c user.email=a@b -c init.defaultBranch=main "$@"; }
git init -q part
git -C part commit -q --allow-empty -m first
git init -q project
cd project
git -c protocol.file.allow=always submodule --quiet add "$work/part" part
echo one >plain.py
echo one >cleaned.txt
echo one >processed.dat
echo one >included.inc
printf '*.txt filter=mine diff=mine\n*.dat filter=theirs=\n*.inc filter=other\n*.py diff=mine\n' >.gitattributes
git add -A
git commit -q -m first

cat >>.git/config <<END
[core]
  fsmonitor = $(trap_that fsmonitor)
  hooksPath = $work/hooks
  pager = $(trap_that pager)
  sshCommand = $(trap_that ssh)
[filter "mine"]
  clean = $(trap_that clean)
  smudge = $(trap_that smudge)
  required = true
[FILTER "theirs="]
  process = $(trap_that process)
[diff]
  external = $(trap_that external)
  submodule = diff
[diff "mine"]
  command = $(trap_that command)
  textconv = $(trap_that textconv)
[include]
  path = more
END
printf '[filter "other"]\n  clean = %s\n' "$(trap_that included)" >.git/more
printf '[core]\n  fsmonitor = %s\n[filter "mine"]\n  clean = %s\n' "$(trap_that part-monitor)" "$(trap_that part-clean)" \
  >>.git/modules/part/config
mkdir "$work/hooks"
for hook in post-index-change fsmonitor-watchman pre-commit post-checkout; do
  trap_that "hook-$hook" >/dev/null
  mv "$work/hook-$hook" "$work/hooks/$hook"
done
for file in plain.py cleaned.txt processed.dat included.inc; do echo two >"$file"; done
touch .gitattributes part/new

# Proves that the traps work, because git itself runs them.
command git diff HEAD >/dev/null 2>&1 || true
ls "$work" | grep -q '^ran-' || fail "the traps do not work"
rm -f "$work"/ran-*

nothing_ran() { ! ls "$work" | grep '^ran-' || fail "$1 ran programs of the repository"; }
expect 0 "$KML" submit --context local --name first --code . --gpus 0 --wait -- cat cleaned.txt
nothing_ran "submit"
expect 0 "$KML" rerun first --wait
nothing_ran "rerun"
grep -q '+two' "$XDG_STATE_HOME"/kml/runs.jsonl || fail "the record has no difference to the commit"

# Ignores a bare repository among the files, and a folder with a .git that is not a repository.
mkdir -p bare inner/.git
echo two >inner/more.txt
command git init -q --bare bare
printf '[core]\n  bare = false\n  worktree = .\n  fsmonitor = %s\n[filter "mine"]\n  clean = %s\n' \
  "$(trap_that bare-monitor)" "$(trap_that bare-clean)" >>bare/config
(cd bare && echo one >a.txt && expect 0 "$KML" submit --context local --name second --gpus 0 -- true)
nothing_ran "submit in a bare repository"
(cd inner && expect 0 "$KML" submit --context local --name third --code . --gpus 0 -- true)
nothing_ran "submit beneath the repository"

# Missing objects of a commit are not fetched, because the transport may run a program.
cd "$work/project"
git config remote.origin.url "ext::$(trap_that transport)"
git config remote.origin.promisor true
git config protocol.ext.allow always
git config core.repositoryFormatVersion 1
git config extensions.partialClone origin
blob=$(command git rev-parse HEAD:plain.py)
rm -f ".git/objects/${blob:0:2}/${blob:2}" "$work"/ran-*
expect 0 "$KML" submit --context local --name fourth --code . --gpus 0 -- true
nothing_ran "submit in a partial clone"

# Examining another repository takes nothing from the configuration of the current folder.
git config "url.ext::$(trap_that instead) .insteadOf" "https://127.0.0.1:1/"
git config core.gitProxy "$(trap_that proxy)"
git config http.proxy "http://127.0.0.1:1"
rm -f "$work"/ran-*
echo '{apiVersion: kml.dev/v1, kind: Pipeline, metadata: {name: p}, spec: {steps: {a: {command: ["true"]}}}}' >pipeline.yaml
for repository in https://127.0.0.1:1/bert.git git://127.0.0.1:1/bert.git ana@127.0.0.1:bert.git; do
  got=0; timeout 100 "$KML" schedule git "$repository#main" -f pipeline.yaml --once >told 2>&1 || got=$?
  [ $got != 0 ] || fail "it read $repository: $(cat told)"
  nothing_ran "schedule git $repository"
done
