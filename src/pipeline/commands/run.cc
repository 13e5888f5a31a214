#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <tuple>

#include "cli/commands.h"
#include "cli/output_format.h"
#include "job/commands/submit_schedule.h"
#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/job/submit/code.h"
#include "kml/job/submit/submit_record.h"
#include "kml/pipeline/engine/plan.h"
#include "kml/pipeline/engine/runs.h"
#include "kml/pipeline/tables/run_table.h"
#include "kml/ui/objects.h"
#include "pipeline/commands/cached_schedule.h"
#include "pipeline/commands/run_in_cluster.h"
#include "pipeline/commands/run_notes.h"
#include "pipeline/commands/run_packages.h"
#include "pipeline/commands/run_planned.h"
#include "pipeline/commands/run_record.h"
#include "pipeline/commands/run_schedule.h"
#include "pipeline/commands/run_schedule_in_cluster.h"
#include "pipeline/commands/run_sections.h"
#include "pipeline/commands/run_session.h"
#include "pipeline/engine/run_time.h"
#include "pipeline/file/parse_pipeline.h"
#include "sweep/commands/sweep_selection.h"
#include "sweep/commands/sweep_session.h"

namespace kml::cli {

namespace {

namespace fs = std::filesystem;

struct PipelineOptions {
  std::vector<std::string> files, params, refresh, until;
  std::string name, output, store, scheduled, plan;
  bool dry_run = false, no_cache = false, keep_going = false, record = false;
  InClusterFlags engine;
  spec::TimetableFlags times;
};

pipeline::Renewal renewal_of(const PipelineOptions& options, const pipeline::Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const pipeline::Step& step : pipeline.steps) names.push_back(step.name);
  for (const std::string& name : options.refresh)
    if (pipeline.all_of(name).empty())
      throw usage_error("--refresh " + name + ": the pipeline has no such step", "",
                        suggestion(name, names, "it has " + join(names, ", ")));
  return {options.no_cache, {options.refresh.begin(), options.refresh.end()}};
}

int show_plan(Context& context, const PipelineOptions& options, const PipelineHere& here, const Json& params,
              const pipeline::Renewal& renewal) {
  const auto plan = pipeline::plan(here.steps(), params, here.cache(), renewal);
  if (options.output.empty())
    ui::print_plan(context.streams(), here.steps(), plan);
  else
    ui::print_value(context.streams(), ui::plan_to_json(plan), options.output);
  return 0;
}

std::string name_for(Context& context, const PipelineOptions& options, const pipeline::Pipeline& pipeline) {
  return options.name.empty() ? pipeline.name + "-" + random_suffix()
                              : checked_run_name(context, options.name);
}

/// The name of an interrupted run that was started in the same way (with the same file, parameters and flags)
/// and has no engine; empty if there is none. If `only` is not empty, only considers the run with that name.
std::string left_run(const pipeline::record::Run& wanted, const std::string& only) {
  const auto asked_for = [](const pipeline::record::Run& run) {
    return std::tie(run.file, run.text, run.params, run.renewal, run.target, run.store, run.until,
                    run.keeps_going, run.records, run.scheduled);
  };
  for (const std::string& name : pipeline::run_names()) try {
      if ((!only.empty() && name != only) || pipeline::is_ended(name)) continue;
      const pipeline::RunState run = pipeline::read_run(name);
      if (asked_for(run.head()) == asked_for(wanted) && pipeline::is_left(run)) return name;
    } catch (const Error&) {
      // a run with a damaged journal cannot continue
    }
  return {};
}

engine::EngineOptions engine_there(const PipelineOptions& options, const PipelineHere& here) {
  engine::EngineOptions engine = run_engine_options(options.engine, options.store);
  require_fit_for_cluster(here.samples());
  return engine;
}

int run_there(Context& context, const PipelineOptions& options, const PipelineHere& here,
              pipeline::record::Run record) {
  // the diff would be too large for an object in the cluster
  if (record.git) record.git = job::without_diff(*record.git);
  const engine::EngineOptions engine = engine_there(options, here);
  record.name = name_for(context, options, here.steps());
  context.tell_target();
  run_in_cluster(context, here, record, engine);
  return 0;
}

/// The time given by --scheduled or, if a schedule has started this run, the time for which the run was
/// scheduled. Empty if a person has started the run.
std::string scheduled_time(const PipelineOptions& options, const std::optional<StartOfSchedule>& start) {
  if (options.scheduled.empty()) return start && start->time ? rfc3339(*start->time) : "";
  const auto time = parse_rfc3339(options.scheduled);
  if (!time)
    throw usage_error("--scheduled " + options.scheduled + " is not a time", "",
                      "write it as 2026-01-01T03:00:00Z");
  return rfc3339(*time);
}

/// The flags that a schedule must pass to each of its runs.
std::vector<std::string> repeated_flags(const PipelineOptions& options) {
  std::vector<std::string> flags;
  const auto add_all = [&flags](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) flags.insert(flags.end(), {flag, value});
  };
  add_all("--param", options.params);
  add_all("--refresh", options.refresh);
  add_all("--until", options.until);
  if (!options.store.empty()) add_all("--store", {options.store});
  if (options.no_cache) flags.push_back("--no-cache");
  if (options.keep_going) flags.push_back("--keep-going");
  if (options.record) flags.push_back("--record");
  return flags;
}

