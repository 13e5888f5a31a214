#include "local/admission/probe_rules.h"

#include "kml/kube/objects/object.h"
#include "local/admission/kind_rules.h"

namespace kml::local {

namespace {

constexpr const char* kProbes[] = {"livenessProbe", "readinessProbe", "startupProbe"};

void validate_target_port(const Json& action, const std::string& path, FieldErrors& errors) {
  const Json port = action.value("port", Json());
  if (port.is_number_integer() && (port < 1 || port > 65535))
    errors.invalid(path + ".port", port, "must be between 1 and 65535, inclusive");
  if (port.is_null() || (port.is_string() && port.get_ref<const std::string&>().empty()))
    errors.required(path + ".port");
}

/// Checks that a probe or a hook has exactly one action.
void validate_handler(const Json& handler, const std::string& path, FieldErrors& errors) {
  int count = 0;
  for (const char* action : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    if (!handler.contains(action)) continue;
    if (++count > 1) errors.forbidden(path + "." + action, "may not specify more than 1 handler type");
  }
  if (count == 0) errors.required(path, "must specify a handler type");
  if (handler.contains("exec") && array_at(handler, {"exec", "command"}).empty())
    errors.required(path + ".exec.command");
  for (const char* action : {"httpGet", "tcpSocket"})
    if (handler.contains(action)) validate_target_port(handler[action], path + "." + action, errors);
  if (handler.contains("httpGet") && string_at(handler, {"httpGet", "path"}).empty())
    errors.required(path + ".httpGet.path");
}

void validate_probe(const Json& probe, const std::string& path, bool is_readiness, FieldErrors& errors) {
  validate_handler(probe, path, errors);
  for (const char* field :
       {"initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"})
    require_not_negative(probe, field, path, errors);
  if (const int64_t count = int_at(probe, {"successThreshold"}, 1); !is_readiness && count != 1)
    errors.invalid(path + ".successThreshold", count, "must be 1");
  if (const Json* grace = kml::find(probe, {"terminationGracePeriodSeconds"})) {
    if (is_readiness)
      errors.invalid(path + ".terminationGracePeriodSeconds", *grace, "must not be set for readinessProbes");
    else if (*grace <= 0)
      errors.invalid(path + ".terminationGracePeriodSeconds", *grace, "must be greater than 0");
  }
}

}  // namespace

void default_probes(Json& container) {
  for (const char* name : kProbes) {
    if (!container.contains(name)) continue;
    Json& probe = container[name];
    for (const auto& [field, value] : {std::pair("timeoutSeconds", 1), std::pair("periodSeconds", 10),
                                       std::pair("successThreshold", 1), std::pair("failureThreshold", 3)}) {
      set_default(probe, field, value);
      if (probe[field] == 0) probe[field] = value;  // in Go, 0 and an unset field are the same
    }
    if (!probe.contains("httpGet")) continue;
    set_default(probe["httpGet"], "path", "/");
    set_default(probe["httpGet"], "scheme", "HTTP");
  }
}

void validate_probes(const Json& container, const std::string& path, FieldErrors& errors) {
  for (const std::string name : kProbes)
    if (container.contains(name))
      validate_probe(container[name], path + "." + name, name == "readinessProbe", errors);
  const Json& lifecycle = object_at(container, {"lifecycle"});
  for (const std::string hook : {"postStart", "preStop"})
    if (lifecycle.contains(hook)) validate_handler(lifecycle[hook], path + ".lifecycle." + hook, errors);
}

}  // namespace kml::local
