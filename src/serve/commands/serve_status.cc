#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/output_format.h"
#include "kml/base/text.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/ownership.h"
#include "kml/job/views/pod_view.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/manifests.h"
#include "kml/serve/model/rollout.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"
#include "serve/commands/serve_view.h"
#include "serve/model/address.h"
#include "serve/model/kserve.h"
#include "serve/model/revisions.h"

namespace kml::cli {

namespace {

struct ServeStatusOptions {
  std::vector<std::string> names;
  std::string output;
};

void print_served_facts(Context& context, const serve::Served& found, const std::vector<Json>& pods,
                        const std::string& address) {
  const Json &served = found.object, &deployment = found.deployment;
  const Streams& streams = context.streams();
  const auto fact = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      streams.out << ui::styled(name, ui::Style::bold, streams.colours) << std::string(10 - name.size(), ' ')
                  << value << "\n";
  };
  const auto idle = api::idle_limit_of(served);
  fact("Served", api::name_of(served) + " (namespace " + api::namespace_of(served) + ")" +
                     (found.is_by_kserve() ? ", by KServe" : ""));
  fact("State", state_of_served(found, pods));
  fact("Address", address);
  if (!deployment.is_null()) {
    fact("Replicas", std::to_string(int_at(deployment, {"status", "readyReplicas"})) + " of " +
                         std::to_string(int_at(deployment, {"spec", "replicas"}, 1)) + " ready");
    fact("Revision", std::to_string(serve::revision_number(deployment)));
  }
  fact("Idle", idle ? "scaled to zero after " + short_duration(*idle) + " without a request" : "");
  fact("Inputs", api::annotation_of(deployment, serve::kServedInputs));
  fact("Command", command_of_served(deployment));
}

std::string address_of_served(Context& context, const serve::Served& served) {
  if (served.is_by_kserve()) return serve::address_of(served.object);
  const auto service = context.client().get_if_exists(
      api::known_kind("v1", "Service"), api::namespace_of(served.object), api::name_of(served.object));
  return service ? serve::url_of(context.place().is_local, *service) : "";
}

/// Prints a row for each pod in the Deployment's ReplicaSets.
void print_replicas(Context& context, const Json& deployment, const std::vector<Json>& pods) {
  const std::vector<serve::Revision> revisions = serve::served_revisions(context.client(), deployment);
  ui::Table table({"POD", "PHASE", "REVISION", "NODE", "AGE", "CAUSE"});
  for (const Json& pod : pods) {
    for (const serve::Revision& revision : revisions) {
      if (!job::is_controlled_by(pod, revision.set)) continue;
      const job::PodView view = job::view_of_pod(pod);
      table.add({{view.name},
                 {view.phase},
                 {std::to_string(revision.number)},
                 {ui::or_dash(view.node)},
                 {ui::age(view.started, system_clock().now())},
                 {ui::or_dash(view.cause)}});
    }
  }
  if (!table.empty()) {
    context.streams().out << "\n";
    table.print(context.streams());
  }
}

int run_serve_status(Context& context, const ServeStatusOptions& options) {
  const std::string& name = options.names[0];
  const serve::Served served = serve::find_served(context.client(), context.target().namespace_name, name);
  if (ui::print_objects(context.streams(), std::span(&served.object, 1), options.output, false)) return 0;
  const std::vector<Json> pods = replicas_of(context.client(), served);
  print_served_facts(context, served, pods, address_of_served(context, served));
  if (!served.deployment.is_null()) print_replicas(context, served.deployment, pods);
  if (!serve::is_rolled_out(served)) context.note("`kml why " + name + "` shows why it is not ready");
  return 0;
}

}  // namespace

Command serve_status_command() {
  auto options = std::make_shared<ServeStatusOptions>();
  Command command{"status", "Show the state, address, inputs and replicas of a served program"};
  command.examples =
      "kml serve status iris\n# The Deployment, or the InferenceService\nkml serve status iris -o yaml";
  takes_served(command, options->names);
  add_output_format(command, {"json", "yaml", "name"}, options->output, "print the Deployment or its name")
      .details("Print the Deployment, or the InferenceService, in this format, or its name.");
  command.run = [options](Context& context) { return run_serve_status(context, *options); };
  return command;
}

}  // namespace kml::cli
