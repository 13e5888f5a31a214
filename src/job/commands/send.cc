#include "job/commands/send.h"

#include <algorithm>
#include <optional>
#include <ostream>

#include "cli/confirm.h"
#include "cli/output_format.h"
#include "cli/refusal.h"
#include "job/commands/accounts.h"
#include "job/commands/check_wheels.h"
#include "job/commands/follow.h"
#include "job/commands/left_out_secrets.h"
#include "job/commands/submission_outcomes.h"
#include "job/commands/test_only.h"
#include "job/commands/unknown_field_notes.h"
#include "job/commands/wait_for_jobs.h"
#include "job/preflight/pod_limits.h"
#include "job/render/trainjob_shape.h"
#include "job/submit/additions.h"
#include "job/submit/gangs.h"
#include "job/submit/gpu_claims.h"
#include "job/submit/idempotency.h"
#include "job/submit/queue_priority.h"
#include "job/submit/secret_env.h"
#include "job/submit/topology_levels.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/job/records/records.h"
#include "kml/job/submit/create.h"
#include "kml/job/submit/submit_record.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/has_tasks.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/objects.h"

namespace kml::cli {

namespace {

std::string line_for(const Json& object, bool is_earlier, bool is_dry_run) {
  const bool is_job = job::is_job(object);
  const std::string name = is_job                                ? "job " + api::name_of(object)
                           : api::kind_name(object) == "CronJob" ? "schedule " + api::name_of(object)
                                                                 : ui::object_name(object);
  if (is_dry_run) return name + " would be accepted";
  return name + (is_job ? " submitted" : " created") + (is_earlier ? " earlier" : "");
}

/// Prints what was created. The first `earlier` jobs already existed.
void print_created(Context& context, const std::vector<Json>& created, size_t earlier,
                   const SendOptions& options) {
  std::ostream& out = context.streams().out;
  std::vector<Json> shown;
  for (const Json& object : created) shown.push_back(job::without_secrets(object));
  if (ui::print_objects(context.streams(), shown, options.output, shown.size() > 1)) return;
  for (size_t i = 0; i < created.size(); ++i)
    out << line_for(created[i], i < earlier, !options.dry_run.empty()) << "\n";
}

void check(const SendOptions& options) {
  refuse_log_after_data(options);
  if (options.follow && options.wait)
    throw not_together("--follow", "--wait", "", "leave out --wait; --follow already waits");
  if (options.test_only && (options.follow || options.wait || options.replace || !options.dry_run.empty()))
    throw not_together("--test-only", "--follow, --wait, --replace and --dry-run",
                       "--test-only creates nothing");
  if (options.test_only && options.no_check)
    throw not_together("--test-only", "--no-check", "--test-only makes the checks that --no-check skips");
  if (!options.notify.empty() && (options.test_only || !options.dry_run.empty()))
    throw not_together("--notify", "--dry-run and --test-only", "no job starts");
  if (options.timeout && !options.wait) throw usage_error("--timeout needs --wait");
}

int print_plan(Context& context, const job::SubmitPlan& plan, const SendOptions& options) {
  const std::string format = options.output.empty() || options.output == "wide" ? "yaml" : options.output;
  std::vector<Json> shown;
  for (const Json& object : job::all_objects(plan)) shown.push_back(job::without_secrets(object));
  ui::print_objects(context.streams(), shown, format, shown.size() > 1);
  note_left_out_secrets(context, plan);
  if (!plan.unknown_fields.empty())
    note_unknown_fields(context, plan, false);
  else
    for (const std::string& slip : job::field_faults(plan.objects)) context.note(slip);
  if (!context.place().is_local)
    for (const std::string& note : job::notes_on_additions(plan)) context.note(note);
  return 0;
}

std::vector<Json> take_earlier(Context& context, job::SubmitPlan& plan) {
  std::vector<Json> earlier = job::take_earlier(context.client(), plan);
  for (const Json& job : earlier) {
    const job::JobView view = job::basic_view_of_job(job);
    context.note("job " + view.name + " was created with key " + plan.key + " " +
                 ui::age(view.created, system_clock().now()) + " ago; not creating another");
  }
  return earlier;
}

/// "team-a", or "team-a,team-b"; empty if no object has a namespace.
std::string namespaces_of(const std::vector<Json>& objects) {
  std::set<std::string> names;
  for (const Json& object : objects)
    if (const std::string name = api::namespace_of(object); !name.empty()) names.insert(name);
  const std::vector<std::string> list(names.begin(), names.end());
  return join(list, ",");
}

/// Does everything that must happen before objects are sent. Returns the jobs that an earlier submit has
/// created.
std::vector<Json> prepare(Context& context, job::SubmitPlan& plan, const SendOptions& options) {
  context.tell_target(namespaces_of(plan.objects));
  use_names_of_queues(context, plan);
  check_wheels(context, plan.objects, plan.packages);
  job::check_unknown_fields(context.client(), plan);
  note_unknown_fields(context, plan, true);
  std::vector<Json> earlier = take_earlier(context, plan);
  job::use_gangs(context.client(), plan, context.place().is_local);
  job::use_gpu_claims(context.client(), plan, context.place().is_local);
  if (!options.no_check)
    refuse_hopeless(context, plan.objects, plan.belongings,
                    options.has_no_check ? "--no-check submits it anyway" : "");
  return earlier;
}

/// Prints the created jobs, starting with those of an earlier submit. If other jobs were not created, throws
/// the Error for them.
void report(Context& context, const job::SubmitPlan& plan, std::vector<Json>& earlier,
            std::vector<job::Creation>& results, const SendOptions& options) {
  const std::optional<Error> error = refusal(context, plan.objects, results);
  const size_t before = earlier.size();
  bool lost_labels = false;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].created) continue;
    lost_labels = lost_labels || render::lost_labels_of_pods(plan.objects[i], *results[i].created);
    earlier.push_back(std::move(*results[i].created));
  }
  print_created(context, earlier, before, options);
  context.streams().out << std::flush;
  if (error) throw *error;
  for (const std::string& note : plan.notes) context.note(note);
  if (lost_labels)
    context.note(
        "--label does not reach the pods: a TrainJob has no field for their labels before Kubeflow "
        "Trainer 2.1");
}

