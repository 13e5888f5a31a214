#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/output_format.h"
#include "job/commands/follow.h"
#include "job/commands/lost_pods_note.h"
#include "kml/base/text.h"
#include "kml/job/tables/job_tables.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/serve/model/manifests.h"
#include "kml/ui/columns.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"
#include "serve/commands/serve_view.h"
#include "serve/model/address.h"
#include "serve/model/kserve.h"
#include "serve/model/revisions.h"

namespace kml::cli {

namespace {

struct ServeControlOptions {
  std::vector<std::string> names;
  std::optional<long long> tail;
  std::string output;
  bool all_namespaces = false, follow = false, previous = false;
};

int run_serve_list(Context& context, const ServeControlOptions& options) {
  const std::string namespace_name = context.list_namespace(options.all_namespaces);
  const std::vector<serve::Served> served = serve::list_served(context.client(), namespace_name);
  std::vector<Json> objects;
  for (const serve::Served& one : served) objects.push_back(one.object);
  if (ui::print_objects(context.streams(), objects, options.output, true)) return 0;
  const kube::ListOptions selection{.label_selector = serve::serve_selector()};
  std::map<std::string, std::string> urls;
  for (const Json& service :
       context.client().list(api::known_kind("v1", "Service"), namespace_name, selection).items)
    urls[api::full_name_of(service)] = serve::url_of(context.place().is_local, service);
  const std::vector<Json> pods = replicas_of(context.client(), namespace_name, serve::serve_selector());
  for (const serve::Served& one : served)
    if (one.is_by_kserve()) urls[api::full_name_of(one.object)] = serve::address_of(one.object);
  const auto ready = [](const serve::Served& one) -> ui::Cell {
    if (one.deployment.is_null()) return {"-"};
    const long long count = int_at(one.deployment, {"status", "readyReplicas"}),
                    wanted = int_at(one.deployment, {"spec", "replicas"});
    return {std::to_string(count) + "/" + std::to_string(wanted),
            count < wanted ? ui::Style::yellow : ui::Style::plain};
  };
  using serve::Served;
  const auto revision = [](const Served& one) {
    return one.deployment.is_null() ? "-" : std::to_string(serve::revision_number(one.deployment));
  };
  const auto inputs = [](const Served& one) {
    return ui::or_dash(api::annotation_of(one.deployment, serve::kServedInputs));
  };
  const std::vector<ui::Column<Served>> columns = {
      {"NAMESPACE", [](const Served& one) { return api::namespace_of(one.object); }, options.all_namespaces},
      {"NAME", [](const Served& one) { return api::name_of(one.object); }},
      {"READY", ready},
      {"REVISION", revision},
      {"AGE", [](const Served& one) { return ui::age(api::created_at(one.object), system_clock().now()); }},
      {"STATE", [&](const Served& one) { return state_of_served(one, pods); }},
      {"ADDRESS", [&](const Served& one) { return ui::or_dash(urls[api::full_name_of(one.object)]); }},
      {"INPUTS", inputs},
      {"COMMAND", [](const Served& one) { return ui::or_dash(command_of_served(one.deployment)); }}};
  ui::Table table = ui::table_of(columns, served);
  table.drop_first({"INPUTS"});
  if (table.empty())
    context.note("no program is served");
  else
    table.print(context.streams());
  return 0;
}

int run_serve_logs(Context& context, const ServeControlOptions& options) {
  const std::string& name = options.names[0];
  const serve::Served served = serve::find_served(context.client(), context.target().namespace_name, name);
  const Json& deployment = serve::require_deployment(served, "logs");
  FollowOptions follow{.selection = {.namespace_name = context.target().namespace_name,
                                     .pod_selector = serve::replica_selector(deployment),
                                     .owners = job::owners_of({deployment}),
                                     .previous = options.previous,
                                     .tail = options.tail}};
  if (options.follow) return follow_jobs(context, follow);
  print_logs(context, follow);
  return 0;
}

/// The replicas, if some are not ready: only then may one be on a node that does not answer.
std::vector<Json> doubtful_replicas(Context& context, const serve::Served& served) {
  const Json& deployment = served.deployment;
  const bool all_answer =
      int_at(deployment, {"status", "readyReplicas"}) == int_at(deployment, {"status", "replicas"});
  if (deployment.is_null() || all_answer || context.place().is_local) return {};
  return replicas_of(context.client(), served);
}

/// Finds all programs first, so that a typo stops none.
int run_serve_stop(Context& context, const ServeControlOptions& options) {
  context.tell_target();
  std::vector<serve::Served> all;
  for (const std::string& name : options.names)
    all.push_back(serve::find_served(context.client(), context.target().namespace_name, name));
  for (const serve::Served& served : all) {
    const std::vector<Json> doubtful = doubtful_replicas(context, served);
    const std::string name = api::name_of(served.object);
    serve::stop_served(context.client(), served);
    note_lost_among(context, name, doubtful);
    context.streams().out << name << " is stopped" << std::endl;
  }
  return 0;
}

}  // namespace

Command serve_list_command() {
  auto options = std::make_shared<ServeControlOptions>();
  Command command{"list", "List the served programs and their addresses"};
  command.examples = "kml serve list\nkml serve list -A";
  command.description =
      "On a cluster with KServe, the list includes InferenceServices, even those that others created.";
  command.flag("-A,--all-namespaces", options->all_namespaces, "in all namespaces")
      .details("List the served programs in all namespaces.");
  add_output_format(command, {"json", "yaml", "name"}, options->output, "print the Deployments")
      .details("Print the Deployments and InferenceServices, or their names.");
  command.run = [options](Context& context) { return run_serve_list(context, *options); };
  return command;
}

Command serve_logs_command() {
  auto options = std::make_shared<ServeControlOptions>();
  Command command{"logs", "Print the logs of all replicas"};
  command.examples =
      "kml serve logs iris --tail 20\n"
      "# The output of the replicas before they crashed\n"
      "kml serve logs iris --previous";
  takes_served(command, options->names);
  command.flag("-f,--follow", options->follow, "keep printing new lines, even of new replicas, until Ctrl-C")
      .details("Keep printing new lines, even of replicas that start later, until Ctrl-C.");
  command.option("--tail", "N", options->tail, "only the last N lines of each replica")
      .details("Print only the last N lines of each replica.");
  command.flag("--previous", options->previous, "the log from before the container's last restart")
      .details("Print the log from before each container's last restart.");
  command.run = [options](Context& context) { return run_serve_logs(context, *options); };
  return command;
}

Command serve_stop_command() {
  auto options = std::make_shared<ServeControlOptions>();
  Command command{"stop", "Stop serving: delete the Deployment and the Service, or the InferenceService"};
  command.examples = "kml serve stop iris";
  takes_served(command, options->names, 1'000);
  command.run = [options](Context& context) { return run_serve_stop(context, *options); };
  return command;
}

}  // namespace kml::cli
