#include "cli/reference.h"

#include "kml/jobs/why/cause.h"
#include "kml/spec/config.h"

namespace kml::cli {

std::vector<Entry> environment_variables() {
  std::vector<Entry> entries = {
      {"KML_CONTEXT", "where to go, as --context"},
      {"KML_NAMESPACE", "namespace, as -n"},
  };
  for (const spec::Flag& flag : spec::submit_flags())
    if (!flag.key.empty() && !flag.repeats)
      entries.push_back(
          {spec::variable_name(flag.key), "default for --" + std::string(flag.name) + " of kml submit"});
  const std::vector<Entry> others = {
      {"KML_STATE_DIR", "folder of the run records and of the embedded server, instead of the one below"},
      {"KUBECONFIG", "kubeconfig files, with \":\" between them; the first one wins where they disagree"},
      {"KUBERC, KUBECTL_KUBERC",
       "kubectl's preferences, where they are not in ~/.kube/kuberc; left out where KUBERC is \"off\" or "
       "KUBECTL_KUBERC is \"false\""},
      {"XDG_CONFIG_HOME, XDG_STATE_HOME", "instead of ~/.config and ~/.local/state"},
      {"HOME", "where those two and ~/.kube are"},
      {"SUDO_UID", "for root: the user whose kml.yaml is read as well; sudo sets it"},
      {"USER, LOGNAME", "the user whose name jobs carry; else the system's name for them"},
      {"GIT_DIR", "git's own: the repository whose changes a submit records, instead of the folder's"},
      {"NO_COLOR, TERM", "no colours where NO_COLOR is set or TERM is \"dumb\""},
      {"SSL_CERT_FILE, SSL_CERT_DIR",
       "authorities to trust where the kubeconfig names none; else the system's"},
      {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
       "proxy for the API server, and hosts without one; proxy-url of the kubeconfig wins"},
      {"KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, POD_NAMESPACE",
       "in a pod without a kubeconfig: the cluster's API server, and the namespace"},
      {"PATH, VIRTUAL_ENV, CONDA_PREFIX, CONDA_DEFAULT_ENV, PYTHONPATH, LD_LIBRARY_PATH, SHELL, LANG, "
       "LC_ALL, "
       "TZ, TMPDIR",
       "handed on, with HOME, USER and LOGNAME, to jobs on this machine; in the folders of PATH, programs "
       "called "
       "kml-NAME are the commands NAME"},
  };
  entries.insert(entries.end(), others.begin(), others.end());
  return entries;
}

std::vector<Entry> files() {
  return {
      {"kml.yaml", "defaults of a project: the first one found from the current folder upwards"},
      {"~/.config/kml/config.yaml", "defaults of the user, in the same form"},
      {"~/.config/kml/aliases.yaml", "the user's own names for command lines: see `kml config alias`"},
      {"~/.config/kml/templates/", "templates of the user"},
      {"~/.kube/config", "clusters, users and contexts"},
      {"~/.kube/kuberc", "kubectl's preferences: which commands of a kubeconfig may bring credentials"},
      {"~/.local/state/kml/runs.jsonl", "the run records: one JSON object a line, a submit or its outcome"},
      {"~/.local/state/kml/trusted", "the kml.yaml files that you trust, each with the SHA-256 of its text"},
      {"~/.local/state/kml/sweeps/NAME/journal.jsonl",
       "a sweep: one JSON object a line, all that was decided and how it ended; engine.log beside it has "
       "what "
       "its engine wrote in the background"},
      {"~/.local/state/kml/logs/", "the copies that kml logs --keep makes"},
      {"~/.local/state/kml/local/",
       "the embedded server: its store, kubeconfig and log, the pods with their logs, volumes (0700)"},
      {"/var/run/secrets/kubernetes.io/serviceaccount/", "the account of a pod that kml runs in"},
  };
}

std::vector<Entry> credentials_and_proxies() {
  return {
      {"token, tokenFile, username and password, client-certificate",
       "of the kubeconfig's user, as kubectl reads them. A tokenFile goes before a token; it is read again "
       "each minute and after a refusal (401), and files of certificates, keys and authorities each minute. "
       "None of them is sent over plain http."},
      {"exec",
       "A command that brings a token or a certificate (client.authentication.k8s.io/v1 and v1beta1). It is "
       "run when the first request needs it, and again when what it brought has expired or was refused; kml "
       "keeps that in memory only. It may talk to the user where interactiveMode and a terminal let it. "
       "kubectl's preferences (kuberc, credentialPluginPolicy) say which commands may be run."},
      {"certificate-authority, SSL_CERT_FILE, SSL_CERT_DIR",
       "who may sign the server's certificate: the kubeconfig's authority, and no other; where it names "
       "none, "
       "the file and the folders of these variables beside the system's. The certificate must name the "
       "server in its "
       "subjectAltName: a common name alone is refused, as kubectl does."},
      {"proxy-url",
       "of the kubeconfig's cluster: http, https or socks5. It goes before the environment's proxies."},
      {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
       "the one of the server's scheme counts. NO_PROXY names hosts, domains, addresses and networks "
       "(10.0.0.0/8), with \",\" between them. To this machine itself no proxy of the environment is used. "
       "The "
       "server's certificate is checked through a proxy too, and no proxy sees a credential."},
  };
}

std::vector<Entry> command_exit_codes() {
  return {
      {"0", "The pod is done."},
      {"1 to 127",
       "It has failed, and so has the job, after --retries. Of a PyTorchJob's rank: trying again would not "
       "help."},
      {"143",
       "Stopped by SIGTERM. What the cluster does to a pod (preemption, drain, eviction) is no failure: "
       "whatever the code, the pod is made anew and waits for its turn, and no retry is used up. A command "
       "that is to lose nothing saves its state on SIGTERM within --grace (60s in kml's templates), and "
       "begins with what it finds saved. One that somebody else stopped has failed."},
      {"138",
       "Ended because another rank did, as after a preemption: no failure of its own. Of job-indexed and "
       "jobset the pod is made anew, and no retry is used up."},
      {"137",
       "Killed: the grace was over, or the memory too little (kml status tells which). From 128 on a "
       "PyTorchJob's rank is started again."},
      {"kml-attempt: {...}",
       "No code, but a line in the log by which a command tells of its attempts: a JSON object of attempt "
       "(from 1), pod, node, start, first_step, end, last_step and reason (finished, SIGTERM, or \"error: "
       "...\"), the last line of an attempt counts. At its start a command prints the attempts before it, "
       "and its own; then kml history JOB tells the story after pods and events are gone. kml's templates "
       "set POD_NAME and NODE_NAME for it."}};
}

std::vector<Entry> exit_codes() {
  return {{"0", "success"},
          {"1", "error"},
          {"2", "a wrong flag, spec, template or configuration file"},
          {"3", "the job failed"},
          {"4", "not authenticated, or not allowed"},
          {"5", "timeout, or the server cannot be reached"},
          {"130", "interrupted"}};
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
       "distribution: logUniform; discrete has {list: [32, 64]} of numbers, neighbours of which are taken to "
       "be alike; categorical has a list of anything. condition: {parameter: NAME, values: [...]}: it counts "
       "only where that one has one of these values."},
      {"constraints",
       "A list of texts as batch * accum <= 256: on both sides sums of products of numbers and names, with "
       "brackets, and between them one of <= < >= > == !=. A name that is no identifier stands in double "
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
      {"{until}", "Where the trial's job is to end, in units of fidelity.metric: with mode: promote only."},
      {"{checkpoint}", "The folder of the trial's checkpoints, where there is a checkpointDir."},
      {"KML_SWEEP, KML_TRIAL, KML_CHECKPOINT",
       "No holes, but in the trial's environment: the sweep's name, the number and the folder."},
  };
}

std::vector<Entry> sweep_param_forms() {
  return {
      {"lr=0.0..1.0", "A number with a fraction. With 0..1 it is 0 or 1: bounds without point or exponent."},
      {"lr=log:1e-4..1e-1", "The same by its logarithm; the minimum is above 0."},
      {"drop=0..0.5/0.1", "In steps: 0, 0.1, ... 0.5."},
      {"layers=1..8, layers=int:1e0..1e1, width=int:log:16..1024", "A whole number; int: before log:."},
      {"batch=32,64,128", "One of these numbers, neighbours of which are taken to be alike."},
      {"opt=adam,sgd, py=3.9,3.10",
       "One of these texts; numbers are texts where one would change as a number."},
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
