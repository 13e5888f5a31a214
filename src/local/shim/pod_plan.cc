#include "local/shim/pod_plan.h"

namespace kml::local {

namespace {

Json to_json(const Privileges& privileges) {
  const auto id = [](const std::optional<int64_t>& given) { return given ? Json(*given) : Json(); };
  return {{"user", id(privileges.user)},
          {"group", id(privileges.group)},
          {"groups", privileges.groups},
          {"noNew", privileges.no_new},
          {"readOnlyRoot", privileges.read_only_root},
          {"dropped", privileges.dropped}};
}

Privileges privileges_from_json(const Json& json) {
  const auto id = [&](const char* key) {
    return json.at(key).is_null() ? std::optional<int64_t>() : json.at(key).get<int64_t>();
  };
  return {id("user"),        id("group"), json.at("groups"), json.at("noNew"), json.at("readOnlyRoot"),
          json.at("dropped")};
}

Json to_json(const ProbePlan& probe) {
  if (!probe) return nullptr;
  return {{"action", probe.action},     {"argv", probe.argv},       {"port", probe.port},
          {"path", probe.path},         {"headers", probe.headers}, {"initialDelay", probe.initial_delay},
          {"period", probe.period},     {"timeout", probe.timeout}, {"successes", probe.successes},
          {"failures", probe.failures}, {"grace", probe.grace}};
}

ProbePlan probe_from_json(const Json& container, const char* name) {
  const Json* json = find(container, {name});
  if (!json || json->is_null()) return {};
  return {json->at("action"),    json->at("argv"),         json->at("port"),   json->at("path"),
          json->at("headers"),   json->at("initialDelay"), json->at("period"), json->at("timeout"),
          json->at("successes"), json->at("failures"),     json->at("grace")};
}

Json to_json(const ContainerPlan& container) {
  Json mounts = Json::array();
  for (const Mount& mount : container.mounts)
    mounts.push_back({{"what", mount.what},
                      {"source", mount.source},
                      {"path", mount.path},
                      {"readOnly", mount.read_only},
                      {"memorySize", mount.memory_size}});
  return {{"name", container.name},
          {"argv", container.argv},
          {"environment", container.environment},
          {"folder", container.folder},
          {"mounts", std::move(mounts)},
          {"outputs", container.outputs},
          {"messagePath", container.message_path},
          {"messageFromLog", container.message_from_log},
          {"privileges", to_json(container.privileges)},
          {"memoryLimit", container.memory_limit},
          {"startup", to_json(container.startup)},
          {"liveness", to_json(container.liveness)},
          {"readiness", to_json(container.readiness)},
          {"preStop", to_json(container.pre_stop)}};
}

Json to_json(const std::vector<ContainerPlan>& containers) {
  Json list = Json::array();
  for (const ContainerPlan& container : containers) list.push_back(to_json(container));
  return list;
}

std::vector<ContainerPlan> containers_from_json(const Json& list) {
  std::vector<ContainerPlan> containers;
  for (const Json& json : list) {
    ContainerPlan& container = containers.emplace_back();
    json.at("name").get_to(container.name);
    json.at("argv").get_to(container.argv);
    json.at("environment").get_to(container.environment);
    json.at("folder").get_to(container.folder);
    container.outputs = json.value("outputs", container.outputs);
    container.message_path = string_at(json, {"messagePath"});
    container.message_from_log = bool_at(json, {"messageFromLog"});
    container.privileges = privileges_from_json(json.at("privileges"));
    container.memory_limit = int_at(json, {"memoryLimit"});
    container.startup = probe_from_json(json, "startup");
    container.liveness = probe_from_json(json, "liveness");
    container.readiness = probe_from_json(json, "readiness");
    container.pre_stop = probe_from_json(json, "preStop");
    for (const Json& mount : json.at("mounts"))
      container.mounts.push_back({mount.at("what"), mount.at("source"), mount.at("path"),
                                  mount.at("readOnly"), mount.at("memorySize")});
  }
  return containers;
}

Json to_json(const std::vector<CgroupRoot>& roots) {
  Json list = Json::array();
  for (const CgroupRoot& root : roots)
    list.push_back({{"path", root.path}, {"controllers", root.controllers}, {"isUnified", root.is_unified}});
  return list;
}

std::vector<CgroupRoot> cgroups_from_json(const Json& list) {
  std::vector<CgroupRoot> roots;
  for (const Json& json : list)
    roots.push_back({json.at("path"), json.at("controllers"), json.at("isUnified")});
  return roots;
}

}  // namespace

Json to_json(const PodPlan& plan) {
  return {{"uid", plan.uid},
          {"namespace", plan.namespace_name},
          {"name", plan.name},
          {"restartPolicy", plan.restart_policy},
          {"initContainers", to_json(plan.init_containers)},
          {"containers", to_json(plan.containers)},
          {"restartDelaySeconds", plan.restart_delay_seconds},
          {"logBytes", plan.log_bytes},
          {"maxProcesses", plan.max_processes},
          {"cgroups", to_json(plan.cgroups)}};
}

PodPlan pod_plan_from_json(const Json& json) {
  return {json.at("uid"),
          json.at("namespace"),
          json.at("name"),
          json.at("restartPolicy"),
          containers_from_json(json.at("initContainers")),
          containers_from_json(json.at("containers")),
          json.at("restartDelaySeconds"),
          json.at("logBytes"),
          json.at("maxProcesses"),
          cgroups_from_json(json.at("cgroups"))};
}

}  // namespace kml::local
