#include "job/queue/kueue.h"
#include "job/queue/queue.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/list/brief_list.h"

namespace kml::job {

namespace {

std::vector<kube::BriefQuery> queries_for(kube::Client& client, const std::string& namespace_name) {
  using kube::Detail;
  std::vector<kube::BriefQuery> queries = {{api::find_kind("v1", "Pod"), namespace_name, "", Detail::queue}};
  for (const api::ResourceKind* kind : kinds_to_ask(client, namespace_name))
    queries.push_back({kind, namespace_name, "", Detail::queue});
  queries.push_back({api::find_kind("scheduling.k8s.io/v1", "PriorityClass"), "", "", Detail::queue});
  queries.push_back({api::find_kind("v1", "Node"), "", "", Detail::queue});
  return queries;
}

/// The queue of one namespace or of all. Empty if the user may not list pods there.
std::optional<QueueState> read_scope(kube::Client& client, const std::string& namespace_name) {
  QueueState state;
  std::vector<kube::BriefQuery> queries = queries_for(client, namespace_name);
  for (kube::BriefQuery& query : queries)
    if (query.kind->kind != "Node") query.take = [&](Json object) { state.queue.put(std::move(object)); };
  std::vector<kube::BriefList> lists = kube::list_briefly(client, queries);
  if (lists[0].error && lists[0].error->http_status == 403) return {};
  for (size_t i = 0; i < lists.size(); ++i) {
    const api::ResourceKind& kind = *queries[i].kind;
    if (const auto& error = lists[i].error) {
      take_absence(client, kind, namespace_name, *error);
      if (error->http_status == 404) continue;
      if (error->http_status != 403) throw *error;
      if (api::is_known(kind)) state.queue.cannot_see(kind.kind);
      // An ordinary user is denied access even to a kind that does not exist, so a denial is not reported.
      if (!is_missing_kind(kind, *error)) state.unseen.emplace_back(kind.plural);
    } else if (kind.kind == "Node") {
      state.nodes = std::move(lists[i].items);
    }
  }
  return state;
}

}  // namespace

QueueState read_queue(kube::Client& client, const std::string& namespace_name) {
  std::optional<QueueState> state = read_scope(client, "");
  const bool all = state.has_value();
  if (!state) state = read_scope(client, namespace_name);
  if (!state) {  // the next request fails with the server's own error about the namespace
    client.list(*api::find_kind("v1", "Pod"), namespace_name, {.limit = 1});
    throw Error(ErrorCode::auth, "cannot list the pods of namespace " + namespace_name);
  }
  if (!all) state->only_namespace = namespace_name;
  if (!state->queue.kueue_queues().empty())
    for (std::string& what : add_kueue(client, state->only_namespace, state->queue))
      state->unseen.push_back(std::move(what));
  return std::move(*state);
}

}  // namespace kml::job