int schedule_pipeline(Context& context, const PipelineOptions& options, const PipelineHere& here,
                      const pipeline::record::Run& record) {
  const auto refuse = [](const std::string& flag) { throw not_together("--cron, --every and --at", flag); };
  if (options.dry_run) refuse("--dry-run");
  if (!options.scheduled.empty()) refuse("--scheduled");
  const std::string name = options.name.empty() ? record.pipeline : options.name;
  const spec::Timetable times = spec::parse_timetable(options.times, system_clock().now());
  const auto warn = [&] {
    warn_of_cached_starts(context, here, renewal_of(options, here.steps()),
                          pipeline::keyed_values(record, system_clock().now()), !options.times.at.empty());
  };
  if (context.place().is_local) {
    const int code = schedule_run(context, {record.file, name, repeated_flags(options)}, times);
    if (code == 0) warn();
    return code;
  }
  if (!options.engine.in_cluster)
    throw usage_error("on a cluster, --cron, --every and --at need --in-cluster",
                      "each start is a pod in the cluster, with a copy of these files",
                      "add --in-cluster --engine-image IMAGE --store pvc/NAME, or pass --context local");
  require_short_name(name);
  const engine::EngineOptions engine = engine_there(options, here);
  context.tell_target();
  schedule_in_cluster(context, here, name, record, engine, times);
  warn();
  return 0;
}

/// Whether --record or kml.yaml asks to record what the steps read. On a cluster, kml.yaml is ignored.
bool records_reads(Context& context, const PipelineOptions& options) {
  return options.record || (context.place().is_local && context.config().value("record") == "true");
}

void require_place_to_record(Context& context, const PipelineOptions& options) {
  if (options.record && !context.place().is_local)
    throw usage_error("--record is for steps on this machine",
                      "on a cluster, the code of a step is what `code` sends",
                      "select files with `code: {paths: [train.py, lib]}`, or pass --context local");
}

/// Throws usage Error for flags that cannot be used with --plan.
void check_plan_of_run(const PipelineOptions& options) {
  const auto refuse = [](bool is_set, const char* flags, const char* why) {
    if (is_set) throw not_together("--plan", flags, why);
  };
  refuse(options.dry_run, "--dry-run", "the plan lists the steps");
  refuse(options.engine.in_cluster, "--in-cluster",
         "kml can plan a run only if the run's engine is on this machine");
  refuse(options.times.are_any(), "--cron, --every and --at", "a schedule starts more than one run");
  refuse(!options.scheduled.empty(), "--scheduled", "");
}

