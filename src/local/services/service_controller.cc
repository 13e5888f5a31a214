#include "local/services/service_controller.h"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>

#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/object.h"
#include "local/controllers/master_port.h"
#include "local/services/service_pods.h"
#include "local/store/object.h"

namespace kml::local {

using namespace std::chrono_literals;

namespace {

// How often the server checks whether the proxy is still running.
constexpr auto kLookAtProxy = 2s;

}  // namespace

ServiceController::ServiceController(EventLoop& loop, Store& store, EventRecorder& events,
                                     std::filesystem::path state, std::filesystem::path binary)
    : loop_(loop),
      store_(store),
      state_(std::move(state)),
      binary_(std::move(binary)),
      folder_(proxy_folder(state_)),
      file_(folder_),
      activator_(loop, store, events, folder_),
      queue_(loop, [this](const std::string&) { look(); }) {
  store.subscribe([this](const StoreEvent& event) {
    if (event.kind == &kinds::service ||
        (event.kind == &kinds::deployment && api::idle_limit_of(*event.object)))
      return queue_.add("services");
    if (event.kind != &kinds::pod) return;
    for (const ObjectPtr& service : store_.list(kinds::service, namespace_of(*event.object)))
      if (has_ports(*service) && selects(*service, *event.object)) return queue_.add("services");
  });
}

void ServiceController::recover() {
  activator_.recover();
  queue_.add("services");
}

void ServiceController::close() {
  closed_ = true;
  if (written_ != to_json(std::vector<ServiceRoute>())) file_.write(to_json(std::vector<ServiceRoute>()));
}

void ServiceController::look() {
  if (closed_) return;
  for (const ObjectPtr& service : store_.list(kinds::service, "")) give_ports(*service);
  const std::vector<ServiceRoute> now = routes();
  const Json json = to_json(now);
  if (now.empty() && written_.is_null() && !proxy_runs(folder_)) return;
  if (json != written_) {
    make_private_folder(folder_.path);
    if (!file_.write(json)) throw system_error("cannot write " + folder_.status().string(), errno);
    written_ = json;
  }
  if (now.empty()) return;
  require_proxy();
  queue_.add_after("services", kLookAtProxy);
}

void ServiceController::give_ports(const Json& service) {
  if (!has_ports(service)) return;
  const Json& ports = array_at(service, {"spec", "ports"});
  if (std::all_of(ports.begin(), ports.end(), [](const Json& port) { return port.contains("nodePort"); }))
    return;
  std::set<int> taken;
  for (const ObjectPtr& other : store_.list(kinds::service, ""))
    for (const Json& port : array_at(*other, {"spec", "ports"}))
      taken.insert(static_cast<int>(int_at(port, {"nodePort"})));
  store_.modify(kinds::service, namespace_of(service), name_of(service), [&](Json& next) {
    for (Json& port : api::part_in(next["spec"], "ports")) {
      if (port.contains("nodePort")) continue;
      // If a client replaces a Service and leaves out its ports on this machine, the ports are kept.
      int& number = given_[{uid_of(next), static_cast<int>(int_at(port, {"port"}))}];
      if (number == 0 || taken.contains(number)) number = find_free_port(taken);
      taken.insert(number);
      port["nodePort"] = number;
    }
  });
}

std::vector<ServiceRoute> ServiceController::routes() const {
  std::vector<ServiceRoute> found;
  for (const ObjectPtr& service : store_.list(kinds::service, "")) {
    if (!has_ports(*service)) continue;
    const std::vector<ObjectPtr> pods = store_.list(kinds::pod, namespace_of(*service));
    const ObjectPtr idle = idle_deployment_of(store_, *service);
    for (const Json& port : array_at(*service, {"spec", "ports"})) {
      ServiceRoute route{api::full_name_of(*service), static_cast<int>(int_at(port, {"nodePort"})), {}};
      for (const int target : targets_of(*service, port, pods)) route.targets.emplace_back(target);
      if (idle) {
        route.idle = *api::idle_limit_of(*idle);
        if (route.targets.empty()) explain_unready(route, *service, pods);
      }
      found.push_back(std::move(route));
    }
  }
  return found;
}

void ServiceController::require_proxy() {
  int status = 0;
  if (proxy_ > 0 && ::waitpid(proxy_, &status, WNOHANG) != 0) proxy_ = 0;
  if (proxy_ > 0 || proxy_runs(folder_)) return;
  proxy_ = start_proxy(binary_, state_);
}

}  // namespace kml::local
