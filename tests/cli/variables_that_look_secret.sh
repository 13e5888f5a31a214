. "$(dirname "$0")/lib.sh"
expect 0 "$KML" submit --name reads --env HF_TOKEN=hf_abc123 --env TOKENIZERS_PARALLELISM=true --wait -- \
  sh -c 'echo "$HF_TOKEN" >>tokens'
contains "$err" "the value of HF_TOKEN can be read by everyone who may see the job"
[[ "$err" != *TOKENIZERS* ]] || fail "$err"
if grep -r hf_abc123 state/kml/runs.jsonl; then fail "the record holds the token"; fi
expect 2 "$KML" rerun reads
contains "$err" "export HF_TOKEN"
HF_TOKEN=hf_def456 expect 0 "$KML" rerun reads --wait
[ "$(cat tokens)" = $'hf_abc123\nhf_def456' ] || fail "$(cat tokens)"
