#include <fmt/format.h>

#include <set>

#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "local/admission/kind_rules.h"
#include "local/api/api_error.h"

namespace kml::local {

// The rules for Services come from k8s.io/kubernetes/pkg/apis/core/v1/defaults.go, and from ValidateService
// in pkg/apis/core/validation.

namespace {

constexpr const char* kNotHere = "not supported by the embedded server: ";

bool is_headless(const Json& service) {
  return string_at(service, {"spec", "clusterIP"}) == "None";
}

void set_service_defaults(Json& service) {
  set_default(service, "spec", Json::object());
  Json& spec = service["spec"];
  set_default(spec, "type", "ClusterIP");
  set_default(spec, "sessionAffinity", "None");
  set_default(spec, "internalTrafficPolicy", "Cluster");
  for (Json& port : api::part_in(spec, "ports")) {
    set_default(port, "protocol", "TCP");
    set_default(port, "targetPort", port.value("port", Json(0)));
  }
  if (spec["type"] == "ExternalName") return;
  // A cluster would assign an address in its own network.
  set_default(spec, "clusterIP", "127.0.0.1");
  set_default(spec, "clusterIPs", Json::array({spec["clusterIP"]}));
  set_default(spec, "ipFamilies", Json::array({"IPv4"}));
  set_default(spec, "ipFamilyPolicy", "SingleStack");
  set_default(service, "status", Json{{"loadBalancer", Json::object()}});
}

void require_port(const Json& value, const std::string& path, FieldErrors& errors) {
  if (value < 1 || value > 65535) errors.invalid(path, value, "must be between 1 and 65535, inclusive");
}

void validate_port(const Json& port, const std::string& path, bool needs_name, std::set<std::string>& names,
                   FieldErrors& errors) {
  const std::string name = api::entry_name(port), protocol = string_at(port, {"protocol"});
  if (name.empty() && needs_name) errors.required(path + ".name");
  if (!name.empty()) {
    if (const std::string problem = api::dns_label_problem(name); !problem.empty())
      errors.invalid(path + ".name", name, problem);
    if (!names.insert(name).second) errors.duplicate(path + ".name", name);
  }
  require_port(port.value("port", Json(0)), path + ".port", errors);
  if (const Json target = port.value("targetPort", Json()); target.is_number())
    require_port(target, path + ".targetPort", errors);
  if (port.contains("nodePort")) require_port(port["nodePort"], path + ".nodePort", errors);
  errors.require_one_of(path + ".protocol", protocol, {"SCTP", "TCP", "UDP"});
}

void validate_service(const Json& service, FieldErrors& errors) {
  const Json& spec = api::spec_of(service);
  const std::string type = string_at(spec, {"type"});
  errors.require_one_of("spec.type", type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  if (type == "ExternalName")
    errors.forbidden("spec.type", std::string(kNotHere) + "it has no DNS; use the name itself");
  const Json& ports = array_at(spec, {"ports"});
  if (ports.empty() && !is_headless(service) && type != "ExternalName") errors.required("spec.ports");
  std::set<std::string> names;
  std::set<std::pair<int64_t, std::string>> seen;
  for (size_t i = 0; i < ports.size(); ++i) {
    const std::string path = fmt::format("spec.ports[{}]", i);
    validate_port(ports[i], path, ports.size() > 1, names, errors);
    if (!seen.emplace(int_at(ports[i], {"port"}), string_at(ports[i], {"protocol"})).second)
      errors.duplicate(path, ports[i]);
    if (string_at(ports[i], {"protocol"}) != "TCP" && !is_headless(service))
      errors.forbidden(path + ".protocol", std::string(kNotHere) + "it forwards only TCP");
  }
  errors.require_one_of("spec.sessionAffinity", spec.value("sessionAffinity", Json()), {"ClientIP", "None"});
  for (const auto& [key, value] : object_at(spec, {"selector"}).items())
    if (const std::string problem = api::label_key_problem(key); !problem.empty())
      errors.invalid("spec.selector", key, problem);
}

}  // namespace

std::vector<std::string> service_warnings(const Json& service) {
  const Json& spec = api::spec_of(service);
  std::vector<std::string> warnings;
  const auto warn = [&](bool is_set, const char* field, const char* why) {
    if (is_set) warnings.push_back(fmt::format("spec.{}: ignored by the embedded server: {}", field, why));
  };
  warn(object_at(spec, {"selector"}).empty() && !is_headless(service), "ports",
       "without a selector, no pod gets connections");
  warn(string_at(spec, {"sessionAffinity"}) == "ClientIP", "sessionAffinity", "the pods take turns");
  warn(!array_at(spec, {"externalIPs"}).empty(), "externalIPs", "it listens only on 127.0.0.1");
  warn(string_at(spec, {"type"}) == "LoadBalancer", "type", "it has no load balancer, so this is a NodePort");
  return warnings;
}

const KindRules kServiceRules{
    set_service_defaults,
    validate_service,
    [](const Json& next, const Json& current, FieldErrors& errors) {
      require_same(api::spec_of(next), api::spec_of(current), "clusterIP", "spec", errors);
    },
};

}  // namespace kml::local
