# Each wrong value of this manifest is reported once, with its file, line and column, and with what would be valid.
. "$(dirname "$0")/lib.sh"
cat >wrong.yaml <<'Y'
apiVersion: batch/v1
kind: Job
metadata:
  name: 5
spec:
  backoffLimit: "3"
  suspend: "yes"
  template:
    spec:
      restartPolicy: Nver
      dnsPolicy: sometimes
      tolerations: [{key: a, effect: NoSchedul}]
      containers:
      - name: main
        image: 7
        env: [{name: A, value: true}]
        command: sh
        resources:
          limits:
            memry: 1
            memory: 1GiB
            gpu: 1
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce, ReadWriteonce], resources: {requests: {storage: 1Gi}}}
Y
for dry_run in "" --dry-run; do
  expect 2 "$KML" submit -f wrong.yaml $dry_run
  grep -o 'wrong.yaml:.*' <<<"$err" >told
  diff - told <<'T' || fail "other problems"
wrong.yaml:4:9 metadata.name: this must be a string: write "5"
wrong.yaml:6:17 spec.backoffLimit: this must be a whole number: write 3 without quotes
wrong.yaml:7:12 spec.suspend: this must be true or false, not "yes"
wrong.yaml:10:22 spec.template.spec.restartPolicy: "Nver" is not one of this field's values; did you mean Never?
wrong.yaml:11:18 spec.template.spec.dnsPolicy: "sometimes" is not one of this field's values: ClusterFirst, ClusterFirstWithHostNet, Default, None
wrong.yaml:12:38 spec.template.spec.tolerations[0].effect: "NoSchedul" is not one of this field's values; did you mean NoSchedule?
wrong.yaml:15:16 spec.template.spec.containers[0].image: this must be a string: write "7"
wrong.yaml:16:32 spec.template.spec.containers[0].env[0].value: this must be a string: write "true"
wrong.yaml:17:18 spec.template.spec.containers[0].command: this must be a list, not "sh"
wrong.yaml:20:13 spec.template.spec.containers[0].resources.limits: "memry" is not a resource; did you mean memory?
wrong.yaml:21:21 spec.template.spec.containers[0].resources.limits[memory]: this must be a quantity, such as 500m or 64Gi, not "1GiB"; did you mean 1Gi?
wrong.yaml:22:13 spec.template.spec.containers[0].resources.limits: "gpu" is not a resource; did you mean nvidia.com/gpu?
wrong.yaml:27:37 spec.accessModes: "ReadWriteonce" is not one of this field's values; did you mean ReadWriteOnce?
T
done
contains "$err" "--no-check"
# With --no-check, the server decides: a newer one may know the value.
sed -i '/dnsPolicy/s/sometimes/Clusterfirst/; /name: 5/s/5/five/; /backoffLimit\|suspend\|image: 7\|env:\|command:\|memry\|memory:\|gpu: 1/d; /^---/,$d' wrong.yaml
expect 1 "$KML" submit -f wrong.yaml --no-check
contains "$err" Nver
