. "$(dirname "$0")/../lib.sh"
# Tests CronJobs for users of kubectl, and of kml schedule.

# cron_job NAME SCHEDULE SCRIPT [SPEC]: prints the manifest of a CronJob that runs a shell script.
cron_job() {
  cat <<C
apiVersion: batch/v1
kind: CronJob
metadata: {name: $1}
spec:
  schedule: "$2"
  ${4:-}
  jobTemplate:
    metadata: {labels: {app: contract}}
    spec:
      backoffLimit: 0
      template:
        spec:
          restartPolicy: Never
          terminationGracePeriodSeconds: 1
          nodeSelector: {contract: here}
          volumes: [{name: scratch, emptyDir: {}}]
          containers:
          - name: main
            image: "localhost/busybox:1"
            command: [sh, -c, '$3']
            env: [{name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]
            volumeMounts: [{name: scratch, mountPath: /scratch}]
C
}
# refused PART SCHEDULE [SPEC]: checks that the server rejects such a CronJob, with that text.
refused() {
  cron_job bad "$2" true "${3:-}" >bad.yaml
  expect 1 k create -f bad.yaml
  contains "$err" "$1"
}
refused 'spec.schedule: Invalid value: "0 3 * *": expected exactly 5 fields, found 4: [0 3 * *]' '0 3 * *'
refused 'spec.schedule: Invalid value: "0 24 * * *": end of range (24) above maximum (23): 24' '0 24 * * *'
refused 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead' 'TZ=UTC 0 3 * * *'
refused 'spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base' '0 3 * * *' 'timeZone: Mars/Base'
refused 'spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string' '0 3 * * *' 'timeZone: ""'
refused 'spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"' '0 3 * * *' 'concurrencyPolicy: Queue'
refused 'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0' '0 3 * * *' 'startingDeadlineSeconds: -1'

# Tests defaults, the table, and a job started by hand.
cron_job yearly '0 3 1 jan *' 'echo by hand; echo in $POD' 'timeZone: Europe/Berlin' | k create -f - >/dev/null
expect 0 k get cronjob yearly -o jsonpath='{.spec.concurrencyPolicy} {.spec.suspend} {.spec.successfulJobsHistoryLimit} {.spec.failedJobsHistoryLimit} {.spec.jobTemplate.spec.template.spec.dnsPolicy}'
[ "$out" = "Allow false 3 1 ClusterFirst" ] || fail "$out"
expect 0 k get cj
matches "$out" 'NAME +SCHEDULE +TIMEZONE +SUSPEND +ACTIVE +LAST SCHEDULE +AGE'
matches "$out" 'yearly +0 3 1 jan \* +Europe/Berlin +False +0 +<none> +[0-9ms]+'
expect 0 k get cj -o wide
matches "$out" 'main +localhost/busybox:1 +<none>'
expect 0 k create job by-hand --from=cronjob/yearly
expect 0 k wait --for=condition=complete job/by-hand --timeout=1000s
expect 0 k logs job/by-hand
matches "$out" $'^by hand\nin by-hand-'
expect 0 k get job by-hand -o jsonpath='{.metadata.annotations.cronjob\.kubernetes\.io/instantiate} {.metadata.labels.app} {.metadata.ownerReferences[0].kind}/{.metadata.ownerReferences[0].name}'
[ "$out" = "manual contract CronJob/yearly" ] || fail "$out"
expect 0 k patch cronjob yearly -p '{"spec":{"suspend":true}}'
expect 0 k get cronjob yearly -o jsonpath='{.spec.suspend} {.metadata.generation}'
[ "$out" = "true 2" ] || fail "$out"
expect 0 k delete cronjob yearly
has_no_jobs() { [ -z "$(k get jobs -o name)" ]; }
eventually has_no_jobs

# Tests a job started on schedule.
expect 0 k create cronjob minutely --schedule='* * * * *' --image=localhost/busybox:1 --dry-run=server -o name -- true
cron_job minutely '* * * * *' 'echo at last' 'timeZone: Etc/UTC' | k create -f - >/dev/null
expect 0 k wait cronjob minutely --for=jsonpath='{.status.lastSuccessfulTime}' --timeout=1000s
expect 0 k get jobs -o jsonpath='{range .items[*]}{.metadata.name} {.metadata.annotations.batch\.kubernetes\.io/cronjob-scheduled-timestamp} {.metadata.ownerReferences[0].name}{"\n"}{end}'
first=$(head -n 1 <<<"$out")
matches "$first" '^minutely-[0-9]+ 20[0-9-]+T[0-9]+:[0-9]+:00Z minutely$'
read -r job scheduled _ <<<"$first"
[ "${job#minutely-}" = "$(($(date -d "$scheduled" +%s) / 60))" ] || fail "$first"
expect 0 k logs "job/$job"
[ "$out" = "at last" ] || fail "$out"
told() { [[ "$(k describe cronjob minutely)" =~ Normal\ +$1\ +[^\ ]+\ +cronjob-controller\ +$2 ]]; }
eventually told SuccessfulCreate "Created job $job"
eventually told SawCompletedJob "Saw completed job: $job, condition: Complete"
expect 0 k describe cronjob minutely
matches "$out" 'Last Schedule Time: +[A-Z]'
expect 0 k delete cronjob minutely
eventually has_no_jobs

# Tests the same with kml schedule.
kml() { "$KML" -n "$namespace" "$@"; }
expect 0 kml submit --name nightly --cron '0 3 * * *' --tz Europe/Berlin --image localhost/busybox:1 \
  --node-selector contract=here --grace 1s -- sh -c 'echo learned'
contains "$out" "schedule nightly created"
matches "$err" 'first start: 20[0-9-]+ 03:00 \(Europe/Berlin\)'
expect 0 kml schedule list
matches "$out" 'nightly +0 3 \* \* \* +Europe/Berlin +20[0-9-]+ 03:00 +- +- +0'
expect 0 kml schedule run-now nightly --wait
job=$(sed -n 's/^job \(nightly-[a-z0-9]*\) started$/\1/p' <<<"$out")
[ -n "$job" ] || fail "$out"
expect 0 kml logs "$job"
[ "$out" = learned ] || fail "$out"
expect 0 kml schedule list -o jsonpath='{.*.lastJob} {.*.result} {.*.active}'
[ "$out" = "$job Succeeded 0" ] || fail "$out"
expect 0 kml schedule pause nightly
expect 0 kml schedule list
matches "$out" 'nightly .* paused '
expect 0 kml why nightly
contains "$out" "schedule nightly (0 3 * * * Europe/Berlin) is paused"
expect 0 kml schedule resume nightly
expect 0 kml schedule delete nightly
eventually has_no_jobs

# A schedule of --at starts only once: when the time to live of the Job that owns it is over, Kubernetes deletes the
# Job, and then the schedule, before its time comes again a year later.
expect 0 kml submit --name once --at 'tomorrow 9:00' --tz Europe/Berlin --image localhost/busybox:1 \
  --node-selector contract=here -- true
expect 0 k get cronjob once -o jsonpath='{.spec.suspend} {.spec.timeZone} {.metadata.ownerReferences[*].kind}'
[ "$out" = "false Europe/Berlin Job" ] || fail "$out"
guard=$(k get cronjob once -o jsonpath='{.metadata.ownerReferences[0].name}')
expect 0 k wait --for=condition=complete "job/$guard" --timeout=1000s
[ -z "$(k get pods -l "job-name=$guard" -o name)" ] || fail "the guard has pods"
expect 0 k patch job "$guard" --type merge -p '{"spec":{"ttlSecondsAfterFinished":1}}'
is_gone() { [ -z "$(k get cronjobs,jobs -o name)" ]; }
eventually is_gone
expect 0 kml submit --name once --at 'tomorrow 9:00' --image localhost/busybox:1 -- true
expect 0 kml schedule delete once
eventually is_gone
