#include "pipeline/commands/submit_data.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/data_mark.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/net/fetch/fetch.h"
#include "kml/net/http/waiting_transport.h"
#include "pipeline/runner/data_pod.h"
#include "pipeline/runner/step_program.h"

namespace kml::cli {

namespace {

using pipeline::PodData;

fetch::Means means_for(Context& context) {
  return {.make_transport =
              [](http::Endpoint endpoint) {
                return http::make_waiting_transport(std::move(endpoint), "looking up the data");
              },
          .pause = [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); },
          .note = [&context](const std::string& text) { context.note(text); }};
}

std::vector<PodData> data_of_plan(Context& context, job::SubmitPlan& plan) {
  std::vector<PodData> all = parsed_data(plan.data.sources);
  for (PodData& data : all) {
    const std::string typed = data.source.version;
    data.source = fetch::pinned(std::move(data.source), means_for(context));
    if (data.source.kind == fetch::Source::Kind::hub && typed != data.source.version)
      plan.notes.push_back("data: revision " + typed + " of " + data.source.place + " is " +
                           data.source.version);
  }
  return all;
}

}  // namespace

std::vector<PodData> parsed_data(const std::vector<std::string>& sources) {
  std::vector<PodData> all;
  for (const std::string& text : sources) {
    PodData data = pipeline::parse_pod_data(text);
    for (const PodData& other : all)
      if (other.path == data.path) throw usage_error("--data: " + data.path + " is the path of two sources");
    all.push_back(std::move(data));
  }
  return all;
}

std::string pinned_data(Context& context, const std::string& text) {
  PodData data = pipeline::parse_pod_data(text);
  data.source = fetch::pinned(std::move(data.source), means_for(context));
  return data.source.text() + ":" + data.path;
}

std::vector<Json> nodes_of(Context& context, bool asks) {
  if (!asks || context.place().is_local) return {};
  const kube::BriefQuery query{api::find_kind("v1", "Node"), "", "", kube::Detail::queue, {}, true};
  return std::move(kube::list_briefly(context.client(), {&query, 1})[0].items);
}

namespace {

/// The ConfigMap without its contents, which are long.
job::Belonging belonging_of(Json object) {
  job::Belonging belonging;
  belonging.is_shared = true;
  for (const auto& [key, text] : object_at(object, {"data"}).items())
    belonging.data[key] = text.get<std::string>();
  for (const auto& [key, text] : object_at(object, {"binaryData"}).items())
    belonging.data[key] = base64_decoded(text.get<std::string>()).value_or("");
  object.erase("data");
  object.erase("binaryData");
  belonging.object = std::move(object);
  return belonging;
}

/// Adds the ConfigMaps of a job. Jobs of one namespace share them.
void add_programs(std::vector<Json> objects, const Json& job, job::SubmitPlan& plan) {
  for (Json& object : objects) {
    object["metadata"]["namespace"] = api::namespace_of(job);
    object["metadata"]["labels"] = {{std::string(api::kManagedBy), "kml"},
                                    {std::string(api::kSubmitId), plan.submit_id}};
    job::Belonging belonging = belonging_of(std::move(object));
    const bool is_known = std::ranges::any_of(
        plan.belongings, [&](const job::Belonging& other) { return other.object == belonging.object; });
    if (!is_known) plan.belongings.push_back(std::move(belonging));
  }
}

}  // namespace

void add_data(Context& context, bool asks_nodes, job::SubmitPlan& plan, const std::string& owner) {
  const std::string claim = pipeline::claim_of_data_store(plan.data.store);
  if (plan.data.sources.empty()) {
    if (!claim.empty() && plan.data.is_store_given) throw usage_error("--data-store needs --data");
    return;
  }
  const std::vector<PodData> all = data_of_plan(context, plan);
  add_data_programs(context, asks_nodes, plan, [&](const pipeline::PodPrograms& programs, Json& job) {
    return pipeline::add_data(all, claim, programs, job, owner);
  });
}

void data_to_run_again(Context& context, bool asks_nodes, job::SubmitPlan& plan) {
  const bool has_data = std::ranges::any_of(
      plan.objects, [](const Json& object) { return !api::annotation_of(object, job::kData).empty(); });
  if (has_data) add_data_programs(context, asks_nodes, plan, pipeline::renew_data_programs);
}

void add_data_programs(Context& context, bool asks_nodes, job::SubmitPlan& plan,
                       const std::function<std::vector<Json>(const pipeline::PodPrograms&, Json& job)>& add) {
  const std::vector<Json> nodes = nodes_of(context, asks_nodes);
  for (Json& object : plan.objects) {
    if (!job::is_job(object)) continue;
    const auto& programs = pipeline::choose_programs(pipeline::pod_programs(), nodes, object);
    add_programs(add(programs, object), object, plan);
  }
}

}  // namespace kml::cli
