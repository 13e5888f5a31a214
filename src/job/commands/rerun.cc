#include "kml/job/submit/rerun.h"

#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "job/commands/command_plan.h"
#include "job/commands/send.h"
#include "job/commands/submit_request.h"
#include "job/submit/rerun_tasks.h"
#include "job/submit/secret_env.h"
#include "kml/base/agent.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/job/submit/agents_references.h"
#include "kml/job/submit/marks.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"
#include "kml/tracking/runs/mlflow_folder.h"
#include "kml/tracking/runs/mlflow_names.h"
#include "pipeline/commands/rerun_artifacts.h"
#include "pipeline/commands/submit_data.h"

namespace kml::cli {

namespace {

struct RerunOptions {
  std::vector<std::string> words, arguments;
  SubmitFlags changes;
  SendOptions send;
  std::string plan;
  bool only_failed = false;
};

/// The identity of the new jobs. By default, kml generates a random one.
struct RerunIdentity {
  std::string key, submit_id;
};

std::string take_name(std::vector<spec::Setting>& settings) {
  std::string name;
  for (const spec::Setting& setting : settings)
    if (setting.name == "name") name = setting.value;
  std::erase_if(settings, [](const spec::Setting& setting) { return setting.name == "name"; });
  return name;
}

/// Leaves out objects, such as config maps, that still exist from the original run. Keeps all jobs.
void drop_what_exists(Context& context, std::vector<Json>& objects) {
  kube::Client& client = context.client();
  std::erase_if(objects, [&](const Json& object) {
    return !job::is_job(object) &&
           client.get_if_exists(client.kind_of(object), api::namespace_of(object), api::name_of(object));
  });
}

/// The failed tasks. Throws Error if the array was deleted, because only the cluster knows which of its tasks
/// failed.
spec::TaskNumbers failed_tasks_of(Context& context, const job::Submission& run) {
  if (run.jobs().size() != 1) throw usage_error("--failed works only on a run of one array job");
  const Json& job = *run.jobs()[0];
  const auto there = context.client().get_if_exists(context.client().kind_of(job), api::namespace_of(job),
                                                    api::name_of(job));
  if (!there)
    throw Error(
        ErrorCode::failure,
        "job " + api::name_of(job) + " was deleted, so kml cannot determine its failed tasks", "",
        "name a task: kml rerun " + api::name_of(job) + "-N, or run all tasks again without --failed");
  return job::failed_tasks(*there);
}

/// If the user typed an id or @, says which run and which jobs are meant.
void note_meant_run(Context& context, const std::string& typed, const job::Submission& run) {
  std::vector<std::string> names;
  for (const Json* job : run.jobs()) names.push_back(api::name_of(*job));
  if (std::find(names.begin(), names.end(), typed) != names.end()) return;
  context.note("running run " + run.id.substr(0, 8) + " again: job" + (names.size() == 1 ? " " : "s ") +
               some_of(names));
}

job::SubmitPlan plan_again(Context& context, const RerunOptions& options, const RerunIdentity& identity) {
  std::vector<job::Submission> runs = job::Submissions::of_user().read();
  std::erase_if(
      runs, [&](const job::Submission& each) { return !context.shows(each.context, each.namespace_name); });
  auto [found, tasks] = job::find_run_or_task(runs, options.words[0]);
  const job::Submission& run = *found;
  if (run.context != context.place().context)
    throw usage_error("that run used context " + run.context + ", not " + context.place().context, "",
                      "--context " + run.context);
  SubmitFlags changes = options.changes;
  std::vector<Json> objects = job::objects_to_run_again(run, take_name(changes.settings), identity.key);
  std::vector<std::string> command = changes.command.empty() ? run.command : changes.command;
  if (options.only_failed && tasks) {
    const std::string& task = options.words[0];
    throw not_together("--failed", task, task + " is one task",
                       "kml rerun " + task + ", or all that failed: kml rerun " +
                           task.substr(0, task.find_last_of("-/")) + " --failed");
  }
  if (options.only_failed) tasks = failed_tasks_of(context, run);
  if (tasks) job::keep_tasks(objects, *tasks);
  const std::vector<Json> before = objects;
  tracking::renew_mlflow_folder(objects);
  if (!identity.key.empty() && objects != before)
    throw usage_error("a job with --track cannot be planned", "each run gets a new folder",
                      "run it again without --plan");
  tracking::add_mlflow_names(objects, environment("PYTHONPATH"));
  for (const std::string& argument : options.arguments) job::set_argument(objects, command, argument);
  job::Marks marks = job::new_marks(job::user_name(), "job", command);
  if (!identity.submit_id.empty()) marks.submit_id = identity.submit_id;
  for (const spec::SecretVariable& secret : job::rename_secret_object(
           objects, job::secret_object_name(run.id), job::secret_object_name(marks.submit_id)))
    changes.settings.push_back({"secret", secret.name, secret.origin});
  job::put_in_secrets(objects, [](const char* name) {
    const char* value = variable_for_job(name);
    return std::string(value ? value : "");
  });
  job::SubmitRequest request = submit_request(context, changes, std::move(objects));
  request.submit_id = marks.submit_id;
  request.key = identity.key;
  request.recorded = job::RecordedCommand{command, run.code_folder.empty() ? run.folder : run.code_folder};
  job::SubmitPlan plan = job::plan_submit(request, std::cin);
  plan.template_name = run.template_name;
  plan.command = std::move(command);
  plan.code_folder = run.code_folder;
  job::CodeAgain code =
      job::code_to_run_again([&]() -> kube::Client& { return context.client(); }, run, marks, plan.objects);
  for (job::Belonging& part : code.secrets) plan.belongings.push_back(std::move(part));
  const bool is_preliminary = identity.key == job::kKeyOfUnnamedPlan;
  if (!is_preliminary && !tasks) note_meant_run(context, options.words[0], run);
  if (!code.note.empty() && !is_preliminary) context.note(code.note);
  job::packages_to_run_again(run, marks, context.place().is_local, plan);
  job::References allowed = job::made_by_kml(plan);
  allowed.merge(job::named_by_user(context.config().submit_settings()));
  job::require_agents_references(plan.objects, allowed);
  data_to_run_again(context, options.send.dry_run != "client", plan);
  // A local job without --code uses the files of its folder as they are now.
  if (context.place().is_local && run.code_folder.empty() && !is_preliminary)
    note_changed_folder(context, run, run.id.substr(0, 8));
  if (options.send.dry_run.empty() && identity.submit_id.empty()) drop_what_exists(context, plan.objects);
  return plan;
}

Draft draft_of_rerun(Context& context, const RerunOptions& options) {
  return draft_of(context, "rerun", [&](const std::string& key) {
    return plan_again(context, options, {key, std::string(job::kPlannedSubmitId)});
  });
}

/// Throws usage Error for flags that cannot be used with --plan.
void check_plan_of_rerun(const SendOptions& send) {
  const auto refuse = [](bool is_set, const char* flags, const char* why, const char* fix = "") {
    if (is_set) throw not_together("--plan", flags, why, fix);
  };
  refuse(send.follow || send.wait, "--follow and --wait", "no job starts yet",
         "give these flags to `kml apply`");
  refuse(!send.dry_run.empty() || send.test_only, "--dry-run and --test-only",
         "the plan already has the results of both flags");
  refuse(send.no_check, "--no-check", "the plan has the results of the checks");
  refuse(send.replace, "--replace", "a plan never deletes a job");
}

int run_rerun(Context& context, const RerunOptions& options) {
  if (!options.arguments.empty() && !options.changes.command.empty())
    throw not_together("--set-arg", "a command", "--set-arg changes an argument of the recorded command",
                       "write the argument into the command");
  if (const std::string run = named_run_of_steps(options.words[0]); !run.empty()) {
    if (!options.plan.empty())
      throw usage_error("a rerun of a job with --input or --output cannot be planned",
                        "kml keeps running until the job finishes",
                        "make the job a step of a pipeline: kml run FILE --plan PLAN");
    return rerun_with_artifacts(context, run, options.changes, options.arguments, options.send);
  }
  RerunIdentity identity;
  if (const auto planned = plan_to_apply(context)) {
    require_unchanged(*planned, draft_of_rerun(context, options).file);
    identity.key = planned->id;
  } else if (!options.plan.empty()) {
    check_plan_of_rerun(options.send);
    Draft draft = draft_of_rerun(context, options);
    drop_what_exists(context, draft.plan.objects);
    return write_draft(context, std::move(draft), {options.plan, options.send.output});
  }
  return send(
      context, [&] { return plan_again(context, options, identity); }, options.send);
}

}  // namespace

Command rerun_command() {
  auto options = std::make_shared<RerunOptions>();
  Command command{"rerun", "Submit an earlier run again, under a new name"};
  command.description =
      R"(kml submits the recorded manifests again. Code that was sent with --code is restored from the folder
if the folder is unchanged, otherwise from the cluster, or from the recorded commit and its uncommitted
changes. Any other code is used in its current state, from the folder or the image. On this machine, kml warns if the
folder has changed since the job was submitted. Secret variables are read from the environment again. A job with
--input or --output is submitted again from the folder where it was first submitted. `kml history -o json`
shows the commit of a run.

Flags change the recorded manifests, as they do with submit -f. A command after "--" replaces the recorded command.)";
  command.examples = R"(# With another learning rate, on 2 GPUs
kml rerun bert --set-arg lr=0.1 --gpus 2
# Your newest run, with another command
kml rerun @ --name again -- python train.py --epochs 3
# Task 5 of an array alone, and all tasks that failed
kml rerun arr-5
kml rerun arr --failed)";
  command.takes("RUN", options->words,
                "id of a run (see `kml history`; at least 4 digits), name of its job or array task, or @ for "
                "the newest run",
                1, 1);
  add_spec_flags(command, options->changes.settings,
                 {"template", "param", "array", "code", "data", "data-store"});
  command
      .option("--set-arg", "NAME=VALUE", options->arguments,
              "change an argument of the run's command: lr=0.1")
      .after("--chdir")
      .details(
          "Change an argument in the command of the run. lr=0.1 changes \"--lr 0.5\", \"--lr=0.5\" and "
          "\"lr=0.5\". May be repeated.");
  command.flag("--failed", options->only_failed, "only the failed tasks of the array")
      .after("--set-arg")
      .details("Run only the failed tasks of the array, with the same numbers. The job must still exist.");
  command.argv = &options->changes.command;
  add_send_flags(command, options->send);
  add_plan_flag(command, options->plan);
  command.find("--plan")->after("--test-only");
  command.run = [options](Context& context) { return run_rerun(context, *options); };
  return command;
}

}  // namespace kml::cli
