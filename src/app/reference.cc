#include "app/reference.h"

#include <string>

#include "kml/job/spec/config.h"

namespace kml::cli {

namespace {

/// Every environment variable that kml reads.
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

/// Every file that kml reads or writes by itself.
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

/// How kml authenticates to a server and how it connects.
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

/// How the cluster interprets the exit codes of a job's command, and how the command reports its attempts.
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

}  // namespace

std::vector<Definitions> definitions_of_kml() {
  return {{"ENVIRONMENT", environment_variables()},
          {"FILES", files()},
          {"CREDENTIALS AND PROXIES", credentials_and_proxies()},
          {"EXIT STATUS", exit_codes()},
          {"EXIT STATUS OF A JOB'S COMMAND", command_exit_codes()}};
}

}  // namespace kml::cli
