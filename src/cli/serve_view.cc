#include "cli/serve_view.h"

#include <ostream>

#include "kml/api/idle.h"
#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/core/error.h"
#include "kml/core/text.h"
#include "kml/jobs/views/interrupt.h"

namespace kml::cli {

std::string url_of(bool is_local, const Json& service) {
  const Json& ports = array_at(service, {"spec", "ports"});
  if (ports.empty()) return {};
  const long long port = int_at(ports[0], {is_local ? "nodePort" : "port"});
  if (port == 0) return {};
  const std::string host = is_local ? "127.0.0.1" : api::name_of(service) + "." + api::namespace_of(service);
  return "http://" + host + ":" + std::to_string(port);
}

std::string state_of_served(const Json& deployment) {
  if (api::is_scaled_to_zero(deployment)) return api::scaled_to_zero_text(deployment);
  const long long wanted = int_at(deployment, {"spec", "replicas"}, 1);
  if (wanted == 0) return "Stopped";
  if (int_at(deployment, {"status", "readyReplicas"}) < wanted) return "Starting";
  return jobs::is_rolled_out(deployment) ? "Running" : "Updating";
}

std::optional<jobs::RolloutFailure> follow_rollout(Context& context, const std::string& name,
                                                   std::chrono::seconds limit, const std::string& selector) {
  const jobs::Interrupt interrupt;
  try {
    auto failure = jobs::wait_for_rollout(
        context.client(), context.target().namespace_name, name, interrupt, limit,
        [&](const std::string& text) { context.progress(text); }, selector);
    context.end_progress();
    return failure;
  } catch (const Error& error) {
    context.end_progress();
    if (error.code == ErrorCode::interrupted)
      context.note("the rollout goes on; `kml serve list` shows it, `kml serve stop " + name + "` stops it");
    throw;
  }
}

void wait_for_served(Context& context, const std::vector<Json>& objects,
                     std::optional<std::chrono::seconds> limit) {
  for (const Json& object : objects) {
    const std::string name = api::name_of(object);
    if (api::kind_name(object) != "Deployment" || api::label_of(object, api::kServe) != name) continue;
    if (const auto failure = follow_rollout(context, name, limit.value_or(kRolloutLimit))) {
      print_last_lines(context, *failure);
      throw Error(failure->is_out_of_time ? ErrorCode::unreachable : ErrorCode::job_failed,
                  name + " does not run", failure->cause, failure->fix);
    }
    context.note(name + " is ready; `kml serve list` shows its address");
  }
}

void print_last_lines(Context& context, const jobs::RolloutFailure& failure) {
  if (failure.log.empty()) return;
  context.note("the last lines of pod " + failure.pod + ":");
  for (const std::string& line : failure.log) context.note("  " + line);
}

}  // namespace kml::cli