int dry_run(Context& context, job::SubmitPlan plan, const SendOptions& options) {
  std::vector<Json> shown = prepare(context, plan, options);
  plan.objects = job::all_objects(plan);
  std::vector<job::Creation> results = job::create_all(context.client(), plan.objects, {.dry_run = true});
  report(context, plan, shown, results, options);
  if (ui::is_data(options.output)) note_left_out_secrets(context, plan);
  return 0;
}

/// Whether the server may have created the object although it did not respond.
bool is_open(const Error& error) {
  return error.http_status == 0 && error.code != ErrorCode::usage;
}

/// The outcome for the record: the created objects. Empty if it is unknown for any object whether the server
/// has created it.
std::optional<std::vector<std::string>> outcome_of(const job::SubmitPlan& plan,
                                                   const std::vector<job::Creation>& results) {
  std::vector<std::string> made;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].error && is_open(*results[i].error)) return {};
    if (results[i].created) made.push_back(job::job_key(plan.objects[i]));
  }
  return made;
}

/// The jobs that --replace deletes, each at the index of the object that replaces it. Their logs are deleted
/// with them, so their metrics and GPU hours are recorded first.
std::vector<std::optional<Json>> record_replaced(Context& context, const std::vector<Json>& objects) {
  kube::Client& client = context.client();
  std::vector<std::optional<Json>> old(objects.size());
  std::vector<Json> jobs;
  for (size_t i = 0; i < objects.size(); ++i) {
    if (!job::is_job(objects[i])) continue;
    old[i] = client.get_if_exists(client.kind_of(objects[i]), api::namespace_of(objects[i]),
                                  api::name_of(objects[i]));
    if (old[i]) jobs.push_back(*old[i]);
  }
  if (!jobs.empty()) record_accounts(context, jobs);
  LastMetrics metrics;
  for (const Json& job : jobs) metrics.record(context, job);
  return old;
}

