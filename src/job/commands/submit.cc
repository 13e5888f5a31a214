#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "engine/commands/after.h"
#include "job/commands/append_code.h"
#include "job/commands/notify.h"
#include "job/commands/send.h"
#include "job/commands/submit_plan.h"
#include "job/commands/submit_request.h"
#include "job/commands/submit_schedule.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/job/submit/schedule.h"
#include "kml/kube/objects/names.h"
#include "kml/tracking/runs/mlflow_folder.h"
#include "kml/tracking/runs/mlflow_names.h"
#include "pipeline/commands/submit_artifacts.h"
#include "pipeline/commands/submit_data.h"
#include "serve/commands/serve_view.h"

namespace kml::cli {

namespace {

struct SubmitOptions {
  SubmitFlags flags;
  AfterFlags after;
  ArtifactFlags artifacts;
  AppendFlags append;
  spec::TimetableFlags times;
  SendOptions send;
  std::string track, plan;
  bool hang_debug = false;
};

/// Makes PyTorch record its latest collective operations, and write them to a file after a timeout, or when
/// something is written to a pipe. PyTorch appends the rank to both paths. See "ProcessGroupNCCL Environment
/// Variables" in PyTorch's documentation; newer versions also accept the names TORCH_FR_*.
constexpr const char* kHangDebug[] = {
    "TORCH_NCCL_TRACE_BUFFER_SIZE=2000",
    "TORCH_NCCL_DUMP_ON_TIMEOUT=1",
    "TORCH_NCCL_DEBUG_INFO_TEMP_FILE=/tmp/nccl_trace_rank_",
    "TORCH_NCCL_DEBUG_INFO_PIPE_FILE=/tmp/nccl_trace_rank_",
};

void check_key(const SubmitOptions& options) {
  const std::string& key = options.flags.key;
  if (key.empty()) return;
  if (std::string problem = api::label_value_problem(key); !problem.empty())
    throw usage_error("\"" + key + "\" cannot be an idempotency key",
                      "it becomes the value of a label, which " + problem);
  if (options.send.replace)
    throw not_together("--idempotency-key", "--replace",
                       "a key keeps the existing job, but --replace deletes it");
}

/// The schedule from --cron, --every or --at; empty if the job starts now.
std::optional<spec::Timetable> timetable_of(const SubmitOptions& options) {
  if (!options.times.are_any()) return {};
  const auto refuse = [](const std::string& flags, const std::string& why, const std::string& fix) {
    throw not_together("--cron, --every and --at", flags, why, fix);
  };
  if (options.artifacts.are_any()) refuse("--input and --output", "each job would need a separate run", "");
  if (!options.after.jobs.empty()) refuse("--after", "the times decide when the jobs start", "");
  if (!options.flags.key.empty())
    refuse("--idempotency-key", "all jobs of the schedule would have this key",
           "use --name: the server rejects a second schedule with the same name");
  if (!options.track.empty()) refuse("--track", "--track works only for a job that starts now", "");
  if (!options.send.notify.empty()) refuse("--notify", "no job starts yet", "");
  if (options.send.follow || options.send.wait)
    refuse("--follow and --wait", "no job starts yet", "afterwards: kml schedule run-now NAME --follow");
  return spec::parse_timetable(options.times, system_clock().now());
}

/// Throws usage Error for flags that cannot be used with --plan.
void check_plan(const SubmitOptions& options) {
  const SendOptions& send = options.send;
  const auto refuse = [](bool is_set, const char* flags, const char* why, const char* fix = "") {
    if (is_set) throw not_together("--plan", flags, why, fix);
  };
  refuse(send.follow || send.wait || !send.notify.empty(), "--follow, --wait and --notify",
         "no job starts yet", "kml apply FILE --follow; for notices: kml wait JOB --notify TARGET");
  refuse(!send.dry_run.empty() || send.test_only, "--dry-run and --test-only",
         "the plan already has the results of both flags");
  refuse(send.no_check, "--no-check", "the plan has the results of the checks");
  refuse(send.replace, "--replace", "a plan never deletes a job");
  refuse(!options.flags.key.empty(), "--idempotency-key", "a plan uses its id as the key");
  refuse(!options.after.jobs.empty() || options.artifacts.are_any(), "--after, --input and --output",
         "kml would have to keep running until the other jobs finish",
         "make the jobs steps of a pipeline: kml run FILE");
  refuse(options.times.are_any(), "--cron, --every and --at", "a schedule creates more than one job");
}

/// Throws usage Error for flags that cannot be used with --keep.
void check_keep(const SubmitOptions& options) {
  if (!options.flags.keeps_claims) return;
  const auto refuse = [](bool is_set, const char* flags, const char* why) {
    if (is_set)
      throw not_together("--keep", flags, why,
                         "create a claim first, and mount it with --mount pvc/NAME:/path");
  };
  refuse(!options.flags.files.empty(), "-f", "manifests have their own volumes");
  refuse(!options.plan.empty(), "--plan", "the plan could not name the claim");
  refuse(options.artifacts.are_any(), "--input and --output", "");
  refuse(options.times.are_any(), "--cron, --every and --at", "a schedule creates more than one job");
}

/// Throws usage Error for flags that cannot be used with --data.
void check_data(const SubmitOptions& options) {
  const bool has_data = std::ranges::any_of(options.flags.settings, [](const spec::Setting& setting) {
    return setting.name == "data" && !setting.value.empty();
  });
  if (!has_data) return;
  const auto refuse = [](bool is_set, const char* flags, const char* why) {
    if (is_set) throw not_together("--data", flags, why, "leave out one of them");
  };
  refuse(!options.plan.empty(), "--plan", "the plan could not name the versions of the data");
  refuse(options.times.are_any(), "--cron, --every and --at", "each start would get the data as it is today");
}

/// Throws usage Error for flags that cannot be used with --image-append.
void check_append(const SubmitOptions& options) {
  const AppendFlags& append = options.append;
  if (append.target.empty() && (append.is_insecure || !append.platform.empty()))
    throw usage_error(append.is_insecure ? "--insecure needs --image-append"
                                         : "--platform needs --image-append");
  if (append.target.empty()) return;
  if (!options.plan.empty())
    throw not_together("--image-append", "--plan", "a plan creates nothing",
                       "make the image first: kml image append");
  if (options.artifacts.are_any())
    throw not_together("--image-append", "--input and --output", "",
                       "make the image first: kml image append");
}

void refuse_tracking_server(const std::vector<spec::Setting>& settings) {
  const std::string variable = "MLFLOW_TRACKING_URI";
  for (const spec::Setting& setting : settings)
    if (setting.name == "env" && setting.value.substr(0, setting.value.find('=')) == variable)
      throw usage_error("--track and --env both set " + variable,
                        "--track mlflow lets MLflow log to a folder of kml", "leave out one of the two");
}

/// The flags plus the variables that --hang-debug and --track set. A variable given by --env takes precedence
/// over those of --hang-debug.
SubmitFlags flags_with_variables(Context& context, const SubmitOptions& options) {
  SubmitFlags flags = options.flags;
  if (options.hang_debug) {
    std::vector<spec::Setting> variables;
    for (const char* variable : kHangDebug)
      variables.push_back({"env", variable, {spec::Source::flag, "--hang-debug"}});
    flags.settings.insert(flags.settings.begin(), variables.begin(), variables.end());
  }
  if (options.track.empty()) return flags;
  if (!context.place().is_local)
    throw usage_error("--track works only for jobs on this machine",
                      "kml cannot read files that a cluster's pods write",
                      "let them log to a server: --env MLFLOW_TRACKING_URI=https://HOST");
  refuse_tracking_server(options.flags.settings);
  for (const std::string& variable : tracking::mlflow_folder_variables())
    flags.settings.push_back({"env", variable, {spec::Source::flag, "--track"}});
  return flags;
}

/// The plan of the job that the flags describe.
job::SubmitPlan plan_of(Context& context, const SubmitOptions& options) {
  SubmitFlags flags = flags_with_variables(context, options);
  flags.checks_fields = !options.send.no_check;
  flags.fetches_data = !options.times.are_any();
  if (options.append.target.empty()) return cli::plan(context, flags);
  job::SubmitRequest request = submit_request(context, flags);
  const bool is_dry_run = !options.send.dry_run.empty() || options.send.test_only;
  const CodeInImage code(context, options.append, request, is_dry_run);
  job::SubmitPlan plan = cli::plan(context, request, "");
  code.complete(plan);
  return plan;
}

int run_submit(Context& context, const SubmitOptions& options) {
  check_key(options);
  check_notify(options.send.notify);
  check_append(options);
  check_keep(options);
  check_data(options);
  if (!options.plan.empty()) {
    check_plan(options);
    return write_plan(context, flags_with_variables(context, options), {options.plan, options.send.output});
  }
  const std::optional<spec::Timetable> times = timetable_of(options);
  if (options.artifacts.are_any()) {
    if (!options.after.jobs.empty())
      throw not_together("--after", "--input and --output", "",
                         "make both jobs steps of a pipeline: kml run FILE");
    if (!options.track.empty()) throw not_together("--track", "--input and --output");
    return submit_with_artifacts(context, flags_with_variables(context, options), options.artifacts,
                                 options.send);
  }
  const auto make_plan = [&] {
    job::SubmitPlan plan = plan_of(context, options);
    if (!options.track.empty()) tracking::add_mlflow_names(plan.objects, environment("PYTHONPATH"));
    add_data(context, options.send.dry_run != "client", plan);
    come_after(context, plan, options.after);
    if (times) job::put_on_schedule(plan, *times);
    return plan;
  };
  return send(context, make_plan, options.send, [&](const std::vector<Json>& made) {
    start_waiters(context, made, options.after);
    if (times) report_first_start(context, made);
    if (options.send.wait || options.send.follow) wait_for_served(context, made, options.send.timeout);
  });
}

std::vector<ManualSection> sections_of_submit() {
  return {
      {"Times of a schedule",
       R"(No job starts at a time that a change to daylight saving time skips; a time that occurs twice starts
       two jobs.

--at rounds the time up to a full minute. If the cluster or this machine is down or asleep at the time, the job starts
afterwards. Six months after the start, the cluster deletes the schedule and its job. For this deletion, kml creates a
Job without pods, NAME-once-..., which owns the schedule and expires after these six months.)"},
      {"Data",
       R"(kml submit replaces the branch or tag of hf:// with its commit, and records which objects a bucket has, so
that all pods read the same data. The annotation kml.dev/data of the job and `kml runs compare` show these
versions, and `kml rerun` uses them again. An init container of each pod fetches the data. Downloads are
verified, continued after a break, and repeated if the server is busy. The data appears when it is complete. The file
of https:// keeps the name at the end of its URL, decoded: "a b.csv" of https://HOST/a%20b.csv.
If the data has changed at its source since the job was submitted, the job fails.

Others can read a job's manifest, so a URL must not contain a token. For a private or gated repository, add --secret
HF_TOKEN; for a bucket, --secret AWS_ACCESS_KEY_ID and --secret AWS_SECRET_ACCESS_KEY (for gs://, an HMAC key), or a
service account that may read the bucket. To use another hub, set HF_ENDPOINT.

`kml gc --data-store pvc/NAME` deletes data that no job has used for some time.)"}};
}

}  // namespace

Command submit_command() {
  auto options = std::make_shared<SubmitOptions>();
  Command command{"submit", "Submit a job from a command, a template or manifests"};
  command.description =
      R"(kml turns the command after "--" into a Kubernetes job, from a template and your flags, and submits it. The command
runs without a shell. To set a parameter of the template, use -p NAME=VALUE, or --NAME VALUE if kml has no such
flag. kml.yaml can set defaults for most flags. With -f, kml submits manifests instead.

Before it sends anything, kml prints the settings from kml.yaml, and the target: a context, a namespace and a
user. kml checks that the job's queue, priority class, service account, secrets, volume claims and training
runtime exist, and that a node has enough GPUs of the right type. --test-only also compares CPUs and memory with
the nodes. kml skips checks that you have no permission for, and cannot check pods that a manifest does not show.

With --cron, --every or --at, kml creates a schedule, which starts the job at those times; see kml-schedule(1).

If a manifest has no name, kml asks you for one or, without a terminal, fails. With metadata.generateName, kml
generates the name.)";
  command.manual = sections_of_submit;
  command.examples = R"(# Run a command with one GPU, and follow its log
kml submit --gpus 1 --follow -- python train.py --lr 0.1
# Train on 4 nodes with 8 GPUs each
kml submit -t pytorchjob --nodes 4 --gpus a100:8 --image trainer:1 -- torchrun train.py
# Run 200 tasks, 8 at a time
kml submit --array 0-199%8 -- sh -c 'python task.py $KML_TASK'
# Read a run's artifact, and store the job's output as report/job.text
kml submit --name report --input model=iris-1/train.model --output text=report.txt -- sh -c 'wc -c <${in.model} >report.txt')";
  add_spec_flags(command, options->flags.settings);
  command.options_under("What runs");
  command
      .option("-f,--file", "FILE", options->flags.files, "file or folder of manifests; - is standard input")
      .after("--template")
      .details(
          "Read manifests, as kubectl does, from a file, a folder, or - for standard input. May be "
          "repeated.");
  add_append_flags(command, options->append);
  command.options_under("Data and secrets");
  command
      .option("--input", "NAME=ARTIFACT", options->artifacts.inputs,
              "give the job an artifact (RUN/STEP.OUTPUT) or a file (./FILE) as ${in.NAME}")
      .after("--mount")
      .details(
          "Give the job an input: an artifact of an earlier run or job, by its name in `kml artifact list`, "
          "or a file or folder on this machine, by a path that starts with \".\" or \"/\". The command reads "
          "the input at ${in.NAME}. Put ${in.NAME} in single quotes, so that your shell does not expand it. "
          "May be repeated.");
  command
      .option("--store", "pvc/NAME", options->artifacts.store,
              "with --output on a cluster: keep the output on this volume, whatever its size")
      .after("--output")
      .details(
          "On a cluster, keep the outputs on this volume claim, whatever their size, as `kml run --store` "
          "does. The command must write the outputs to ${out.NAME}.");
  command
      .flag("--keep", options->flags.keeps_claims, "keep the claims of --mount new/… when the job is deleted")
      .after("--mount")
      .details(
          "For each --mount new/SIZE, create one claim that all pods share. The claim stays when the job is "
          "deleted. kml prints the claim's name, so that a later job can mount the claim with pvc/NAME.");
  command
      .choice("--track", {"mlflow"}, options->track,
              "on this machine: record the program's MLflow logging, without a server")
      .after("--store")
      .details(
          "With \"mlflow\", set MLFLOW_TRACKING_URI to a new folder in ~/.local/state/kml/tracking, so that "
          "the program needs no MLflow server. When the job has finished, `kml runs` shows the logged "
          "parameters, metrics and tags. Logged files stay in the folder. kml puts a module at the front of "
          "PYTHONPATH, so that the program can log both val and val/acc, which MLflow's file store does not "
          "allow. --track works only for jobs on this machine.");
  command.options_under("Queue and priority");
  command
      .option("--after", "JOB[:WHEN]", options->after.jobs,
              "wait for this job to succeed, or with :failed to fail, or with :any to finish")
      .details(
          "Wait for another job to succeed before starting this one. With JOB:failed, wait for the job to "
          "fail; with JOB:any, wait for the job to finish either way. On this machine, the embedded server "
          "waits. On a cluster, kml waits before it submits the job, or a pod waits if you add --in-cluster. "
          "May be repeated.");
  command
      .flag("--in-cluster", options->after.waiter.in_cluster,
            "with --after: let a pod in the cluster wait, so that you can shut this machine down")
      .details(
          "With --after, create the job now, suspended. Also create a second job, JOB-engine, whose small "
          "pod starts the first job when the jobs given by --after have finished. The service account of "
          "JOB-engine may get, list and watch jobs, and patch the waiting job. Deleting the job also deletes "
          "JOB-engine.");
  command
      .option("--engine-image", "IMAGE", options->after.waiter.image, "with --in-cluster: an image with kml")
      .details(
          "The image for the pod of --in-cluster. The image must have kml in its PATH, and the nodes must be "
          "able to pull it.");
  command
      .option("--engine-account", "NAME", options->after.waiter.account,
              "with --in-cluster: an existing service account; by default, kml creates one, with a Role")
      .details(
          "The service account of the pod of --in-cluster. By default, kml creates a service account with a "
          "Role that grants only the rights that the engine needs.");
  command.options_under("Schedule");
  add_timetable_flags(
      command, options->times,
      {.cron = "Create a schedule (a CronJob) instead of a job. The schedule starts this job at each of "
               "these times. "
               "The five fields are minute, hour, day of the month, month and day of the week: 5, 1-5, */15, "
               "mon-fri or a list of these. @hourly, @daily, @weekly, @monthly and @yearly work too. `kml "
               "schedule` manages schedules.",
       .every = "Like --cron, but start the job at this interval, counted from midnight: 15m, 6h, 1d, 7d. "
                "The interval must be a number of minutes that divides an hour evenly, a number of hours "
                "that divides a day evenly, or a week, because the five fields of a schedule cannot express "
                "other intervals.",
       .at = "Create a schedule that starts this job once: at \"2026-12-01 09:00\", \"today 18:30\", "
             "\"tomorrow 9:00\", 18:30 (today or tomorrow, whichever comes first), +2h, or "
             "2026-12-01T09:00:00Z, at most a year ahead. `kml schedule delete` cancels the start.",
       .zone = "The time zone of --cron, --every and --at, such as Europe/Berlin. By default, this machine's "
               "time zone."});
  command.options_under("Retries and time limits");
  command
      .flag("--hang-debug", options->hang_debug,
            "record PyTorch's latest collective operations, in case the job hangs")
      .details(
          "Set the variables that make PyTorch's flight recorder keep the latest 2,000 collective operations "
          "of each rank. `kml hang` triggers the recorder and compares the files of all ranks, as PyTorch's "
          "`torchfrtrace` does. Variables from --env take precedence. A rank writes /tmp/nccl_trace_rank_N "
          "when the NCCL watchdog detects a timeout, or when something is written to "
          "/tmp/nccl_trace_rank_N.pipe.");
  add_send_flags(command, options->send);
  command
      .option("--plan", "FILE", options->plan,
              "create nothing; write what would be sent, for `kml apply` after a review")
      .after("--test-only")
      .details(
          "Create nothing. Make the same checks as --test-only, and write a plan, with the manifests, the "
          "job's place in the queue, and its GPU hours. `kml apply FILE` creates the job, once.");
  command.options_under("Labels and identity");
  command
      .option("--idempotency-key", "KEY", options->flags.key,
              "create no second job for this key while the first one exists")
      .details(
          "Create at most one job for this key at a time. If you submit the same key again while its job "
          "exists, kml finds that job instead of creating another one.");
  command.options_under("Follow and wait");
  add_notify_flag(command, options->send.notify);
  add_output_flag(command, options->artifacts.outputs);
  command.argv = &options->flags.command;
  command.unknown_flags = &options->flags.unknown;
  command.run = [options](Context& context) { return run_submit(context, *options); };
  return command;
}

}  // namespace kml::cli
