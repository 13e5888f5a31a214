#include "job/queue/kueue.h"

#include <optional>

#include "job/capacity/brief_workloads.h"
#include "job/capacity/kueue_api.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

std::string owner_of_workload(const Json& workload) {
  const Json* owner = api::controller_of(workload);
  return owner ? api::namespace_of(workload) + "/" + api::kind_name(*owner) + "/" + api::entry_name(*owner)
               : "";
}

namespace {

bool is_absent_or_forbidden(const Error& error) {
  return error.http_status == 404 || error.http_status == 403 || error.http_status == 503;
}

/// How many positions Kueue returns at most (MaxPendingWorkloadsLimit); without a limit, it returns 1,000.
constexpr size_t kPage = 100'000;

/// Adds positions, counted from 0 in each queue. They come from an aggregated API, which returns 503 while
/// its server is down.
void add_positions(kube::Client& client, JobQueue& queue) {
  const std::string group = "visibility.kueue.x-k8s.io";
  const std::string version = preferred_version(client, group);
  for (const std::string& place : queue.kueue_queues()) {
    const size_t slash = place.find('/');
    const std::string where = place.substr(0, slash);
    const std::string path = "/apis/" + group + "/" + version + "/namespaces/" + where + "/localqueues/" +
                             place.substr(slash + 1) + "/pendingworkloads?limit=" + std::to_string(kPage);
    try {
      for (size_t begin = 0, count = kPage; count == kPage; begin += kPage) {
        const std::string page = path + "&offset=" + std::to_string(begin);
        const Json pending = parse_json(client.get_raw(page), page);
        count = api::items_of(pending).size();
        for (const Json& item : api::items_of(pending))
          queue.set_kueue_position(where, api::name_of(item),
                                   static_cast<int>(int_at(item, {"positionInClusterQueue"})) + 1);
      }
    } catch (const Error& error) {
      if (!is_absent_or_forbidden(error)) throw;
    }
  }
}

}  // namespace

namespace {

/// Empty if the cluster does not have Kueue, which is noted in the queue, or if the user may not know.
std::optional<KueueApi> kueue_of(kube::Client& client, JobQueue& queue) try {
  return KueueApi(client);
} catch (const Error& error) {
  if (!is_absent_or_forbidden(error)) throw;
  if (error.http_status == 404) queue.lacks_kueue();
  return {};
}

}  // namespace

std::vector<std::string> add_kueue(kube::Client& client, const std::string& namespace_name, JobQueue& queue) {
  std::vector<std::string> unseen;
  const std::optional<KueueApi> kueue = kueue_of(client, queue);
  if (!kueue) return unseen;
  try {
    const auto put = [&](Json object) { queue.put(std::move(object)); };
    const auto put_workload = [&](Json workload) {
      drop_templates(workload);  // the job has the same templates
      put(std::move(workload));
    };
    if (const auto error = each_workload(client, kueue->workload(), namespace_name, put_workload)) {
      if (!is_absent_or_forbidden(*error)) throw Error(*error);
      unseen.emplace_back("Kueue's Workloads");
    }
    try {
      for (Json& item : client.list(kueue->local_queue(), namespace_name).items) put(std::move(item));
    } catch (const Error& error) {
      if (!is_absent_or_forbidden(error)) throw;
      unseen.emplace_back("Kueue's LocalQueues");
    }
    add_positions(client, queue);
  } catch (const Error& error) {
    if (!is_absent_or_forbidden(error)) throw;
  }
  return unseen;
}

}  // namespace kml::job
