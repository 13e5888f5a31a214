#include "local/services/routes.h"

#include <fcntl.h>
#include <sys/file.h>

namespace kml::local {

namespace {

std::vector<int> numbers_in(const Json& object, const char* field) {
  std::vector<int> numbers;
  for (const Json& number : array_at(object, {field}))
    if (number.is_number_integer()) numbers.push_back(number.get<int>());
  return numbers;
}

}  // namespace

Json to_json(const std::vector<ServiceRoute>& routes) {
  Json list = Json::array();
  for (const ServiceRoute& route : routes) {
    Json entry = {{"service", route.service}, {"port", route.port}, {"targets", route.targets}};
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
                      .targets = numbers_in(entry, "targets"),
                      .idle = std::chrono::seconds(int_at(entry, {"idle"})),
                      .problem = string_at(entry, {"problem"}),
                      .is_hopeless = bool_at(entry, {"hopeless"})});
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

}  // namespace kml::local
