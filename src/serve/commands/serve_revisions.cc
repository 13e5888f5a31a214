#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/output_format.h"
#include "kml/base/error.h"
#include "kml/job/tables/job_tables.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/manifests.h"
#include "kml/serve/model/rollout.h"
#include "kml/ui/columns.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"
#include "serve/commands/serve_view.h"
#include "serve/model/revisions.h"
#include "serve/model/serve.h"

namespace kml::cli {

namespace {

struct RevisionOptions {
  std::vector<std::string> names;
  std::optional<long long> revision;
  std::string output;
};

using Outcome = serve::Revision::Outcome;

ui::Cell outcome_of(const serve::Revision& revision, const std::string& state) {
  if (revision.is_current) return {state};
  switch (revision.outcome) {
    case Outcome::ready: return {"was ready"};
    case Outcome::failed: return {"failed: " + revision.cause, ui::Style::red};
    case Outcome::unknown: break;
  }
  return {"-"};
}

int run_serve_revisions(Context& context, const RevisionOptions& options) {
  const serve::Served served =
      serve::find_served(context.client(), context.target().namespace_name, options.names[0]);
  std::vector<serve::Revision> revisions =
      serve::served_revisions(context.client(), serve::require_deployment(served, "revisions"));
  std::reverse(revisions.begin(), revisions.end());
  std::vector<Json> sets;
  for (const serve::Revision& revision : revisions) sets.push_back(revision.set);
  if (ui::print_objects(context.streams(), sets, options.output, true)) return 0;
  const std::string state = state_of_served(served, replicas_of(context.client(), served));
  const std::vector<ui::Column<serve::Revision>> columns = {
      {"REVISION", [](const serve::Revision& revision) { return std::to_string(revision.number); }},
      {"AGE",
       [](const serve::Revision& revision) {
         return ui::age(api::created_at(revision.set), system_clock().now());
       }},
      {"STATE", [&](const serve::Revision& revision) { return outcome_of(revision, state); }},
      {"INPUTS",
       [](const serve::Revision& revision) {
         return ui::or_dash(api::annotation_of(revision.set, serve::kServedInputs));
       }},
      {"COMMAND", [](const serve::Revision& revision) { return command_of_served(revision.set); }}};
  ui::Table table = ui::table_of(columns, revisions);
  table.drop_first({"INPUTS"});
  table.print(context.streams());
  return 0;
}

int run_serve_rollback(Context& context, const RevisionOptions& options) {
  const std::string& name = options.names[0];
  context.tell_target();
  const serve::Served served = serve::find_served(context.client(), context.target().namespace_name, name);
  serve::require_own(served, "roll back");
  const Json& deployment = serve::require_deployment(served, "revisions");
  const serve::RolledBack done =
      serve::go_back(context.client(), deployment, options.revision, rollouts_of(context));
  if (done.failure) {
    print_last_lines(context, *done.failure);
    undo(context, *done.failure, deployment);
    // The failed revision's log was printed, and `kml serve logs` now shows the log of the revision that
    // serves again.
    const bool has_log = !done.failure->log.empty();
    throw Error(ErrorCode::job_failed, "the rollback of " + name + " failed", done.failure->cause,
                has_log ? "choose another revision: kml serve revisions " + name : done.failure->fix);
  }
  context.streams().out << name << " is rolled back to revision " << done.revision << "\n";
  if (int_at(deployment, {"spec", "replicas"}, 1) == 0 && !api::is_scaled_to_zero(deployment))
    context.note(name +
                 " still has 0 replicas, so nothing answers; to start a replica, serve the program again");
  return 0;
}

}  // namespace

Command serve_revisions_command() {
  auto options = std::make_shared<RevisionOptions>();
  Command command{"revisions", "List the revisions of a served program, and whether each was ready"};
  command.examples = "kml serve revisions iris\n# Their pod templates\nkml serve revisions iris -o yaml";
  takes_served(command, options->names);
  add_output_format(command, {"json", "yaml", "name"}, options->output, "print the ReplicaSets")
      .details("Print the ReplicaSets in this format, or, with \"name\", only their names.");
  command.run = [options](Context& context) { return run_serve_revisions(context, *options); };
  return command;
}

Command serve_rollback_command() {
  auto options = std::make_shared<RevisionOptions>();
  Command command{"rollback", "Roll back to an earlier revision, and wait until it runs"};
  command.description =
      "If that revision does not become ready, kml prints the cause and returns to the last revision that "
      "was ready.";
  command.examples = "kml serve rollback iris\nkml serve rollback iris --revision 1";
  takes_served(command, options->names);
  command
      .option("--revision", "N", options->revision,
              "the revision; by default, the newest earlier one that was ready", 1)
      .details(
          "The revision to roll back to; `kml serve revisions` lists the revisions. By default, the newest "
          "earlier revision that was ready.");
  command.run = [options](Context& context) { return run_serve_rollback(context, *options); };
  return command;
}

}  // namespace kml::cli
