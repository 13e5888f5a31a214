#include "app/reference.h"

#include <string>

#include "kml/job/spec/config.h"

namespace kml::cli {

namespace {

/// The environment variables that users may need to know.
std::vector<Entry> environment_variables() {
  std::vector<Entry> entries = {
      {"KML_CONTEXT", "The default for --context."},
      {"KML_NAMESPACE", "The default for -n."},
  };
  for (const spec::Flag& flag : spec::submit_flags())
    if (!flag.key.empty() && !flag.repeats)
      entries.push_back({spec::variable_name(flag.key), "The default for --" + std::string(flag.name) +
                                                            " in commands that make jobs from flags."});
  const std::vector<Entry> others = {
      {"KML_STATE_DIR",
       "The folder of the run records and of the embedded server, instead of ~/.local/state/kml."},
      {"KML_NOTIFY_SLACK, KML_NOTIFY_WEBHOOK, KML_NOTIFY_NTFY",
       "The URL for --notify slack and webhook, or the topic for --notify ntfy. Keep this value secret."},
      {"KML_NOTIFY_HANG_EVERY",
       "How often --notify makes kml check whether a running job hangs, such as 90s or 1h. [default: 10m]"},
      {"KML_RUN_OF_JOB",
       "Set by kml in the jobs of `kml run --cron`, `--every` and `--at`: the job's name, which is also the "
       "name of the run."},
      {"KML_AGENT_FOLDER, KML_AGENT_SECRETS",
       "Set by `kml mcp` for the commands that it runs: the folder whose files they may read, and the "
       "variables "
       "that they may copy into jobs."},
      {"KML_SERVED_BY",
       "The id of a pipeline run. `kml run` sets this variable when it calls `kml serve` for a step that "
       "serves a model."},
      {"KUBECONFIG", "The kubeconfig files, separated by \":\". If two files disagree, the first one wins."},
      {"KUBERC, KUBECTL_KUBERC",
       "The kubectl preferences file, instead of ~/.kube/kuberc. kml does not read the file if KUBERC is "
       "\"off\" "
       "or KUBECTL_KUBERC is \"false\"."},
      {"DOCKER_CONFIG", "The folder with Docker's config.json, instead of ~/.docker."},
      {"HF_ENDPOINT, HF_TOKEN",
       "For --data hf://…: the hub's URL [default: https://huggingface.co], and the hub's token. Pods get "
       "the token only if you add --secret HF_TOKEN."},
      {"STORAGE_EMULATOR_HOST",
       "For --data gs://…: the URL of another server with the S3 API [default: "
       "https://storage.googleapis.com]."},
      {"XDG_CONFIG_HOME, XDG_STATE_HOME", "The folders to use instead of ~/.config and ~/.local/state."},
      {"HOME", "The folder that holds ~/.config, ~/.local/state and ~/.kube."},
      {"SUDO_UID",
       "The id of a user. When kml runs as root, it also accepts a kml.yaml of this user. sudo sets this "
       "variable."},
      {"USER, LOGNAME",
       "The user name that kml puts on jobs. If neither variable is set, kml asks the system."},
      {"GIT_DIR",
       "The repository whose changes `kml submit` records, instead of the current folder's. git uses this "
       "variable."},
      {"GIT_SSH_COMMAND", "How `kml schedule git` runs ssh. [default: ssh -oBatchMode=yes]"},
      {"TZ", "This machine's time zone, for example for schedules without --tz. By default, /etc/localtime."},
      {"TZDIR", "The folder with the time zone database, instead of /usr/share/zoneinfo."},
      {"COLUMNS", "The width of help texts, at most 100. By default, the width of the terminal, or 80."},
      {"DISPLAY, WAYLAND_DISPLAY",
       "If neither variable is set, kml opens no browser: `kml open` and `kml ui --web` only print the "
       "address."},
      {"NO_COLOR, TERM", "If NO_COLOR is not empty, or TERM is \"dumb\", kml prints no colors."},
      {"SSL_CERT_FILE, SSL_CERT_DIR",
       "A file and a folder with the certificate authorities to trust if the kubeconfig has none. By "
       "default, "
       "the system's."},
      {"UV_DEFAULT_INDEX, UV_INDEX, UV_INDEX_URL",
       "For --uv and --requirements: the indexes of packages, as for uv itself."},
      {"UV_CONFIG_FILE",
       "uv's own configuration for --uv and --requirements. kml uses the indexes that this file names. The "
       "pods get UV_INDEX, UV_DEFAULT_INDEX and uv's other variables for indexes."},
      {"NETRC",
       "The file with logins for indexes of packages, instead of ~/.netrc. Only this machine uses it."},
      {"CONDA_CHANNEL_ALIAS, CONDA_OVERRIDE_GLIBC, CONDA_OVERRIDE_CUDA",
       "For --conda: the server of channels that have only a name, by default https://conda.anaconda.org, "
       "and "
       "the versions of glibc and CUDA that the nodes of a cluster offer to packages."},
      {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
       "The proxy for https and http connections, and the hosts to reach without the proxy. For the API "
       "server, proxy-url in the kubeconfig takes precedence."},
      {"KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, POD_NAMESPACE",
       "The cluster's API server and the namespace, in a pod without a kubeconfig."},
      {"AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_PROFILE, "
       "AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE",
       "The access key for s3://BUCKET (--store, --data), or the profile in ~/.aws that has the key, as in "
       "the AWS CLI."},
      {"AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_CA_BUNDLE",
       "The region for s3://BUCKET, the URL of a server other than AWS, and the certificate "
       "authorities to trust there."},
      {"AWS_WEB_IDENTITY_TOKEN_FILE, AWS_ROLE_ARN, AWS_ROLE_SESSION_NAME, AWS_ENDPOINT_URL_STS",
       "A web identity token for s3://BUCKET, and the role to assume with it through STS."},
      {"AWS_CONTAINER_CREDENTIALS_FULL_URI, AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, "
       "AWS_CONTAINER_AUTHORIZATION_TOKEN, "
       "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, AWS_EC2_METADATA_DISABLED, AWS_EC2_METADATA_SERVICE_ENDPOINT",
       "How a container or an EC2 instance gets its key for s3://BUCKET: the address to ask, and the "
       "token to send, or the file with the token. If AWS_EC2_METADATA_DISABLED is \"true\", kml does not "
       "ask EC2's metadata service."},
      {"MLFLOW_TRACKING_URI, MLFLOW_EXPERIMENT_NAME",
       "The defaults for --mlflow and --experiment in kml runs push."},
      {"MLFLOW_TRACKING_TOKEN, MLFLOW_TRACKING_USERNAME, MLFLOW_TRACKING_PASSWORD, "
       "MLFLOW_TRACKING_SERVER_CERT_PATH",
       "The login for kml runs push, and the certificate authorities to trust, as for the MLflow client."},
      {"PATH, VIRTUAL_ENV, CONDA_PREFIX, CONDA_DEFAULT_ENV, PYTHONPATH, LD_LIBRARY_PATH, SHELL, LANG, "
       "LC_ALL, TZ, "
       "TMPDIR",
       "kml passes these variables on to jobs on this machine, together with HOME, USER and LOGNAME. A "
       "program called kml-NAME in a folder in PATH adds the command `kml NAME`."},
  };
  entries.insert(entries.end(), others.begin(), others.end());
  return entries;
}

/// The most important of the files that kml reads or writes on its own.
std::vector<Entry> files() {
  return {
      {"kml.yaml",
       "The project's defaults. kml reads the first such file in the current folder or above it."},
      {"~/.config/kml/config.yaml", "Your defaults, in the same format."},
      {"~/.config/kml/aliases.yaml", "Your aliases; see `kml config alias`."},
      {"~/.config/kml/templates/", "Your templates."},
      {"~/.kube/config", "Clusters, users and contexts."},
      {"~/.kube/kuberc",
       "kubectl preferences, which say which commands in a kubeconfig may supply credentials."},
      {"~/.docker/config.json",
       "Docker's logins to registries (credHelpers, credsStore and auths), for `kml image append`."},
      {"~/.local/state/kml/runs.jsonl",
       "The run records. Each line is a JSON object that describes a submission or its outcome."},
      {"~/.local/state/kml/gpu_time.jsonl", "The GPU time of finished jobs, one JSON object per line."},
      {"~/.local/state/kml/engines/ID.jsonl",
       "This machine's latest copy of a sweep or pipeline run with --in-cluster. The file starts with a line "
       "about the run; the run's journal follows."},
      {"~/.local/state/kml/metrics/RUN.tsv",
       "The metrics of a run. Each line has a name, a step, a value, and milliseconds since 1970."},
      {"~/.local/state/kml/tracking/",
       "MLflow data that programs logged, in a folder for each `kml submit --track`."},
      {"~/.local/state/kml/trusted",
       "The files that you trust, each with the SHA-256 of its text and its templates."},
      {"~/.local/state/kml/sweeps/NAME/journal.jsonl",
       "The journal of a sweep. Each line is a JSON object that describes a decision or a result. engine.log "
       "in the same folder holds the messages of a detached engine."},
      {"~/.local/state/kml/git/", "The checkouts of `kml schedule git`, until their runs have succeeded."},
      {"~/.local/state/kml/logs/", "The log copies that `kml logs --keep` makes."},
      {"~/.local/state/kml/local/",
       "The embedded server's store, kubeconfig and log, its pods with their logs, and volumes. Only you can "
       "read this folder (mode 0700)."},
      {"/var/run/secrets/kubernetes.io/serviceaccount/", "The service account, when kml runs in a pod."},
  };
}

/// How kml authenticates to a server and how it connects.
std::vector<Entry> credentials_and_proxies() {
  return {
      {"token, tokenFile, username and password, client-certificate",
       "kml reads these fields of the kubeconfig's user as kubectl does. A tokenFile takes precedence over a "
       "token. kml reads the tokenFile again every minute, and when the server rejects the token (401); kml "
       "also reads certificate and key files again every minute. kml never sends these credentials over "
       "plain http."},
      {"exec",
       "A command that supplies a token or a certificate (client.authentication.k8s.io/v1 and v1beta1). kml "
       "runs the command for the first request that needs a credential, and again when the credential has "
       "expired or was "
       "rejected, and keeps the credential only in memory. The command may ask questions if interactiveMode "
       "allows it and standard input is a terminal. The kubectl preferences (kuberc, credentialPluginPolicy) "
       "determine which commands may run."},
      {"certificate-authority, SSL_CERT_FILE, SSL_CERT_DIR",
       "The authorities that may sign the server's certificate. kml trusts the authorities in the "
       "kubeconfig. If the kubeconfig has none, kml trusts the system's; SSL_CERT_FILE then replaces the "
       "system's file, and SSL_CERT_DIR its folder. The certificate must contain the server's name in "
       "subjectAltName; like kubectl, kml rejects a "
       "certificate that has only a common name."},
      {"proxy-url",
       "The proxy that the kubeconfig names for the cluster: an http, https or socks5 proxy. proxy-url takes "
       "precedence over the environment."},
      {"HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
       "kml uses the variable that matches the scheme of the server's URL. NO_PROXY lists hosts, domains, "
       "addresses and networks (10.0.0.0/8), separated by commas. Connections to this machine ignore these "
       "variables. kml checks the server's certificate even through a proxy, so a proxy never sees a "
       "credential."},
  };
}

/// How the cluster interprets the exit codes of a job's command, and how that command reports its attempts.
std::vector<Entry> command_exit_codes() {
  return {
      {"0", "The pod succeeds."},
      {"1 to 127",
       "The pod fails, and the job fails once its --retries are used up. A PyTorchJob does not restart "
       "the rank."},
      {"143",
       "The command was stopped by SIGTERM. If the cluster stopped the command (preemption, drain, "
       "eviction), 0 is still a success, and 143 or any other exit code is not a failure: the pod is created "
       "again, waits for its turn, and does not use up a retry. To lose no work, the command should save its "
       "state on SIGTERM within --grace (60s in most templates), and continue from that state when it "
       "starts again. If something else stopped the command, the pod fails."},
      {"138",
       "The command exited because another rank stopped, for example after a preemption. This rank has "
       "not failed. With the templates job-indexed and jobset, the pod is created again, and does not "
       "use up a retry."},
      {"137",
       "The command was killed because its grace period was over, or because it used too much memory "
       "(`kml status` shows which). A PyTorchJob restarts a rank whose exit code is 128 or more."},
      {"kml-attempt: {...}",
       "Not an exit code, but a line in the log that reports an attempt to run the command. The line has a "
       "JSON object with attempt (from 1), pod, node, start, first_step, end, last_step and reason "
       "(such as finished, SIGTERM or \"error: ...\"). kml uses the last line of each attempt. If a command "
       "prints "
       "its earlier attempts when it starts, `kml history JOB` can show them after pods and events are gone. "
       "Most of kml's templates set POD_NAME and NODE_NAME for this line."}};
}

std::vector<Entry> exit_codes() {
  return {{"0", "Success."},
          {"1", "An error."},
          {"2", "A wrong flag, spec, template or configuration file."},
          {"3", "The job failed or was cancelled."},
          {"4", "Not authenticated, or not allowed."},
          {"5", "A timeout, or the server cannot be reached."},
          {"130",
           "Interrupted. A command that runs a program, such as kml exec, returns the program's exit code."}};
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
