#include "local/services/routes.h"

#include <fcntl.h>
#include <sys/file.h>

namespace kml::local {

Json to_json(const std::vector<ServiceRoute>& routes) {
  Json list = Json::array();
  for (const ServiceRoute& route : routes)
    list.push_back({{"service", route.service}, {"port", route.port}, {"targets", route.targets}});
  return {{"routes", std::move(list)}};
}

std::vector<ServiceRoute> routes_from_json(const Json& json) {
  std::vector<ServiceRoute> routes;
  for (const Json& entry : array_at(json, {"routes"})) {
    ServiceRoute route{string_at(entry, {"service"}), static_cast<int>(int_at(entry, {"port"})), {}};
    for (const Json& target : array_at(entry, {"targets"}))
      if (target.is_number_integer()) route.targets.push_back(target.get<int>());
    routes.push_back(std::move(route));
  }
  return routes;
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
