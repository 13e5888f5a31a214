#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/output_format.h"
#include "job/commands/follow.h"
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
  const kube::ListOptions selection{.label_selector = serve::serve_selector()};
  const std::vector<Json> served =
      context.client().list(api::known_kind("apps/v1", "Deployment"), namespace_name, selection).items;
  if (ui::print_objects(context.streams(), served, options.output, true)) return 0;
  std::map<std::string, std::string> urls;
  for (const Json& service :
       context.client().list(api::known_kind("v1", "Service"), namespace_name, selection).items)
    urls[api::full_name_of(service)] = serve::url_of(context.place().is_local, service);
  const auto ready = [](const Json& one) -> ui::Cell {
    const long long count = int_at(one, {"status", "readyReplicas"}),
                    wanted = int_at(one, {"spec", "replicas"});
    return {std::to_string(count) + "/" + std::to_string(wanted),
            count < wanted ? ui::Style::yellow : ui::Style::plain};
  };
  const std::vector<ui::Column<Json>> columns = {
      {"NAMESPACE", [](const Json& one) { return api::namespace_of(one); }, options.all_namespaces},
      {"NAME", [](const Json& one) { return api::name_of(one); }},
      {"READY", ready},
      {"REVISION", [](const Json& one) { return std::to_string(serve::revision_number(one)); }},
      {"AGE", [](const Json& one) { return ui::age(api::created_at(one), system_clock().now()); }},
      {"STATE", state_of_served},
      {"ADDRESS", [&](const Json& one) { return ui::or_dash(urls[api::full_name_of(one)]); }},
      {"INPUTS", [](const Json& one) { return ui::or_dash(api::annotation_of(one, serve::kServedInputs)); }},
      {"COMMAND", command_of_served}};
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
  const Json served = serve::find_served(context.client(), context.target().namespace_name, name);
  FollowOptions follow{.selection = {.namespace_name = context.target().namespace_name,
                                     .pod_selector = serve::serve_selector(name),
                                     .owners = job::owners_of({served}),
                                     .previous = options.previous,
                                     .tail = options.tail}};
  if (options.follow) return follow_jobs(context, follow);
  print_logs(context, follow);
  return 0;
}

int run_serve_stop(Context& context, const ServeControlOptions& options) {
  context.tell_target();
  for (const std::string& name : options.names) {
    serve::stop_served(context.client(),
                       serve::find_served(context.client(), context.target().namespace_name, name));
    context.streams().out << name << " is stopped" << std::endl;
  }
  return 0;
}

}  // namespace

Command serve_list_command() {
  auto options = std::make_shared<ServeControlOptions>();
  Command command{"list", "List the served programs and their addresses"};
  command.examples = "kml serve list\nkml serve list -A";
  command.flag("-A,--all-namespaces", options->all_namespaces, "in all namespaces")
      .details("List the served programs in all namespaces.");
  add_output_format(command, {"json", "yaml", "name"}, options->output, "print the Deployments")
      .details("Print the Deployments, or their names.");
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
  Command command{"stop", "Stop serving: delete the Deployment and the Service"};
  command.examples = "kml serve stop iris";
  takes_served(command, options->names, 1'000);
  command.run = [options](Context& context) { return run_serve_stop(context, *options); };
  return command;
}

}  // namespace kml::cli
