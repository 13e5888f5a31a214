. "$(dirname "$0")/lib.sh"
echo '{apiVersion: v1, kind: Namespace, metadata: {name: research}}' >namespace.yaml
expect 0 "$KML" submit -f namespace.yaml
expect 0 "$KML" submit -n research --name there -- true
expect 0 "$KML" wait -n research there
sed -i '/outcomeOf/d' state/kml/runs.jsonl
expect 0 "$KML" history
contains "$out" "Succeeded"
expect 1 "$KML" submit -n reserch -- true
contains "$err" 'did you mean "research"?'
contains "$err" '"name":"reserch"}}'"'"' | kml -n reserch submit -f -` creates it'
