#include "kml/job/submit/plan_file.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "job/submit/idempotency.h"
#include "job/submit/largest_use.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json_fields.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/job/records/records.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr std::string_view kForm = "plan/v1";

/// The kinds without pods that manifests often contain, each with its API group: other groups have kinds with
/// the same names, such as the Service of Knative, which has pods.
constexpr std::array<std::string_view, 12> kWithoutPods = {"/ConfigMap",
                                                           "/Namespace",
                                                           "networking.k8s.io/NetworkPolicy",
                                                           "/PersistentVolume",
                                                           "/PersistentVolumeClaim",
                                                           "policy/PodDisruptionBudget",
                                                           "rbac.authorization.k8s.io/Role",
                                                           "rbac.authorization.k8s.io/RoleBinding",
                                                           "/Secret",
                                                           "/Service",
                                                           "/ServiceAccount",
                                                           "scheduling.k8s.io/PriorityClass"};

bool is_without_pods(const Json& object) {
  const std::string version = api::api_version_of(object);
  const size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
  return std::find(kWithoutPods.begin(), kWithoutPods.end(), group + "/" + api::kind_name(object)) !=
         kWithoutPods.end();
}

constexpr auto kFields = std::make_tuple(
    JsonField{"id", &PlanFile::id}, JsonField{"made", &PlanFile::made},
    JsonField{"command", &PlanFile::command}, JsonField{"otherHolders", &PlanFile::other_holders},
    JsonField{"user", &PlanFile::user}, JsonField{"context", &PlanFile::context},
    JsonField{"namespace", &PlanFile::namespace_name}, JsonField{"server", &PlanFile::server},
    JsonField{"submit", &PlanFile::submit}, JsonField{"outlook", &PlanFile::outlooks},
    JsonField{"notChecked", &PlanFile::unknown}, JsonField{"notes", &PlanFile::notes});

Json to_json(const PlannedJob& job) {
  Json json = {{"kind", job.kind},
               {"name", job.name},
               {"pods", job.is_size_unknown ? Json() : Json(job.pods)},
               {"gpus", job.is_size_unknown ? Json() : Json(job.gpus)},
               {"gpuHours", or_null(job.gpu_hours)},
               {"spansQueues", job.spans_queues}};
  if (job.no_limit) json["noLimit"] = {{"why", job.no_limit->why}, {"fix", job.no_limit->fix}};
  return json;
}

std::vector<PlannedJob> jobs_in(const Json& plan) {
  std::vector<PlannedJob> jobs;
  for (const Json& job : array_at(plan, {"jobs"})) {
    jobs.push_back({string_at(job, {"kind"}), string_at(job, {"name"}),
                    static_cast<int>(int_at(job, {"pods"})), int_at(job, {"gpus"})});
    jobs.back().spans_queues = bool_at(job, {"spansQueues"});
    const Json* pods = find(job, {"pods"});
    jobs.back().is_size_unknown = pods && pods->is_null();
    if (const Json* none = find(job, {"noLimit"}); none && none->is_object())
      jobs.back().no_limit = NoLimit{string_at(*none, {"why"}), string_at(*none, {"fix"})};
    if (const Json* hours = find(job, {"gpuHours"}); hours && hours->is_number())
      jobs.back().gpu_hours = hours->get<double>();
  }
  return jobs;
}

void erase_from(Json& object, const char* part, std::string_view key) {
  Json& metadata = object["metadata"];
  if (const auto found = metadata.find(part); found != metadata.end() && found->is_object()) {
    found->erase(std::string(key));
    if (found->empty()) metadata.erase(part);
  }
}

}  // namespace

std::string server_of_plan(const std::string& url, bool is_local) {
  return is_local ? "local" : url;
}

Json reviewed(const Json& object) {
  Json shown = without_secrets(object);
  erase_from(shown, "labels", api::kSubmitId);
  erase_from(shown, "labels", api::kUser);
  erase_from(shown, "annotations", api::kSubmitted);
  return shown;
}

std::vector<Json> reviewed_objects(const SubmitPlan& plan) {
  std::vector<Json> objects;
  for (const Json& object : all_objects(plan)) objects.push_back(reviewed(object));
  return objects;
}

std::string plan_id(const std::string& server, const std::string& namespace_name,
                    const std::vector<Json>& objects) {
  constexpr size_t kDigits = 32;  // 32 of the 64 digits, because a label's value has at most 63 characters
  const Json sent = {{"server", server}, {"namespace", namespace_name}, {"objects", objects}};
  return sha256_hex(compact_text(sent)).substr(0, kDigits);
}

