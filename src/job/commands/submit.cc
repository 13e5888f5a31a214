#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "engine/commands/after.h"
#include "job/commands/notify.h"
#include "job/commands/send.h"
#include "job/commands/submit_request.h"
#include "job/commands/submit_schedule.h"
#include "kml/base/flag_errors.h"
#include "kml/job/submit/schedule.h"
#include "kml/kube/objects/names.h"
#include "kml/tracking/runs/mlflow_folder.h"
#include "pipeline/commands/submit_artifacts.h"
#include "serve/commands/serve_view.h"

namespace kml::cli {

namespace {

struct SubmitOptions {
  SubmitFlags flags;
  AfterFlags after;
  ArtifactFlags artifacts;
  spec::TimetableFlags times;
  SendOptions send;
  std::string track;
  bool hang_debug = false;
};

/// Makes PyTorch record its latest collective operations, and write them to a file at a time-out, or when
/// something is written to the pipe (PyTorch's documentation, "ProcessGroupNCCL Environment Variables"; newer
/// versions also know the names TORCH_FR_*). It appends the rank to both paths.
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
                       "a key keeps the existing job, --replace deletes it");
}

/// The times of --cron, --every or --at; empty for a job that starts now.
std::optional<spec::Timetable> timetable_of(const SubmitOptions& options) {
  if (!options.times.are_any()) return {};
  const auto refuse = [](const std::string& flags, const std::string& why, const std::string& fix) {
    throw not_together("--cron, --every and --at", flags, why, fix);
  };
  if (options.artifacts.are_any()) refuse("--input and --output", "each job would need a run of its own", "");
  if (!options.after.jobs.empty()) refuse("--after", "the times decide when the jobs start", "");
  if (!options.flags.key.empty())
    refuse("--idempotency-key", "the key would be that of all its jobs",
           "use --name: the server refuses a second schedule of that name");
  if (!options.track.empty()) refuse("--track", "it works only for a job that starts now", "");
  if (!options.send.notify.empty()) refuse("--notify", "no job starts yet", "");
  if (options.send.follow || options.send.wait)
    refuse("--follow and --wait", "no job starts yet", "afterwards: kml schedule run-now NAME --follow");
  return spec::parse_timetable(options.times, system_clock().now());
}

/// The flags, with the variables that --hang-debug and --track set. Variables of --env take precedence over
/// these.
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
                      "kml cannot read the files that the pods of a cluster write",
                      "let them log to a server: --env MLFLOW_TRACKING_URI=https://HOST");
  for (const std::string& variable : jobs::mlflow_folder_variables())
    flags.settings.push_back({"env", variable, {spec::Source::flag, "--track"}});
  return flags;
}

int run_submit(Context& context, const SubmitOptions& options) {
  check_key(options);
  check_notify(options.send.notify);
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
    SubmitFlags flags = flags_with_variables(context, options);
    flags.checks_fields = !options.send.no_check;
    jobs::SubmitPlan plan = cli::plan(context, flags);
    come_after(context, plan, options.after);
    if (times) put_on_schedule(plan, *times);
    return plan;
  };
  return send(context, make_plan, options.send, [&](const std::vector<Json>& made) {
    start_waiters(context, made, options.after);
    if (times) report_first_start(context, made);
    if (options.send.wait || options.send.follow) wait_for_served(context, made, options.send.timeout);
  });
}

}  // namespace

Command submit_command() {
  auto options = std::make_shared<SubmitOptions>();
  Command command{"submit", "Submit a job: a command, a template or manifests"};
  command.description =
      R"(The command follows "--" and runs without a shell. Set a parameter of the template with -p, or with a flag of
that name if kml has no such flag. Defaults come from kml.yaml.

Before it sends anything, kml prints what kml.yaml sets, and the target: context, namespace and user. It checks that the
queue, priority class, service account, secrets and volume claims of the job exist, and that a node is large enough. It
skips the checks that you have no permission for.

With --cron, --every or --at, kml creates a schedule, which starts the job at these times; see kml-schedule(1).

If a manifest has no name, kml asks for one on a terminal, and refuses otherwise; with metadata.generateName the server
makes one up.)";
  command.examples = R"(# Run a command with one GPU, and follow its log
