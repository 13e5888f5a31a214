#include "local/services/routes.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cstdlib>

#include "local/shim/own_session.h"

namespace kml::local {

namespace {

std::vector<int> numbers_in(const Json& object, const char* field) {
  std::vector<int> numbers;
  for (const Json& number : array_at(object, {field}))
    if (number.is_number_integer()) numbers.push_back(number.get<int>());
  return numbers;
}

/// Just a port, or "[ADDRESS]:PORT".
Json json_of(const RouteTarget& target) {
  if (target.address.empty()) return target.port;
  return "[" + target.address + "]:" + std::to_string(target.port);
}

std::vector<RouteTarget> targets_in(const Json& route) {
  std::vector<RouteTarget> targets;
  for (const Json& target : array_at(route, {"targets"})) {
    if (target.is_number_integer()) targets.emplace_back(target.get<int>());
    if (!target.is_string()) continue;
    const std::string text = target.get<std::string>();
    const size_t end = text.find("]:");
    if (text.starts_with('[') && end != std::string::npos)
      targets.emplace_back(std::atoi(text.c_str() + end + 2), text.substr(1, end - 1));
  }
  return targets;
}

}  // namespace

Json to_json(const std::vector<ServiceRoute>& routes) {
  Json list = Json::array();
  for (const ServiceRoute& route : routes) {
    Json entry = {{"service", route.service}, {"port", route.port}, {"targets", Json::array()}};
    for (const RouteTarget& target : route.targets) entry["targets"].push_back(json_of(target));
    if (route.is_public) entry["public"] = true;
    if (route.idle.count() > 0)
      entry.update(
          {{"idle", route.idle.count()}, {"problem", route.problem}, {"hopeless", route.is_hopeless}});
    list.push_back(std::move(entry));
  }
  return {{"routes", std::move(list)}};
}

std::vector<ServiceRoute> routes_from_json(const Json& json) {
  std::vector<ServiceRoute> routes;
  for (const Json& entry : array_at(json, {"routes"}))
    routes.push_back({.service = string_at(entry, {"service"}),
                      .port = static_cast<int>(int_at(entry, {"port"})),
                      .targets = targets_in(entry),
                      .idle = std::chrono::seconds(int_at(entry, {"idle"})),
                      .problem = string_at(entry, {"problem"}),
                      .is_hopeless = bool_at(entry, {"hopeless"}),
                      .is_public = bool_at(entry, {"public"})});
  return routes;
}

Json to_json(const Demand& demand) {
  return {{"wanted", demand.wanted}, {"idle", demand.idle}};
}

Demand demand_from_json(const Json& json) {
  return {numbers_in(json, "wanted"), numbers_in(json, "idle")};
}

Fd lock_proxy(const PodFolder& folder) {
  Fd file = open_pod_file(folder.claim(), O_RDWR | O_CREAT, 0600);
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(file) : Fd();
}

bool proxy_runs(const PodFolder& folder) {
  const Fd file = open_pod_file(folder.claim(), O_RDWR);
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

int start_proxy(const std::filesystem::path& binary, const std::filesystem::path& state) {
  return start_in_own_session(binary, "proxy", state, -1, "the proxy of Services");
}

}  // namespace kml::local
