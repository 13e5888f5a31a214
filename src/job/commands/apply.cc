#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "job/commands/applied_command.h"
#include "job/commands/applied_plan.h"
#include "job/commands/send.h"
#include "job/commands/submit_plan.h"
#include "job/submit/hidden_files.h"
#include "kml/base/agent.h"
#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/job/submit/plan_file.h"

namespace kml::cli {

namespace {

struct ApplyOptions {
  std::vector<std::string> words, files;  ///< the words from the argument, and the files from -f
  SendOptions send;
};

/// The target of the plan, unless flags choose another one.
GlobalOptions target_of(const GlobalOptions& given, const job::PlanFile& plan) {
  GlobalOptions options = given;
  if (options.context.empty()) options.context = plan.context;
  if (options.namespace_name.empty()) options.namespace_name = plan.namespace_name;
  return options;
}

/// An agent that knows the id of a plan for another target must not reach that target.
void require_same_target(Context& context, const job::PlanFile& plan) {
  const Place& place = context.place();
  if (plan.context == place.context && plan.namespace_name == place.namespace_name) return;
  throw usage_error("the plan is for " + plan.context + "/" + plan.namespace_name,
                    "this command's target is " + place.context + "/" + place.namespace_name,
                    "make a new plan");
}

int run_apply(Context& given, const ApplyOptions& options) {
  std::vector<std::string> files = options.words;
  files.insert(files.end(), options.files.begin(), options.files.end());
  if (files.size() != 1)
    throw missing_argument("FILE", "",
                           "kml apply FILE, with a plan that `kml submit --plan FILE …` has written");
  const job::PlanFile plan = job::read_plan_file(files[0]);
  if (runs_for_agent()) require_same_target(given, plan);
  if (bool_at(plan.request, {job::kOfAgent})) job::leave_out_hidden_files();
  const GlobalOptions target = target_of(given.options(), plan);
  Context context(target, given.streams());
  if (job::has_only_jobs(plan))
    if (const AppliedPlan applied = applied_plan(context, plan); !applied.objects.empty()) {
      context.note("the plan was applied " + applied.when + "; not creating another job");
      return report_earlier(context, applied.objects, options.send);
    }
  if (plan.command != "submit")
    return apply_command_plan(target, given.streams(), plan, files[0], options.send);
  return send(
      context, [&] { return plan_again(context, plan); }, options.send);
}

}  // namespace

Command apply_command() {
  auto options = std::make_shared<ApplyOptions>();
  options->send.yes = true;
  Command command{"apply", "Submit a job, or start a sweep or a run, from a plan that was reviewed"};
  command.description =
      R"(`kml submit --plan FILE` writes a plan, with the manifests, the result of all checks, the job's place in the
queue and its GPU hours. Somebody else, or a CI job, can review the plan and apply it later, in the same folder.
`kml rerun`, `kml sweep run`, `kml run` and `kml serve` have --plan, too. `kml apply` starts a sweep or a run in the
background.

However often you apply a plan on one machine, it creates its jobs at most once, even if kml is killed while it applies
the plan. If you apply the plan again, kml prints what the plan created. Before kml applies a plan, it plans the job
again, and rejects the plan if the new plan differs, for example because the code that --code sends, the template,
kml.yaml or the target has changed. Some things are not part of a plan, so kml does not notice if they have changed:
the value of a secret variable, the files that a command without --code finds where it runs, and a pipeline's code.

The plan's GPU hours are an upper limit. In a sweep or run that was started from a plan, a job that starts again after
a preemption, or after it was deleted, therefore uses up one of the retries.

kml uses the plan's context and namespace. If you give another context, it must be for the same server.)";
  command.examples = R"(# Plan a job, and apply the plan after a review
kml submit --gpus 1 --time-limit 4h --plan plan.json -- python train.py
kml apply plan.json
# Apply it, and follow the log
kml apply plan.json --follow)";
  command.takes("FILE", options->words, "a plan, which --plan has written", 0, 1);
  command.option("-f,--file", "FILE", options->files, "the same as FILE")
      .details("The plan to apply; the same as the argument FILE.");
  add_following_flags(command, options->send);
  command.run = [options](Context& context) { return run_apply(context, *options); };
  return command;
}

}  // namespace kml::cli
