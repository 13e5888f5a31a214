. "$(dirname "$0")/lib.sh"
"$KML" completion man generated
diff -r generated "$SOURCE/man" || fail "run: kml completion man man"
"$KML" skill | diff - "$SOURCE/docs/agents.md" || fail "run: kml skill >docs/agents.md"
"$KML" skill install >/dev/null
diff "$HOME/.agents/skills/kml/SKILL.md" "$SOURCE/docs/agents.md"
