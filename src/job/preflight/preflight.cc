#include <fmt/format.h>

#include <map>
#include <optional>

#include "job/preflight/missing.h"
#include "job/preflight/node_fit.h"
#include "job/preflight/planned_pods.h"
#include "job/why/causes.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/preflight/preflight.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/gang.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

/// A job whose pods may be too large for some nodes. Stands for all submitted jobs with the same requests,
/// because a file may contain thousands of jobs.
struct Demand {
  const Json* object;
  std::vector<PodsWanted> pods;
  bool all_at_once;  ///< either all pods start or none, or the command fails unless all run
  bool has_queue;    ///< Kueue may run the job on a different set of nodes
  size_t alike = 0;  ///< number of other jobs with the same requests

  bool is_served() const { return !api::label_of(*object, api::kServe).empty(); }
  std::string who() const {
    const std::string kind = is_job(*object) ? "job " : is_served() ? "" : api::kind_name(*object) + " ";
    return kind + api::name_of(*object) + (alike == 0 ? "" : fmt::format(" and {} more", alike));
  }
  /// A key with everything that decides which nodes are large enough.
  std::string key() const {
    Json key = {all_at_once, has_queue};
    for (const PodsWanted& group : pods)
      key.push_back({group.count, api::pod_requests(group.spec), api::node_selector_in(group.spec),
                     object_at(group.spec, {"affinity", "nodeAffinity"})});
    return compact_text(key);
  }
};

/// Whether the pod requests anything that nodes may lack. On a cluster, only devices are checked; on the
/// embedded server, all resources, because checking a single node costs nothing.
bool asks_for_more(const Json& pod_spec, bool is_local) {
  for (const auto& [name, amount] : api::pod_requests(pod_spec))
    if (name != "pods" && (is_local || name.find('/') != std::string::npos)) return true;
  return is_local && !api::node_selector_in(pod_spec).empty();
}

std::vector<Demand> demands_of(const std::vector<Json>& objects, bool is_local) {
  std::vector<Demand> demands;
  std::map<std::string, size_t> by_key;
  for (const Json& object : objects) {
    Demand demand{&object, {}, false, false};
    bool asks = false;
    each_planned_pod(object, [&](const Json& pod, int count) {
      demand.pods.push_back({api::spec_of(pod), count});
      asks = asks || asks_for_more(demand.pods.back().spec, is_local);
    });
    const bool is_native_gang = !api::annotation_of(object, api::kPodGroup).empty();
    demand.all_at_once = is_native_gang || (is_local && api::is_gang(object)) || (asks && demand.is_served());
    demand.has_queue = !is_local && !api::label_of(object, api::kKueueQueue).empty();
    if (!asks && !demand.all_at_once) continue;  // a gang may have more pods than a node can run
    const auto [known, is_new] = by_key.try_emplace(demand.key(), demands.size());
    if (is_new)
      demands.push_back(std::move(demand));
    else
      ++demands[known->second].alike;
  }
  return demands;
}

/// The nodes with their capacity as allocatable, because a node briefly has no allocatable devices while its
/// device plugin is updated.
std::vector<Json> with_capacity(std::vector<Json> nodes) {
  for (Json& node : nodes) {
    const Json capacity = object_at(node, {"status", "capacity"});
    for (const auto& [name, amount] : capacity.items()) node["status"]["allocatable"][name] = amount;
  }
  return nodes;
}

/// Finds jobs that fit on no node. First uses a brief list of nodes, and requests the complete nodes only if
/// a job does not fit.
class NodeCheck {
 public:
  NodeCheck(kube::Client& client, bool is_local) : client_(client), is_local_(is_local) {}

  void run(const std::vector<Demand>& demands, Preflight& found) {
    const kube::BriefQuery query{api::find_kind("v1", "Node"), "", "", kube::Detail::queue, {}, true};
    const kube::BriefList brief = std::move(kube::list_briefly(client_, {&query, 1})[0]);
    if (brief.error || brief.items.empty()) return;
    for (const Demand& demand : demands) {
      const auto cause = too_large_for_nodes(demand.pods, brief.items, demand.all_at_once);
      if (!cause) continue;
      if (const auto certain = certainly(demand)) {
        found.obstacles.push_back(obstacle(demand, *certain));
      } else {
        found.warnings.push_back(fmt::format("{} may never start: {}", demand.who(), cause->summary));
      }
    }
  }

 private:
  static Error obstacle(const Demand& demand, Cause cause) {
    name_maker(*demand.object, cause);
    Error error(ErrorCode::failure, demand.who() + " cannot run", cause.summary);
    if (!cause.remedies.empty()) error.fix = in_words(cause.remedies[0]);
    return error;
  }

  /// Why the job does not fit, judging by the complete nodes; empty if it fits or new nodes may join the
  /// cluster.
  std::optional<Cause> certainly(const Demand& demand) {
    if (demand.has_queue) return {};
    if (!whole_) {
      whole_ = with_capacity(client_.list(*api::find_kind("v1", "Node"), "").items);
      others_come_ = !is_local_ && may_get_other_nodes(client_, *whole_);
    }
    return others_come_ ? std::nullopt : too_large_for_nodes(demand.pods, *whole_, demand.all_at_once);
  }

  kube::Client& client_;
  const bool is_local_;
  std::optional<std::vector<Json>> whole_;
  bool others_come_ = true;
};

}  // namespace

Preflight preflight(kube::Client& client, const std::vector<Json>& objects,
                    const std::vector<Belonging>& belongings, bool is_local) {
  Preflight found;
  // created first, so that its requests run while the nodes are listed
  MissingObjects missing(client, objects, belongings, is_local);
  try {
    if (const auto demands = demands_of(objects, is_local); !demands.empty())
      NodeCheck(client, is_local).run(demands, found);
  } catch (const Error& error) {
    if (error.code == ErrorCode::interrupted) throw;
    found = {};  // the submit itself will report this error
  }
  for (Error& error : missing.find()) found.obstacles.push_back(std::move(error));
  return found;
}

}  // namespace kml::job
