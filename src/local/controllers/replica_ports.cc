#include "local/controllers/replica_ports.h"

#include <cstdlib>
#include <set>
#include <string>

#include "kml/base/text.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "local/controllers/master_port.h"
#include "local/store/object.h"

namespace kml::local {

namespace {

std::set<int> given_ports(const Store& store) {
  std::set<int> ports;
  for (const ObjectPtr& pod : store.list(kinds::pod, ""))
    for (const std::string& pair : split(annotation_of(*pod, api::kPorts), ','))
      if (const size_t equals = pair.find('='); equals != std::string::npos)
        ports.insert(std::atoi(pair.c_str() + equals + 1));
  return ports;
}

bool has_port(const Json& container, const std::string& number) {
  for (const Json& port : array_at(container, {"ports"}))
    if (std::to_string(int_at(port, {"containerPort"})) == number) return true;
  return false;
}

}  // namespace

void give_ports(Json& pod, const Store& store) {
  std::set<int> taken;
  std::string given;
  api::visit_containers(pod["spec"], [&](Json& container) {
    for (Json& variable : api::part_in(container, "env")) {
      const std::string number = api::value_of(variable);
      if (api::entry_name(variable) != "PORT" || !has_port(container, number)) continue;
      if (taken.empty()) taken = given_ports(store);
      const int port = find_free_port(taken);
      taken.insert(port);
      variable["value"] = std::to_string(port);
      given += (given.empty() ? "" : ",") + number + "=" + std::to_string(port);
    }
  });
  if (!given.empty()) api::set_annotation(pod, api::kPorts, given);
}

}  // namespace kml::local
