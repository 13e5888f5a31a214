#include "cli/reference.h"

#include "kml/jobs/why/cause.h"
#include "kml/spec/config.h"

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
      {"KUBECONFIG", "The kubeconfig files, separated by \":\". If two disagree, the first one wins."},
      {"KUBERC, KUBECTL_KUBERC",
       "The file of kubectl's preferences, instead of ~/.kube/kuberc. It is not read if KUBERC is \"off\" or "
       "KUBECTL_KUBERC is \"false\"."},
      {"XDG_CONFIG_HOME, XDG_STATE_HOME", "Used instead of ~/.config and ~/.local/state."},
      {"HOME", "The folder that holds ~/.config, ~/.local/state and ~/.kube."},
      {"SUDO_UID", "For root: the user whose kml.yaml is read as well. sudo sets it."},
      {"USER, LOGNAME", "The user name that jobs carry. If neither is set, the system's name is used."},
      {"GIT_DIR",
       "git's own variable: the repository whose changes a submit records, instead of the current folder's."},
      {"COLUMNS", "The width of help texts. The default is the width of the terminal, or 80."},
      {"NO_COLOR, TERM", "If NO_COLOR is set, or TERM is \"dumb\", no colors are printed."},
      {"SSL_CERT_FILE, SSL_CERT_DIR",
       "The authorities to trust if the kubeconfig names none. The default is the system's."},
      {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
       "The proxy for the API server, and the hosts that need none. proxy-url in the kubeconfig takes "
       "precedence."},
      {"KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, POD_NAMESPACE",
       "In a pod without a kubeconfig: the cluster's API server, and the namespace."},
      {"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE, "
       "AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE",
       "For --store s3://BUCKET: the access key, or the profile of ~/.aws that has it, read as AWS's own "
       "programs read them."},
      {"AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_CA_BUNDLE",
       "For --store s3://BUCKET: the region, the URL of a server that is not AWS's, and the authorities to "
       "trust there."},
      {"AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME, AWS_ENDPOINT_URL_STS",
       "A web identity, and the role that STS lends to it."},
      {"AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, "
       "AWS_CONTAINER_AUTHORIZATION_TOKEN, "
       "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT",
       "Where a container or a machine of AWS gets its key. \"true\" in AWS_EC2_METADATA_DISABLED asks no "
       "machine."},
      {"PATH, VIRTUAL_ENV, CONDA_PREFIX, CONDA_DEFAULT_ENV, PYTHONPATH, LD_LIBRARY_PATH, SHELL, LANG, "
       "LC_ALL, TZ, "
       "TMPDIR",
       "Passed on, with HOME, USER and LOGNAME, to jobs on this machine. Programs named kml-NAME in the "
       "folders of "
       "PATH are the commands NAME."},
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
      {"~/.local/state/kml/trusted", "The kml.yaml files that you trust, each with the SHA-256 of its text."},
      {"~/.local/state/kml/sweeps/NAME/journal.jsonl",
       "The journal of a sweep: one JSON object per line, for every decision and every result. engine.log "
       "beside it holds "
       "the messages of a detached engine."},
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
       "runs it "
       "for the first request that needs it, and again when the credential has expired or was refused, and "
       "keeps the "
       "credential only in memory. The command may ask the user something if interactiveMode allows it and "
       "standard input is a terminal. kubectl's preferences (kuberc, credentialPluginPolicy) say which "
       "commands may be run."},
      {"certificate-authority, SSL_CERT_FILE, SSL_CERT_DIR",
       "Who may sign the server's certificate: only the kubeconfig's authority or, if it names none, the "
       "file and "
       "folders of these variables and the system's authorities. The certificate must name the server in its "
       "subjectAltName; like kubectl, kml refuses one that has only a common name."},
      {"proxy-url",
       "The proxy of the kubeconfig's cluster: http, https or socks5. It takes precedence over the "
       "environment's."},
      {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
       "kml uses the one for the scheme of the server. NO_PROXY lists hosts, domains, addresses and networks "
       "(10.0.0.0/8), separated by commas. Connections to this machine itself use no proxy from the "
       "environment. The "
       "server's certificate is checked through a proxy too, so a proxy never sees a credential."},
  };
}

