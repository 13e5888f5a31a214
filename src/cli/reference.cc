#include "cli/reference.h"

#include "kml/job/spec/config.h"
#include "kml/job/why/cause.h"
#include "kml/pod/hang/hang.h"

namespace kml::cli {

std::vector<Entry> environment_variables() {
  std::vector<Entry> entries = {
      {"KML_CONTEXT", "The default of --context."},
      {"KML_NAMESPACE", "The default of -n."},
  };
  for (const spec::Flag& flag : spec::submit_flags())
    if (!flag.key.empty() && !flag.repeats)
      entries.push_back(
          {spec::variable_name(flag.key), "The default of --" + std::string(flag.name) + " of kml submit."});
  const std::vector<Entry> others = {
      {"KML_STATE_DIR",
       "The folder of the run records and of the embedded server, instead of ~/.local/state/kml."},
      {"KML_NOTIFY_SLACK, KML_NOTIFY_WEBHOOK, KML_NOTIFY_NTFY",
       "For --notify slack, webhook and ntfy: the URL, or ntfy's topic. It is a secret."},
      {"KML_NOTIFY_HANG_EVERY",
       "For --notify: how often kml looks whether a running job hangs: 90s, 1h. The default is 10m."},
      {"KML_RUN_OF_JOB",
       "Set by kml in the jobs of `kml run --cron`, `--every` and `--at`: the job's name, which the run gets "
       "too."},
      {"KML_SERVED_BY", "Set by `kml run` for the `kml serve` of a step: the id of the run."},
      {"KUBECONFIG", "The kubeconfig files, separated by \":\". If two disagree, the first one wins."},
      {"KUBERC, KUBECTL_KUBERC",
       "The file of kubectl's preferences, instead of ~/.kube/kuberc. It is not read if KUBERC is \"off\" or "
       "KUBECTL_KUBERC is \"false\"."},
      {"XDG_CONFIG_HOME, XDG_STATE_HOME", "Used instead of ~/.config and ~/.local/state."},
      {"HOME", "The folder that holds ~/.config, ~/.local/state and ~/.kube."},
      {"SUDO_UID", "For root: the user whose kml.yaml is read as well. sudo sets it."},
      {"USER, LOGNAME", "The user name that kml puts on jobs. If neither is set, kml asks the system."},
      {"GIT_DIR",
       "A variable of git: the repository whose changes a submit records, instead of the current folder's."},
      {"GIT_SSH_COMMAND",
       "How `kml schedule git` runs ssh; the default is \"ssh -oBatchMode=yes\", which asks no questions."},
      {"TZ",
       "The time zone of this machine, for schedules without --tz. The default is that of /etc/localtime."},
      {"TZDIR", "The folder of the time zone database, instead of /usr/share/zoneinfo."},
      {"COLUMNS", "The width of help texts. The default is the width of the terminal, or 80."},
      {"DISPLAY, WAYLAND_DISPLAY", "If neither is set, `kml open` prints the address and opens no browser."},
      {"NO_COLOR, TERM", "If NO_COLOR is set, or TERM is \"dumb\", no colors are printed."},
      {"SSL_CERT_FILE, SSL_CERT_DIR",
       "The certificate authorities to trust if the kubeconfig names none. The default is the system's."},
      {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
       "The proxy for the API server, and the hosts to reach without it. proxy-url in the kubeconfig takes "
       "precedence."},
      {"KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, POD_NAMESPACE",
       "In a pod without a kubeconfig: the cluster's API server, and the namespace."},
      {"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE, "
       "AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE",
       "For --store s3://BUCKET: the access key, or the profile in ~/.aws that has it. kml reads them as "
       "AWS's own programs do."},
      {"AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_CA_BUNDLE",
       "For --store s3://BUCKET: the region, the URL of a server other than AWS's, and the certificate "
       "authorities to trust there."},
      {"AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME, AWS_ENDPOINT_URL_STS",
       "For --store s3://BUCKET: a web identity token, and the role to assume with it through STS."},
      {"AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, "
       "AWS_CONTAINER_AUTHORIZATION_TOKEN, "
       "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT",
       "For --store s3://BUCKET: where a container or a machine of AWS gets its key. If "
       "AWS_EC2_METADATA_DISABLED is \"true\", kml does not ask the machine."},
      {"MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME",
       "The defaults of --mlflow and --experiment of kml runs push."},
      {"MLFLOW_TRACKING_TOKEN, MLFLOW_TRACKING_USERNAME, MLFLOW_TRACKING_PASSWORD, "
       "MLFLOW_TRACKING_SERVER_CERT_PATH",
       "For kml runs push: the login, and the certificate authorities to trust, as for MLflow's own client."},
      {"PATH, VIRTUAL_ENV, CONDA_PREFIX, CONDA_DEFAULT_ENV, PYTHONPATH, LD_LIBRARY_PATH, SHELL, LANG, "
       "LC_ALL, TZ, "
       "TMPDIR",
       "Passed on, with HOME, USER and LOGNAME, to jobs on this machine. A program named kml-NAME in a "
       "folder of PATH adds the command `kml NAME`."},
  };
  entries.insert(entries.end(), others.begin(), others.end());
  return entries;
}

std::vector<Entry> files() {
  return {
      {"kml.yaml", "The defaults of a project: the first such file from the current folder upwards."},
      {"~/.config/kml/config.yaml", "The defaults of the user, in the same format."},
      {"~/.config/kml/aliases.yaml", "The user's aliases; see `kml config alias`."},
      {"~/.config/kml/templates/", "The user's templates."},
      {"~/.kube/config", "Clusters, users and contexts."},
      {"~/.kube/kuberc", "kubectl's preferences: which commands of a kubeconfig may supply credentials."},
      {"~/.local/state/kml/runs.jsonl",
       "The run records: one JSON object per line, for a submit or its outcome."},
      {"~/.local/state/kml/gpu_time.jsonl", "The GPU time of ended jobs: one JSON object per line."},
      {"~/.local/state/kml/engines/ID.jsonl",
       "What this machine last saw of a sweep or pipeline with --in-cluster: a line about it, then its "
       "journal."},
      {"~/.local/state/kml/metrics/RUN.tsv",
       "The metrics of a run: name, step, value, and milliseconds since 1970."},
      {"~/.local/state/kml/tracking/", "What programs log with MLflow: a folder for each submit --track."},
      {"~/.local/state/kml/trusted", "The kml.yaml files that you trust, each with the SHA-256 of its text."},
      {"~/.local/state/kml/sweeps/NAME/journal.jsonl",
       "The journal of a sweep: one JSON object per line, for every decision and every result. engine.log "
       "beside it holds "
       "the messages of a detached engine."},
      {"~/.local/state/kml/git/", "The checkouts of `kml schedule git`, until their runs have succeeded."},
      {"~/.local/state/kml/logs/", "The copies that `kml logs --keep` makes."},
      {"~/.local/state/kml/local/",
       "The embedded server: its store, kubeconfig and log, the pods with their logs, and volumes. Only you "
       "may read "
       "this folder (mode 0700)."},
      {"/var/run/secrets/kubernetes.io/serviceaccount/", "The service account, if kml runs in a pod."},
  };
}

std::vector<Entry> credentials_and_proxies() {
  return {
      {"token, tokenFile, username and password, client-certificate",
       "These fields of the kubeconfig's user are read as kubectl reads them. A tokenFile takes precedence "
       "over a "
       "token. It is read again every minute and after the server refuses it (401); files of certificates, "
       "keys and "
       "authorities are read again every minute. None of them is sent over plain http."},
      {"exec",
       "A command that supplies a token or a certificate (client.authentication.k8s.io/v1 and v1beta1). kml "
       "runs it for the first request that needs it, and again when the credential has expired or was "
       "refused, and keeps the credential only in memory. The command may ask the user something if "
       "interactiveMode allows it and standard input is a terminal. kubectl's preferences (kuberc, "
       "credentialPluginPolicy) determine which commands may be run."},
      {"certificate-authority, SSL_CERT_FILE, SSL_CERT_DIR",
       "The authorities that may sign the server's certificate: only the kubeconfig's or, if it names none, "
       "those in the file and folders of these variables and the system's. The certificate must name the "
       "server in its subjectAltName; like kubectl, kml refuses one that has only a common name."},
      {"proxy-url",
       "The proxy of the kubeconfig's cluster: http, https or socks5. It takes precedence over the "
       "environment's."},
      {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
       "kml uses the variable for the URL scheme of the server. NO_PROXY lists hosts, domains, addresses and "
       "networks (10.0.0.0/8), separated by commas. Connections to this machine itself ignore these "
       "variables. kml also checks the server's certificate when it connects through a proxy, so a proxy "
       "never sees a credential."},
  };
}

std::vector<Entry> command_exit_codes() {
  return {{"0", "The pod has succeeded."},
          {"1 to 127",
           "The pod has failed, and so has the job once its --retries are used up. A rank of a PyTorchJob is "
           "not started again."},
          {"143",
           "The command was stopped by SIGTERM. If the cluster stopped it (preemption, drain, eviction), "
           "that is not a failure, whatever the exit code: the pod is created again, waits for its turn, and "
           "does not use up a retry. To lose no work, a command should save its state on SIGTERM within "
           "--grace (60s in kml's templates), and continue from the saved state when it starts. If something "
           "else stopped it, it has failed."},
          {"138",
           "The command ended because another rank did, for example after a preemption. That does not count "
           "as a failure of this rank. In job-indexed and jobset the pod is created again, and does not use "
           "up a retry."},
          {"137",
           "The command was killed: its grace period was over, or it used too much memory (`kml status` "
           "shows which). A rank of a PyTorchJob is started again if its code is 128 or more."},
          {"kml-attempt: {...}",
           "Not a code, but a line in the log that reports an attempt of the command. It holds a JSON object "
           "with attempt "
           "(from 1), pod, node, start, first_step, end, last_step and reason (finished, SIGTERM, or "
           "\"error: ...\"); "
           "the last line of an attempt counts. If a command prints the earlier attempts and its own when it "
           "starts, "
           "`kml history JOB` can show them after pods and events are gone. kml's templates set POD_NAME and "
           "NODE_NAME for "
           "this."}};
}

std::vector<Entry> exit_codes() {
  return {{"0", "Success."},
          {"1", "An error."},
          {"2", "A wrong flag, spec, template or configuration file."},
          {"3", "The job failed."},
          {"4", "Not authenticated, or not allowed."},
          {"5", "A timeout, or the server cannot be reached."},
          {"130", "Interrupted."}};
}

std::vector<Entry> causes() {
  std::vector<Entry> entries;
  for (const jobs::CauseInfo& cause : jobs::cause_infos())
    entries.emplace_back(cause.text,
                         std::string(cause.meaning) + " (" + std::string(name_of(cause.outlook)) + ")");
  return entries;
}

std::vector<Entry> hang_causes() {
  std::vector<Entry> entries;
  for (const jobs::HangCode& code : jobs::hang_codes())
    entries.emplace_back(name_of(code.cause), code.meaning);
  return entries;
}

std::vector<Entry> sweep_fields() {
  return {
      {"objective",
       "{type: maximize or minimize, objectiveMetricName: NAME}. goal: V ends the sweep when a trial reaches "
       "V, and stops the trials that are still running. strategy chooses the value of a trial that counts: "
       "latest (the default) or best. additionalMetricNames: [NAME, ...] are metrics to record too."},
      {"objectives",
       "Instead of objective, a list of 2 to 4 of {type, objectiveMetricName}. "
       "The sweep searches for the Pareto front: the trials that no other one surpasses in all "
       "objectives; kml sweep best prints it. auto and bayesianoptimization propose what extends it most; "
       "grid, random and sobol work too. The last reported values count. There can be no goal, early "
       "stopping, or warm start. additionalMetricNames remain in objective."},
      {"parameters",
       "A list of {name, parameterType, feasibleSpace}. double and int have {min, max}, with step: S, and "
       "distribution: uniform, logUniform, normal or logNormal. The mean of the normal ones is the middle of "
       "the range, or of its logarithms, and their standard deviation a sixth of it (with deviations: N, the "
       "range is N of them to each side); no value is outside. Logarithms allow no step. With multipleOf: Q, "
       "a value of the distribution is rounded to a multiple of Q. discrete has {list: [32, 64]}, of "
       "numbers, where neighbours count as "
       "similar; categorical has a list of any values. Both may have probabilities: [P, ...], one for each "
       "value. parents: [NAME, ...] are the dictionaries in which W&B's programs get the value. condition: "
       "{parameter: NAME, values: [...]}: the "
       "parameter is active only if NAME has one of these values."},
      {"constraints",
       "A list of conditions such as batch * accum <= 256. Each side is a sum of products of numbers and "
       "parameter names, with brackets if needed; the operator is one of <= < >= > == !=. A name that is not "
       "an identifier must be in double quotes. Categorical parameters cannot be used. A constraint on an "
       "inactive parameter counts as met."},
      {"algorithm",
       "{algorithmName: auto}, or another value of --algorithm; algorithmSettings: [{name, value}] takes "
       "n_startup_trials, the number of trials before a model is fitted, and random_state, the seed. pbt "
       "is population based training: it takes n_population (10), truncation_threshold (0.2) and "
       "resample_probability, and needs checkpointDir. Each trial continues one member of the population "
       "from a copy of its last checkpoint, with slightly changed values; a member among the worst takes "
       "the checkpoint and the values of one of the best. kml makes the copy, {checkpoint}, before the "
       "command starts; a trial that is run again finds what it left there."},
      {"seed, deterministic", "as --seed and --deterministic"},
      {"warmStart",
       "A list of {values: {NAME: VALUE, ...}, value: V}: earlier results. The algorithm learns from them; "
       "they do not count against the budget."},
      {"parallelTrialCount, maxTrialCount", "how many trials run at once (4), and in total (100)"},
      {"budget",
       "{trials, wallTime: 2h, gpuHours: 10, target}, over all resumes of the sweep. When it is used up, no "
       "more trials start; running ones finish. trials is the same as maxTrialCount, target as the "
       "objective's goal. wallTime counts only the time during which kml runs the sweep."},
      {"timeLimit", "of a trial: 30m"},
      {"retry",
       "{failures: N}: how many times a failed trial is run again (0). A trial that the cluster stops, by "
       "preemption or a drain, is always run again."},
      {"maxFailedTrialCount",
       "The sweep ends when more trials than this fail. Without it, the sweep ends when 5 trials in a row "
       "fail, or the first 3."},
      {"fanOut", "jobs, or indexed: as --fan-out"},
      {"fidelity",
       "{metric, min, max, eta}: the metric that counts a trial's progress, such as epoch; its value at the "
       "end of a full trial (max); and the rungs at which trials are compared: min (max / 16), min * eta, "
       "... up to max. At each rung, the best one in eta (4) continues."},
      {"earlyStopping",
       "{algorithmName: asha, hyperband or median}; the first two need fidelity. mode: stop (the default) "
       "ends bad trials while they run; promote ends each job at a rung, {until}, and continues the best "
       "trials in new jobs, from the checkpoints in {checkpoint}. For median, algorithmSettings: [{name, "
       "value}] takes min_trials_required and start_step."},
      {"checkpointDir",
       "A folder that all trials can access: {checkpoint} is DIR/SWEEP-ID-TRIAL. mode: promote needs it."},
      {"metricsCollectorSpec",
       "Where metrics are read from. The default is the log, {collector: {kind: StdOut}}. {collector: {kind: "
       "File}, source: {fileSystemPath: {path: FILE}}} reads a file that the trial writes; FILE may have "
       "placeholders, as in metrics-{trial}. {collector: {kind: TerminationMessage}} reads only the "
       "termination message of the pod. {collector: {kind: TensorFlowEvent}, source: {fileSystemPath: {path: "
       "FOLDER, kind: Directory}}} reads the scalars of event files in a folder; their bytes appear in the "
       "trial's log. source: {filter: {metricsFormat: [REGEX]}} replaces the forms below by a regular "
       "expression in RE2's syntax, with groups for name and value."},
      {"trialTemplate",
       "{trialSpec: MANIFEST}, with the placeholders below; or configMap: {configMapName, "
       "configMapNamespace, templatePath}, which has it. trialParameters: [{name: A, reference: NAME}] "
       "defines ${trialParameters.A}, as in Katib. placeholders: kml, katib or wandb says whose placeholders "
       "the manifest has; an Experiment has Katib's, where {NAME} is not one. valueFormat: python writes "
       "True and None instead of true and null. The kind is Job, PyTorchJob, MPIJob, TrainJob, JobSet, "
       "any other kind of kubeflow.org (TFJob, XGBoostJob, ...), or, with successCondition and "
       "failureCondition, any kind that the cluster serves, such as Workflow or PipelineRun: "
       "status.conditions.#(type==\"Succeeded\")#|#(status==\"True\")#. Metrics are read only from pods "
       "with primaryPodLabels, and there from primaryContainerName, if these are given. To stop such a "
       "trial, kml deletes it."},
  };
}

std::vector<Entry> sweep_holes() {
  return {
      {"{NAME}",
       "The value of a parameter, in any string of the manifest or the command. It is not quoted: within sh "
       "-c \"...\", quote a value that may contain spaces. An inactive parameter is empty. A string that is "
       "only a placeholder, as in replicas: \"{n}\", takes the type of the value, except in command, args "
       "and env."},
      {"{args}",
       "All active parameters, as --lr=0.01 --batch=32. As an argument of its own, it becomes one argument "
       "for each parameter; within a longer string, as after sh -c, each is quoted for the shell."},
      {"{trial}", "The trial's number, from 0."},
      {"{until}", "The value of fidelity.metric at which the trial's job must end. Only with mode: promote."},
      {"{checkpoint}", "The folder of the trial's checkpoints, if the sweep has a checkpointDir."},
      {"KML_SWEEP, KML_TRIAL, KML_CHECKPOINT",
       "Environment variables of the trial, not placeholders: the sweep's name, the trial's number and the "
       "folder of its checkpoints."},
  };
}

std::vector<Entry> sweep_param_forms() {
  return {
      {"lr=0.0..1.0",
       "A real number. lr=0..1 would be a whole number, 0 or 1, because its bounds have neither a point nor "
       "an exponent."},
      {"lr=log:1e-4..1e-1", "A real number on a logarithmic scale; the minimum must be above 0."},
      {"drop=0..0.5/0.1", "In steps: 0, 0.1, ... 0.5."},
      {"layers=1..8, layers=int:1e0..1e1, width=int:log:16..1024",
       "A whole number. Bounds with an exponent need int:, which is written before log:."},
      {"batch=32,64,128", "One of these numbers; neighbours count as similar."},
      {"opt=adam,sgd, py=3.9,3.10",
       "One of these strings. Numbers stay strings if one of them would change as a number (3.10 would "
       "become 3.1)."},
  };
}

std::vector<Entry> sweep_metric_forms() {
  return {
      {"accuracy=0.97, loss: 0.3", "anywhere in a line, also several in one line"},
      {"{\"step\": 3, \"accuracy\": 0.97}", "a line of JSON"},
      {"loss=nan, loss=-inf", "not a number: if this is a trial's last value, the trial has diverged"},
      {"reward=12,345", "is ignored: it may mean twelve thousand, or a list"},
      {"step=3",
       "the progress of the trial, in the same line as the metric or in an earlier one. fidelity.metric sets "
       "its name; the form \"Epoch 3/10\" is also read."},
      {"val loss: 0.3, valid_0's auc: 0.9",
       "the name is all of \"val loss\". A progress bar is read each time it is redrawn; for each step, or "
       "line, the last values count. A cluster's nodes send a line without a newline only in pieces of 16 "
       "KiB."},
  };
}

}  // namespace kml::cli