std::vector<job::Creation> create(Context& context, const job::SubmitPlan& plan, bool replace) {
  std::vector<std::optional<Json>> old;
  if (replace) old = record_replaced(context, plan.objects);
  const auto progress = [&](size_t done) {
    if (plan.objects.size() > 1)
      context.progress(std::to_string(done) + " of " + std::to_string(plan.objects.size()) + " sent");
  };
  const auto note = [&](const std::string& why) { context.note(why); };
  std::vector<job::Creation> results =
      job::create_planned(context.client(), context.target().endpoint.url, plan,
                          {.replace = replace, .on_progress = progress, .on_wait = note});
  context.end_progress();
  for (size_t i = 0; i < old.size() && i < results.size(); ++i)
    if (old[i] && results[i].created) job::Submissions::of_user().add_deleted(*old[i]);
  return results;
}

/// Asks for confirmation before a large array is submitted whose tasks may all run at once.
void confirm_array(Context& context, const Json& job) {
  constexpr long long kMostUnasked = 10'000;
  const long long tasks = api::completions_of(job);
  if (!job::has_tasks(job) || tasks <= kMostUnasked || api::parallelism_of(job, 1) < tasks) return;
  const std::string what =
      "job " + api::name_of(job) + " has " + std::to_string(tasks) + " tasks, which may all run at once";
  if (!asks_on(context.streams()))
    throw usage_error(
        "confirmation needed: " + what,
        "standard input or standard error is not a terminal, so kml cannot ask",
        "limit the tasks that run at once, as in --array 1-" + std::to_string(tasks) + "%100, or add --yes");
  if (!confirmed(context.streams(), what + ". Submit it?"))
    throw Error(ErrorCode::failure, "nothing was submitted", "you did not confirm");
}

/// Whether --wait and --follow can determine when the object has ended or is ready.
bool can_wait_for(const Json& object) {
  return job::is_job(object) || !api::label_of(object, api::kServe).empty();
}

/// Throws usage Error if there is nothing to wait for. Without this check, the command would return at once.
void require_waitable(Context& context, const std::vector<Json>& objects) {
  const auto named = [](const Json& object) {
    const std::string version = api::kind_of(object) ? "" : api::api_version_of(object) + " ";
    return version + job::described(object);
  };
  const bool is_any = std::any_of(objects.begin(), objects.end(), can_wait_for);
  if (!is_any && !objects.empty())
    throw usage_error("kml cannot wait for " + named(objects[0]) + " or follow its log",
                      "its kind is not a kind of job that kml knows",
                      "describe the kind, see `kml kind --help`; or leave out --wait and --follow");
  for (const Json& object : objects)
    if (!api::kind_of(object))
      context.note("kml does not wait for " + named(object) + ", whose kind it does not know");
}

/// Returns the created objects, after the jobs that an earlier submit created.
std::vector<Json> submit(Context& context, const std::function<job::SubmitPlan()>& make_plan,
                         const SendOptions& options) {
  job::SubmitRecord record;  // starts git early, because it takes longer than most other steps
  job::SubmitPlan plan = make_plan();
  if (options.wait || options.follow) require_waitable(context, plan.objects);
  if (!options.yes)
    for (const Json& object : plan.objects) confirm_array(context, object);
  std::vector<Json> shown = prepare(context, plan, options);
  const bool is_recorded = !plan.objects.empty();
  if (is_recorded) record.begin(plan, context.target());
  const auto end_record = [&](const std::optional<std::vector<std::string>>& made) {
    if (const std::string note = is_recorded ? record.end(made) : ""; !note.empty()) context.note(note);
  };
  std::vector<job::Creation> results;
  std::optional<job::PodLimits> limits;
  if (!options.no_check && !context.place().is_local) limits.emplace(context.client(), plan.objects);
  try {
    results = create(context, plan, options.replace);
  } catch (const Error& error) {
    end_record(is_open(error) ? std::nullopt : std::optional(std::vector<std::string>()));
    throw;
  }
  end_record(outcome_of(plan, results));
  report(context, plan, shown, results, options);
  if (limits)
    for (const std::string& note : limits->notes()) context.note(note);
  return shown;
}

void add_waiting(Command& command, SendOptions& options) {
  command.flag("--follow", options.follow, "follow the log until the job finishes; exit code 3 if it fails")
      .details("Follow the log until the job finishes. The exit code is 3 if the job fails or is cancelled.");
  command
      .flag("--wait", options.wait,
            "wait until the job finishes, or the model is ready; exit code 3 if it fails")
      .details(
          "Wait until the job finishes or, with -t serve, until the model is ready. The exit code is 3 if "
          "the job fails or is cancelled.");
  command
      .option("--timeout", "DURATION", options.timeout,
              "with --wait: stop waiting after this time (exit code 5)")
      .details("With --wait, stop waiting after this time, with exit code 5. The job keeps running.");
}

