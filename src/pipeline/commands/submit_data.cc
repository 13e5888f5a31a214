#include "pipeline/commands/submit_data.h"

#include <algorithm>
#include <thread>

#include "job/commands/claim_job.h"
#include "kml/base/error.h"
#include "kml/base/text.h"
#include "kml/job/views/data_mark.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/list/brief_list.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/net/fetch/fetch.h"
#include "pipeline/runner/data_pod.h"
#include "pipeline/runner/step_program.h"

namespace kml::cli {

namespace {

using pipeline::PodData;

/// SOURCE:/path. A URL has "://", which does not begin the path.
PodData parse_data(const std::string& text) {
  const size_t colon = text.rfind(":/");
  if (colon == std::string::npos || text.compare(colon, 3, "://") == 0)
    throw usage_error("--data " + text + " has no path", "", "write SOURCE:/path");
  PodData data{fetch::parse_source(text.substr(0, colon), "--data"), text.substr(colon + 1)};
  while (data.path.ends_with('/')) data.path.pop_back();
  if (data.path.empty() || contains(data.path, "/.") || contains(data.path, ":") || contains(data.path, "//"))
    throw usage_error("--data " + text + ": \"" + text.substr(colon + 1) +
                      "\" cannot be the path of a mount");
  return data;
}

fetch::Means means_for(Context& context) {
  return {.pause = [](std::chrono::milliseconds delay) { std::this_thread::sleep_for(delay); },
          .note = [&context](const std::string& text) { context.note(text); }};
}

std::vector<PodData> pinned_data(Context& context, const DataFlags& flags, job::SubmitPlan& plan) {
  std::vector<PodData> all;
  for (const std::string& text : flags.sources) {
    PodData data = parse_data(text);
    for (const PodData& other : all)
      if (other.path == data.path) throw usage_error("--data: " + data.path + " is the path of two sources");
    all.push_back(std::move(data));
  }
  for (PodData& data : all) {
    const std::string typed = data.source.version;
    data.source = fetch::pinned(std::move(data.source), means_for(context));
    if (data.source.kind == fetch::Source::Kind::hub && typed != data.source.version)
      plan.notes.push_back("data: revision " + typed + " of " + data.source.place + " is " +
                           data.source.version);
  }
  return all;
}

std::vector<Json> nodes_of(Context& context, bool asks) {
  if (!asks || context.place().is_local) return {};
  const kube::BriefQuery query{api::find_kind("v1", "Node"), "", "", kube::Detail::queue, {}, true};
  return std::move(kube::list_briefly(context.client(), {&query, 1})[0].items);
}

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

std::string claim_of_store(const std::string& store) {
  if (store.empty()) return {};
  auto [claim, folder] = claim_and_folder(store, "--data-store");
  if (!folder.empty())
    throw usage_error("--data-store " + store + " has a folder", "", "--data-store pvc/" + claim);
  return claim;
}

void add_data_flags(Command& command, DataFlags& flags) {
  command.options_under("Data and secrets");
  command
      .option("--data", "SOURCE:PATH", flags.sources,
              "fetch data first: https://…#sha256=SUM, hf://…, s3://…, gs://…; see below")
      .after("--mount")
      .details(
          "Fetch data before the command starts, and mount it read-only at the folder PATH. SOURCE is a file "
          "(https://HOST/FILE#sha256=SUM), a dataset or a model of Hugging Face "
          "(hf://datasets/ORG/NAME@REVISION, hf://ORG/NAME@REVISION; with /FOLDER, only a part), or the "
          "objects of a bucket (s3://BUCKET/PREFIX, gs://BUCKET/PREFIX). See \"Data\" below. May be "
          "repeated.");
  command
      .option("--data-store", "pvc/NAME", flags.store, "fetch the data of --data only once, onto this claim")
      .after("--data")
      .details(
          "Keep the data of --data on this volume claim. The first pod fetches the data; the others and "
          "later "
          "jobs use it. Without a claim, each pod fetches the data.");
}

void add_data(Context& context, const DataFlags& flags, bool asks_nodes, job::SubmitPlan& plan) {
  const std::string claim = claim_of_store(flags.store);
  if (flags.sources.empty()) throw usage_error("--data-store needs --data");
  const std::vector<PodData> all = pinned_data(context, flags, plan);
  add_data_programs(context, asks_nodes, plan, [&](const pipeline::PodPrograms& programs, Json& job) {
    return pipeline::add_data(all, claim, programs, job);
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