kml submit --gpus 1 --follow -- python train.py --lr 0.1
# Train on 4 nodes with 8 GPUs each
kml submit -t pytorchjob --nodes 4 --gpus a100:8 --image trainer:1 -- torchrun train.py
# Run 200 tasks, 8 at a time
kml submit --array 0-199%8 -- sh -c 'python task.py $KML_TASK'
# Read a file that a run made, and store the job's own file as report/job.text
kml submit --name report --input model=iris-1/train.model --output text=report.txt -- sh -c 'wc -c <${in.model} >report.txt')";
  add_spec_flags(command, options->flags.settings);
  command.options_under("What runs");
  command
      .option("-f,--file", "FILE", options->flags.files, "file or folder of manifests; - is standard input")
      .after("--template")
      .details(
          "Reads manifests from files, as kubectl does: a file, a folder, or - for standard input. May be "
          "repeated.");
  command.options_under("Data and secrets");
  command
      .option("--input", "NAME=ARTIFACT", options->artifacts.inputs,
              "give the job an artifact, RUN/STEP.OUTPUT, or a file, ./FILE, as ${in.NAME}")
      .after("--mount")
      .details(
          "Gives the job an artifact of an earlier run or job, by its name from `kml artifact list`, or a "
          "file or folder of this machine, whose path begins with \".\" or \"/\". The command finds it at "
          "${in.NAME}. Quote it, so that your shell does not expand it. May be repeated.");
  command
      .option("--store", "pvc/NAME", options->artifacts.store,
              "with --output, on a cluster: keep it on this volume, of any size")
      .after("--output")
      .details(
          "On a cluster, keeps the outputs on this volume claim, whatever their size, as `kml run --store` "
          "does. The command writes them to ${out.NAME}.");
  command
      .choice("--track", {"mlflow"}, options->track,
              "on this machine: keep what the program logs with MLflow, without a server")
      .after("--store")
      .details(
          "With \"mlflow\", sets MLFLOW_TRACKING_URI to a new folder in ~/.local/state/kml/tracking, so that "
          "MLflow in the program needs no server. When the job ends, `kml runs` has the parameters, metrics "
          "and tags from there. The folder stays, with the files that the program logged. Only for jobs on "
          "this machine.");
  command.options_under("Queue and priority");
  command
      .option("--after", "JOB[:WHEN]", options->after.jobs,
              "start once this job has succeeded, or with :failed has failed, or with :any has ended")
      .details(
          "Starts the job only once another job has succeeded. JOB:failed starts it once that job has "
          "failed, JOB:any however it ends. May be repeated. The embedded server does the waiting. On a "
          "cluster, kml waits before it submits the job; with --in-cluster, a pod waits instead.");
  command
      .flag("--in-cluster", options->after.waiter.in_cluster,
            "for --after: a pod in the cluster waits, so you can shut this machine down")
      .details(
          "With --after: creates the job at once, suspended, and a second job, JOB-engine, whose small pod "
          "starts it when the others have ended. The service account of JOB-engine may get, list and watch "
          "jobs, and patch this one. Deleting the job also deletes JOB-engine.");
  command
      .option("--engine-image", "IMAGE", options->after.waiter.image, "for --in-cluster: an image with kml")
      .details(
          "The image for the pod of --in-cluster. It must have kml on its PATH, and the nodes must be able "
          "to pull it.");
  command
      .option("--engine-account", "NAME", options->after.waiter.account,
              "for --in-cluster: an existing service account; by default one is created, with a Role")
      .details(
          "The service account of that pod. By default, kml creates one with a Role that grants only the "
          "rights that it needs.");
  command.options_under("Schedule");
  add_timetable_flags(
      command, options->times,
      {.cron = "Creates a schedule instead of a job: a CronJob, which starts this job at each of these "
               "times. The five fields are minute, hour, day of the month, month and day of the week: 5, "
               "1-5, */15, mon-fri or a list of these; @hourly, @daily, @weekly, @monthly and @yearly work "
               "too. A time that a change to daylight saving time leaves out is skipped; one that comes "
               "twice starts two jobs. `kml schedule` manages schedules.",
       .every = "Like --cron, by the time between two starts, counted from midnight: 15m, 6h, 1d, 7d. It "
                "must divide an hour or a day, or be a day or a week, because Kubernetes' schedules can "
                "express no other.",
       .at =
           "Creates a schedule that starts this job once: at \"2026-12-01 09:00\", \"today 18:30\", "
           "\"tomorrow 9:00\", 18:30 (the next time that the clock shows it), +2h, or a time such as "
           "2026-12-01T09:00:00Z, at most a year ahead. Seconds are rounded up to a minute. If the cluster, "
           "or this machine, is down or asleep at that time, the job starts afterwards. Until then `kml "
           "schedule delete` takes it back. Half a year after its start, the cluster deletes the schedule "
           "with its job: a Job without pods, NAME-once-..., owns the schedule and has a time to live.",
       .zone = "The time zone of --cron, --every and --at: Europe/Berlin. The default is the time zone of "
               "this machine."});
  command.options_under("Retries and time limits");
  command
      .flag("--hang-debug", options->hang_debug,
            "let PyTorch record its latest collective operations, for when it hangs")
      .details(
          "Sets the variables that make PyTorch's flight recorder keep the latest 2,000 collective "
          "operations of each rank. A rank writes them to /tmp/nccl_trace_rank_N when NCCL's watchdog times "
          "out, or as soon as something is written to /tmp/nccl_trace_rank_N.pipe. `kml hang` does that, and "
          "compares the files of all ranks, as `torchfrtrace` of PyTorch does. The variables of --env take "
          "precedence.");
  add_send_flags(command, options->send);
  command.options_under("Labels and identity");
  command
      .option("--idempotency-key", "KEY", options->flags.key,
              "create at most one job for this key, however often it is submitted")
      .details(
          "Creates at most one job for this key. If the same key is submitted again, kml finds the earlier "
          "job instead of creating another one.");
  command.options_under("Follow and wait");
  add_notify_flag(command, options->send.notify);
  add_output_flag(command, options->artifacts.outputs);
  command.argv = &options->flags.command;
  command.unknown_flags = &options->flags.unknown;
  command.run = [options](Context& context) { return run_submit(context, *options); };
  return command;
}

}  // namespace kml::cli