void add_output(Command& command, SendOptions& options) {
  add_output_format(command, ui::kFormats, options.output, "print the created objects or their names")
      .details("Print the created objects in this format, or, with \"name\", only their names.");
}

/// Follows the jobs among the objects, or waits for them, if the options say so.
int follow_or_wait(Context& context, const std::vector<Json>& made, const SendOptions& options) {
  std::vector<Json> jobs;
  std::copy_if(made.begin(), made.end(), std::back_inserter(jobs), job::is_job);
  if (jobs.empty()) return 0;
  if (options.follow)
    return follow_jobs(context, {.selection = {.jobs = jobs, .gone_pods = context.place().is_local},
                                 .notify = options.notify});
  if (options.wait) return wait_for_jobs(context, jobs, options.timeout, {}, options.notify);
  if (!options.notify.empty())
    context.note("notices are sent while kml waits: run `kml wait " + api::name_of(jobs[0]) +
                 "` with the same --notify");
  return 0;
}

}  // namespace

void use_names_of_queues(Context& context, job::SubmitPlan& plan) {
  if (context.place().is_local) return;
  job::use_queue_priorities(context.client(), plan.objects);
  job::use_topology_levels(context.client(), plan.objects);
}

void refuse_log_after_data(const SendOptions& options) {
  if (!options.follow || !ui::is_data(options.output)) return;
  throw not_together("--follow", "-o " + options.output.substr(0, options.output.find('=')),
                     "the log would follow the data on standard output",
                     "--wait, and afterwards: kml logs JOB");
}

void add_following_flags(Command& command, SendOptions& options) {
  add_waiting(command, options);
  add_output(command, options);
}

void add_send_flags(Command& command, SendOptions& options) {
  command.options_under("Labels and identity");
  command.flag("--replace", options.replace, "first delete an existing job with this name")
      .details("Delete an existing job with this name before creating the new one.");
  command.options_under("Follow and wait");
  add_waiting(command, options);
  command.options_under("Checks and output");
  command
      .choice("--dry-run", {"client", "server"}, options.dry_run,
              "print the manifests and send nothing; =server: let the server check them")
      .details(
          "Print the manifests and send nothing. With --dry-run=server, let the server check the manifests; "
          "the server creates nothing.")
      .implied = "client";
  command
      .flag("--test-only", options.test_only,
            "create nothing; report whether the job could start now, would wait, or could never run")
      .details(
          "Create nothing. Report whether the cluster would accept the job, and whether it could start now, "
          "would have to wait, or could never run.");
  options.has_no_check = true;
  command
      .flag("--no-check", options.no_check,
            "do not check referenced objects, node sizes and fields before the job is submitted")
      .details(
          "Before the job is submitted, do not check referenced objects, node sizes, and the names and "
          "values of fields.");
  command.flag("-y,--yes", options.yes, "do not ask before more than 10,000 tasks that may all run at once")
      .details(
          "Do not ask for confirmation before submitting more than 10,000 tasks that may all run at once.");
  add_output(command, options);
}

int send(Context& context, const std::function<job::SubmitPlan()>& make_plan, const SendOptions& options,
         const std::function<void(const std::vector<Json>& made)>& on_made) {
  check(options);
  if (options.dry_run == "client") {
    const job::SubmitPlan plan = make_plan();
    for (const std::string& note : plan.notes) context.note(note);
    return print_plan(context, plan, options);
  }
  if (options.dry_run == "server") return dry_run(context, make_plan(), options);
  if (options.test_only) {
    job::SubmitPlan plan = make_plan();
    context.tell_target(namespaces_of(plan.objects));
    use_names_of_queues(context, plan);
    return test_only(context, plan, options.output);
  }
  const std::vector<Json> made = submit(context, make_plan, options);
  if (on_made) on_made(made);
  return follow_or_wait(context, made, options);
}

int report_earlier(Context& context, const std::vector<Json>& objects, const SendOptions& options) {
  check(options);
  print_created(context, objects, objects.size(), options);
  context.streams().out << std::flush;
  return follow_or_wait(context, objects, options);
}

}  // namespace kml::cli