int run_pipeline(Context& context, const PipelineOptions& given) {
  PipelineOptions options = given;
  if (!options.plan.empty()) check_plan_of_run(options);
  const std::optional<StartOfSchedule> start = start_of_schedule(context);
  if (start && options.name.empty()) options.name = start->job;
  require_cluster(context, options.engine, "on this machine, `kml run` runs the pipeline itself");
  const fs::path file = fs::weakly_canonical(options.files[0]);
  const pipeline::Pipeline parsed =
      pipeline::parse_pipeline(read_own_file(file), fs::proximate(file).string());
  const Json params = pipeline::parameter_values(parsed, options.params);
  require_place_to_record(context, options);
  PipelineHere here(context, file, pipeline::restricted(pipeline::expanded(parsed, params), options.until),
                    {.store = options.store});
  const pipeline::Renewal renewal = renewal_of(options, here.steps());
  here.check(params);
  note_about_steps(context, here, params);
  const std::string scheduled = scheduled_time(options, start);
  if (options.dry_run && !options.times.are_any()) {
    if (options.engine.in_cluster)
      context.note("kml does not check the results on the volumes of runs in the cluster");
    const Json values =
        pipeline::keyed_values({.params = params, .scheduled = scheduled}, system_clock().now());
    return show_plan(context, options, here, values, renewal);
  }
  check_wheels_of_steps(context, here, params);
  const std::optional<job::PlanFile> planned = plan_to_apply(context);
  if (!options.output.empty() && options.plan.empty())
    throw usage_error("-o needs --dry-run or --plan", "`kml run status RUN -o json` prints a run");
  job::GitState git(file.parent_path());
  const Time began = system_clock().now();
  pipeline::record::Run record =
      first_run_record(context, file, here.steps(), params, renewal, options.store);
  record.until = options.until;
  record.keeps_going = options.keep_going;
  record.records = records_reads(context, options);
  if (options.times.are_any()) return schedule_pipeline(context, options, here, record);
  record.scheduled = scheduled;
  if (start) record.schedule = start->schedule;
  record.git = git.take();
  if (planned)
    return start_planned_run(context, *planned, plan_of_run(context, here, record, options.name), record);
  if (!options.plan.empty())
    return write_run_plan(context, plan_of_run(context, here, record, options.name),
                          {options.plan, options.output});
  if (options.engine.in_cluster) return run_there(context, options, here, std::move(record));
  std::string name = left_run(record, options.name);
  if (!name.empty()) context.note("run " + name + " was interrupted; continuing it");
  const bool is_new = name.empty();
  if (is_new) name = name_for(context, options, parsed);
  record.name = name;
  context.tell_target();
  pipeline::Journal journal = pipeline::open_run(name, owner());
  fs::remove(pipeline::stop_file(name));
  if (is_new) {
    journal.add({began, record});
    journal.commit();
    context.note("run " + name);
  }
  return go_on_here(context, here, name, journal);
}

}  // namespace

Command run_command() {
  auto options = std::make_shared<PipelineOptions>();
  Command command{"run", "Run a pipeline, re-running only the steps for which something changed"};
  command.description =
      R"(FILE describes the steps; `kml run example` prints a file with every field and its meaning. A step is a command
(with settings as in kml.yaml, such as image, gpus, env and template), a sweep, or a model to serve. Each step lists its
outputs. A step that reads an output runs after the step that makes it. Steps run as jobs, in parallel where possible.

By default, a step runs again only if its earlier result was removed, or something that it depends on has changed; a
step that serves a model always runs. --dry-run shows which steps would run, and why.

You can stop kml at any time. To continue, run the command again, or `kml run resume`. With --in-cluster, a pod runs
the steps, and you can shut this machine down.)";
  command.manual = sections_of_run;
  command.takes("FILE", options->files, "a pipeline; its name has a \"/\", or ends in .yaml, .zip, …", 1, 1);
  command.examples = R"(# With a name, for kml run status, logs and resume
