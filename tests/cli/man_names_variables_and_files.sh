. "$(dirname "$0")/lib.sh"
# The manual lists every environment variable that the source code reads.
page=$(sed 's/\\-/-/g' "$SOURCE/man/kml.1")
variables=$(grep -rhoE '(environment|getenv)\("[A-Z_]+"' "$SOURCE/src" | grep -oE '[A-Z_]{3,}' | sort -u)
[ "$(wc -l <<<"$variables")" -gt 8 ] || fail "found only: $variables"
for variable in $variables KML_IMAGE KML_NODES; do
  grep -qE "(fB|, )$variable(,|\\\\)" <<<"$page" || fail "$variable is not in kml.1"
done
for file in kml.yaml config.yaml templates/ .kube/config runs.jsonl kml/local/; do contains "$page" "$file"; done