std::string plan_id(const PlanFile& plan) {
  Json sent = {{"command", plan.command}, {"otherHolders", plan.other_holders}, {"jobs", Json::array()}};
  for (const PlannedJob& job : plan.jobs) sent["jobs"].push_back(to_json(job));
  std::vector<Json> all = plan.objects;
  all.push_back(std::move(sent));
  return plan_id(plan.server, plan.namespace_name, all);
}

std::vector<PlannedJob> planned_jobs(const std::vector<Json>& objects) {
  std::vector<PlannedJob> jobs;
  for (const Json& object : objects)
    if (is_job(object)) jobs.push_back(largest_use(object));
  return jobs;
}

std::vector<std::string> other_holders(const std::vector<Json>& objects) {
  std::vector<std::string> holders;
  for (const Json& object : objects) {
    if (is_job(object)) {
      if (const std::string why = why_uncountable(object); !why.empty())
        holders.push_back(described(object) + ", " + why);
    } else if (!is_without_pods(object)) {
      holders.push_back(described(object));
    }
  }
  return holders;
}

std::optional<double> gpu_hours_of(const PlanFile& plan) {
  if (!plan.other_holders.empty()) return {};
  double hours = 0;
  for (const PlannedJob& job : plan.jobs) {
    if (!job.gpu_hours) return {};
    hours += *job.gpu_hours;
  }
  return hours;
}

namespace {

/// A hash of the whole file, because the id does not cover what is only shown, such as the command line.
std::string checksum_of(Json file) {
  file.erase("checksum");
  return sha256_hex(compact_text(file));
}

}  // namespace

bool has_only_jobs(const PlanFile& plan) {
  return plan.command == "submit" || plan.command == "rerun";
}

Json to_json(const PlanFile& plan) {
  Json json = fields_to_json(plan, kFields);
  json["kml"] = kForm;
  json["request"] = plan.request;
  json["objects"] = plan.objects;
  json["gpuHours"] = or_null(gpu_hours_of(plan));
  json["jobs"] = Json::array();
  for (const PlannedJob& job : plan.jobs) json["jobs"].push_back(to_json(job));
  json["checksum"] = checksum_of(json);
  return json;
}

PlanFile read_plan_file(const std::filesystem::path& file) {
  const auto not_a_plan = [&](const std::string& why) {
    return usage_error(file.string() + " is not a plan", why,
                       "`kml submit --plan FILE …` writes one; for manifests: kml submit -f " +
                           shell_quoted(std::vector{file.string()}));
  };
  Json json;
  try {
    json = parse_json(read_file(file), file.string());
  } catch (const Error& error) {
    if (!std::filesystem::exists(file)) throw;
    throw not_a_plan(error.message);
  }
  if (string_at(json, {"kml"}) != kForm)
    throw not_a_plan("it has no \"kml\": \"" + std::string(kForm) + "\"");
  PlanFile plan;
  read_fields(json, plan, kFields);
  plan.request = json.value("request", Json());
  for (const Json& object : array_at(json, {"objects"})) plan.objects.push_back(object);
  if (plan.id.empty() || !plan.request.is_object() || plan.objects.empty())
    throw not_a_plan("it has no id, request or objects");
  if (has_only_jobs(plan)) {
    plan.jobs = planned_jobs(plan.objects);
    plan.other_holders = other_holders(plan.objects);
  } else {
    plan.jobs = jobs_in(json);
  }
  const Json summary = to_json(plan);
  for (const char* part : {"jobs", "otherHolders", "gpuHours"})
    if (json.value(part, Json()) != summary.value(part, Json()))
      throw usage_error(file.string() + " was changed after it was written",
                        "its \"" + std::string(part) + "\" does not match its objects", "make a new plan");
  if (string_at(json, {"checksum"}) != checksum_of(json))
    throw usage_error(file.string() + " was changed after it was written",
                      "its checksum does not match its content", "make a new plan");
  return plan;
}

std::string changed_since(const std::vector<Json>& planned, const std::vector<Json>& now) {
  if (planned.size() != now.size())
    return "it has " + std::to_string(now.size()) + " objects now, but had " + std::to_string(planned.size());
  for (size_t i = 0; i < now.size(); ++i) {
    if (planned[i] == now[i]) continue;
    const std::string what = described(now[i]) + ": ";
    if (const std::string changed = first_difference(now[i], planned[i]); !changed.empty())
      return what + changed;
    if (const std::string gone = first_difference(planned[i], now[i]); !gone.empty())
      return what + "parts of the plan are missing now: " + gone;
    return what + "its metadata has changed";
  }
  return {};
}

}  // namespace kml::job