kml run pipeline.yaml --name iris-1
# See which steps would run, and why
kml run pipeline.yaml --dry-run
# Run it every night at three o'clock, on this machine
kml run pipeline.yaml --cron '0 3 * * *' --name nightly
# Run it in the cluster, with its journal and results on a volume
kml run pipeline.yaml --in-cluster --engine-image registry.example/kml:1 --store pvc/runs)";
  command.options_under("What runs");
  command.option("-p,--param", "NAME=VALUE", options->params, "a parameter of the pipeline")
      .details("Set a parameter of the pipeline. May be repeated.");
  command
      .option("--name", "NAME", options->name,
              "name of the run; by default, the pipeline's name and a suffix")
      .details(
          "The name of the run. The names of the run's jobs start with this name. By default, the pipeline's "
          "name and five random characters.");
  command.option("--until", "STEP", options->until, "run only this step and the steps that it needs")
      .details(
          "Run only this step, the steps that it needs, and the onExit step. The name of a foreach selects "
          "all of its steps. May be repeated.");
  command.option("--refresh", "STEP", options->refresh, "run this step again, even if nothing has changed")
      .details("Run this step again, even if nothing has changed. May be repeated.");
  command.flag("--no-cache", options->no_cache, "run all steps again, even if nothing has changed")
      .details("Run all steps again, even if nothing has changed.");
  command
      .flag("-k,--keep-going", options->keep_going,
            "after a failure, still run all steps that do not depend on the failed one")
      .details(
          "After a failure, still run all steps that do not depend on the failed step. By default, after "
          "a failure, kml waits for the running steps and their retries, and then only runs the onExit step. "
          "The run fails either way.");
  command
      .flag("--record", options->record,
            "record which files each step reads; changes to other files then have no effect")
      .details(
          "Record which files of the pipeline's folder each step reads. In later runs, with this flag or "
          "without it, changes to the folder's other files have no effect; see \"Recorded steps\". "
          "`record: true` in kml.yaml does the same for each run on this machine.");
  command.options_under("Where it runs");
  command
      .option("--store", "STORE", options->store,
              "keep outputs on a cluster's volume (pvc/NAME) or in a bucket (s3://BUCKET/PREFIX)")
      .details(
          "Keep the outputs of steps in a store, where later steps read them. pvc/NAME is a volume claim on "
          "the cluster. s3://BUCKET/PREFIX is a bucket, in which other machines find the results too; see "
          "\"Results in a bucket\". Without a store, a cluster sends outputs through the pod's log, at most "
          "4 MiB per step.");
  add_in_cluster_flags(
      command, options->engine,
      {.in_cluster = "Run the engine as a job in the cluster, RUN-engine, so that you can shut this machine "
                     "down. Also give --engine-image, and either --store pvc/NAME or --journal-volume.",
       .image = "The image for the engine's pod, with --in-cluster. The image must have kml in its PATH, and "
                "the nodes must be able to pull it.",
       .volume = "The volume on which the engine of --in-cluster keeps its journal and the results of steps. "
                 "If you give only --store pvc/NAME, the engine uses the folder `engine` in that volume.",
       .account = "The service account of the engine's pod, with --in-cluster. By default, kml creates a "
                  "service account with a Role that grants only the rights that the engine needs."});
  command.options_under("When it runs");
  add_timetable_flags(
      command, options->times,
      {.cron = "Create a schedule (a CronJob) instead of a run. At each of these times, the schedule starts "
               "a run of this file with these flags. The names of its jobs and runs start with that of the "
               "schedule. The five fields are as for `kml submit --cron`. On a cluster, --cron needs "
               "--in-cluster. `kml "
               "schedule` manages schedules.",
       .every =
           "Like --cron, but start a run at this interval: 15m, 6h, 1d, 7d. The interval must be a number of "
           "minutes that divides an hour evenly, a number of hours that divides a day evenly, or a week.",
       .at = "Create a schedule that starts the run once. Give the time as for `kml submit --at`.",
       .zone = "The time zone of --cron, --every and --at. By default, this machine's time zone."});
  command
      .option("--scheduled", "TIME", options->scheduled,
              "the time for ${run.scheduled}; by default, the current time")
      .details(
          "The time for ${run.scheduled}: 2026-01-01T03:00:00Z. Use --scheduled to make up for a missed run. "
          "By "
          "default, the run's scheduled time or, if you started it by hand, its start time. A step that uses "
          "${run.scheduled} runs again when that time changes.");
  command.options_under("Checks and output");
  command.flag("--dry-run", options->dry_run, "print which steps would run, and why, and run nothing")
      .details("Print for each step whether it would run or reuse an earlier result, and why. Run nothing.");
  add_output_format(command, {"json", "yaml"}, options->output,
                    "with --dry-run or --plan: print the plan in this format")
      .details("With --dry-run or --plan, print the plan in this format.");
  add_plan_flag(command, options->plan);
  command.find("--plan")->after("--dry-run");
  command.run = [options](Context& context) { return run_pipeline(context, *options); };
  for (Command (*make)() :
       {run_example_command, run_list_command, run_status_command, run_attach_command, run_logs_command,
        run_stop_command, run_resume_command, run_delete_command, run_background_command, run_engine_command})
    command.subcommands.push_back(make());
  return command;
}

}  // namespace kml::cli
