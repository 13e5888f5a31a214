#include "local/services/activator.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kml/base/files.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/object.h"
#include "local/controllers/deployment_plan.h"
#include "local/services/service_pods.h"
#include "local/shim/status_file.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

constexpr const char* kActivatorComponent = "activator";

/// Returns a function that checks whether a Service's port is one of these ports.
auto is_in(const std::vector<int>& ports) {
  return [&ports](const Json& port) {
    return std::find(ports.begin(), ports.end(), int_at(port, {"nodePort"})) != ports.end();
  };
}

}  // namespace

Activator::Activator(EventLoop& loop, Store& store, EventRecorder& events, const PodFolder& proxy)
    : loop_(loop),
      store_(store),
      events_(events),
      folder_(demand_folder(proxy)),
      queue_(loop, [this](const std::string&) { look(); }) {
  store.subscribe([this](const StoreEvent& event) {
    // The status of a Deployment shows when an update has finished.
    if (event.kind == &kinds::deployment && api::idle_limit_of(*event.object)) queue_.add("demand");
  });
}

void Activator::recover() {
  for (const ObjectPtr& deployment : store_.list(kinds::deployment, ""))
    if (api::idle_limit_of(*deployment)) return queue_.add("demand");
}

void Activator::look() {
  if (!watch_) {
    make_private_folder(folder_.path);
    watch_.emplace(loop_, "status", [this](const std::string&) { queue_.add("demand"); });
    watch_->add(folder_.path, "demand");
  }
  const auto status = read_status(folder_);
  if (!status) return;
  const Demand demand = demand_from_json(*status);
  if (demand == Demand()) return;
  for (const ObjectPtr& service : store_.list(kinds::service, "")) {
    if (!has_ports(*service)) continue;
    const ObjectPtr deployment = idle_deployment_of(store_, *service);
    if (!deployment) continue;
    const Json& ports = array_at(*service, {"spec", "ports"});
    if (std::any_of(ports.begin(), ports.end(), is_in(demand.wanted)))
      wake(*deployment);
    else if (std::all_of(ports.begin(), ports.end(), is_in(demand.idle)))
      rest(*deployment);
  }
}

void Activator::rest(const Json& deployment) {
  if (int_at(deployment, {"spec", "replicas"}, 1) == 0 ||
      !is_rolled_out(deployment, api::status_of(deployment)))
    return;
  const ObjectPtr next =
      store_.modify(kinds::deployment, namespace_of(deployment), name_of(deployment), api::scale_to_zero);
  events_.record(*next, "Normal", "ScaledToZero", api::scaled_to_zero_text(*next), kActivatorComponent);
}

void Activator::wake(const Json& deployment) {
  if (!api::is_scaled_to_zero(deployment)) return;
  const ObjectPtr next =
      store_.modify(kinds::deployment, namespace_of(deployment), name_of(deployment), api::scale_back);
  events_.record(*next, "Normal", "Activated", "a request came", kActivatorComponent);
}

}  // namespace kml::local