std::vector<Entry> command_exit_codes() {
  return {{"0", "The pod has succeeded."},
          {"1 to 127",
           "The pod has failed, and so has the job once its --retries are used up. For a rank of a "
           "PyTorchJob: trying "
           "again would not help."},
          {"143",
           "The command was stopped by SIGTERM. If the cluster stopped it (preemption, drain, eviction), "
           "that is not a "
           "failure, whatever the code: the pod is created again, waits for its turn, and uses up no retry. "
           "To lose "
           "nothing, a command saves its state on SIGTERM within --grace (60s in kml's templates), and "
           "continues from the "
           "saved state when it starts. If something else stopped it, it has failed."},
          {"138",
           "The command ended because another rank did, for example after a preemption. That is not a "
           "failure of its own. "
           "In job-indexed and jobset the pod is created again, and uses up no retry."},
          {"137",
           "The command was killed: its grace was over, or it used too much memory (`kml status` shows "
           "which). A rank of a "
           "PyTorchJob is started again if its code is 128 or more."},
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

std::vector<Entry> sweep_fields() {
  return {
      {"objective",
       "{type: maximize or minimize, objectiveMetricName: NAME}. goal: V ends the sweep where V is reached, "
       "and withdraws the trials that run. "
       "strategy says which of a trial's values counts: latest (the default), or best. "
       "additionalMetricNames: [NAME, ...] are kept too."},
      {"parameters",
       "A list of {name, parameterType, feasibleSpace}. double and int have {min, max}, with step: S or "
       "distribution: logUniform; discrete has {list: [32, 64]} of numbers, whose neighbours count as "
       "similar; categorical has a list of anything. condition: {parameter: NAME, values: [...]}: the "
       "parameter is active only if NAME has one of these values."},
      {"constraints",
       "A list of texts as batch * accum <= 256: on both sides sums of products of numbers and names, with "
       "brackets, and between them one of <= < >= > == !=. A name that is not an identifier stands in double "
       "quotes, a categorical parameter cannot stand there. One that names an inactive parameter holds."},
      {"algorithm",
       "{algorithmName: auto, or a name of --algorithm}; algorithmSettings: [{name, value}] has "
       "n_startup_trials, the trials before a model is fitted, and random_state, the seed."},
      {"seed, deterministic", "as --seed and --deterministic"},
      {"warmStart",
       "A list of {values: {NAME: VALUE, ...}, value: V}: results that are known. They teach, and count for "
       "no budget."},
      {"parallelTrialCount, maxTrialCount", "how many trials at once (4), and in all (100)"},
      {"budget",
       "{trials, wallTime: 2h, gpuHours: 10, target}, over every resume. No trial begins beyond it; those "
       "that run go on. trials is maxTrialCount, target the objective's goal. Only the time in which kml ran "
       "the sweep counts."},
      {"timeLimit", "of a trial: 30m"},
      {"retry",
       "{failures: N}: how many times a trial that failed is made again (0). What the cluster takes away, by "
       "preemption or a drain, is made again anyway."},
      {"maxFailedTrialCount",
       "More failed trials end the sweep. With or without it, 5 that fail one after another do, and the "
       "first 3."},
      {"fanOut", "jobs, or indexed: as --fan-out"},
      {"fidelity",
       "{metric, min, max, eta}: the metric that tells how far a trial is, what a whole one uses (max), and "
       "the rungs: min (max / 16), min * eta, ... up to max, where one of eta (4) goes on."},
      {"earlyStopping",
       "{algorithmName: asha, hyperband or median}; the first two need fidelity. mode: stop (the default) "
       "ends losers while they run; promote ends each job at a rung, {until}, and lets the best go on by "
       "another job from the checkpoints in {checkpoint}. For median, algorithmSettings: [{name, value}] has "
       "min_trials_required and start_step."},
      {"checkpointDir",
       "A folder that all trials see: {checkpoint} is DIR/SWEEP-ID-TRIAL. mode: promote needs it."},
      {"metricsCollectorSpec",
       "{collector: {kind: StdOut}}: from the log, which is the default. {collector: {kind: File}, source: "
       "{fileSystemPath: {path: FILE}}}: from a file that the trial writes, with holes as in "
       "metrics-{trial}. {collector: {kind: "
       "TerminationMessage}}: from that alone, and no log is read. source: {filter: {metricsFormat: "
       "[REGEX]}}: with groups for name and value, in RE2's syntax, instead of the forms below."},
      {"trialTemplate",
       "{trialSpec: MANIFEST} of a Job, PyTorchJob or JobSet, with the holes below. trialParameters: [{name: "
       "A, reference: NAME}] is for ${trialParameters.A}, as in Katib."},
  };
}

std::vector<Entry> sweep_holes() {
  return {
      {"{NAME}",
       "A parameter's value as it is, in any text of the manifest or the command: within sh -c \"...\" the "
       "shell reads it, so quote what may hold blanks. Empty where the parameter is inactive. A text that is "
       "nothing else keeps the value's type, as in replicas: \"{n}\"; not in command, args and env."},
      {"{args}",
       "--lr=0.01 --batch=32, without inactive parameters. A word of its own becomes one word a parameter; "
       "within a text, as of sh -c, each is quoted for the shell."},
      {"{trial}", "The trial's number, from 0."},
      {"{until}", "The value of fidelity.metric at which the trial's job must end. Only with mode: promote."},
      {"{checkpoint}", "The folder of the trial's checkpoints, if the sweep has a checkpointDir."},
      {"KML_SWEEP, KML_TRIAL, KML_CHECKPOINT",
       "Not in braces: variables of the trial with the sweep's name, the trial's number and the folder."},
  };
}

std::vector<Entry> sweep_param_forms() {
  return {
      {"lr=0.0..1.0", "A number with a fraction. With 0..1 it is 0 or 1: bounds without point or exponent."},
      {"lr=log:1e-4..1e-1", "The same by its logarithm; the minimum is above 0."},
      {"drop=0..0.5/0.1", "In steps: 0, 0.1, ... 0.5."},
      {"layers=1..8, layers=int:1e0..1e1, width=int:log:16..1024", "A whole number; int: before log:."},
      {"batch=32,64,128", "One of these numbers, whose neighbours count as similar."},
      {"opt=adam,sgd, py=3.9,3.10",
       "One of these texts. Numbers stay texts if one of them would change as a number."},
  };
}

std::vector<Entry> sweep_metric_forms() {
  return {
      {"accuracy=0.97, loss: 0.3", "anywhere in a line, several a line too"},
      {"{\"step\": 3, \"accuracy\": 0.97}", "a line of JSON"},
      {"loss=nan, loss=-inf", "no number: a trial whose last value it is has diverged"},
      {"reward=12,345", "is not read: it may be twelve thousand, or a list"},
      {"step=3",
       "where the trial is: in the same line or one before. fidelity.metric says how it is called, and is "
       "read in words, too: Epoch 3/10."},
      {"val loss: 0.3, valid_0's auc: 0.9",
       "by the whole name. A progress bar is read while it is redrawn: of a step, or a line, its last values "
       "count. A cluster's nodes pass on 16 KiB "
       "of "
       "it at a time."},
  };
}

}  // namespace kml::cli
