#include "kml/jobs/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "jobs/trial/node_fit.h"
#include "jobs/trial/pod_references.h"
#include "kml/api/labels.h"
#include "kml/api/object_name.h"
#include "kml/jobs/kinds.h"

namespace kml::jobs {

namespace {

using api::name_of;
using api::namespace_of;

constexpr api::ResourceKind kAccessReview = {"authorization.k8s.io",
                                             "v1",
                                             "SelfSubjectAccessReview",
                                             "selfsubjectaccessreviews",
                                             "selfsubjectaccessreview",
                                             "",
                                             false};

class Tryer {
 public:
  Tryer(kube::Client& client, const std::vector<Belonging>& belongings) : client_(client) {
    for (const Belonging& belonging : belongings) own_.insert(name_of(belonging.object));
  }

  Trial run(const std::vector<Json>& objects, const std::vector<Belonging>& belongings) {
    for (const Belonging& belonging : belongings) {
      require_access("create", belonging.object);
      require_access("patch", belonging.object);
    }
    for (const Json& object : objects)
      if (require_access("create", object)) try_object(object);
    for (const Json& object : objects) each_job(object);
    return std::move(trial_);
  }

 private:
  /// A server that has no access reviews has no access rules either.
  bool may(const char* verb, const api::ResourceKind& kind, const std::string& namespace_name) {
    const auto [known, is_new] =
        access_.try_emplace(fmt::format("{} {}/{} {}", verb, kind.group, kind.plural, namespace_name), true);
    if (!is_new) return known->second;
    const Json review = {{"apiVersion", "authorization.k8s.io/v1"},
                         {"kind", "SelfSubjectAccessReview"},
                         {"spec",
                          {{"resourceAttributes",
                            {{"verb", verb},
                             {"group", kind.group},
                             {"resource", kind.plural},
                             {"namespace", namespace_name}}}}}};
    try {
      known->second = bool_at(client_.create(kAccessReview, "", review), {"status", "allowed"});
    } catch (const Error& error) {
      if (error.http_status != 404) throw;
    }
    return known->second;
  }

  bool require_access(const char* verb, const Json& object) {
    const api::ResourceKind& kind = client_.kind_of(object);
    const std::string where = namespace_of(object);
    if (may(verb, kind, where)) return true;
    if (told_.insert(fmt::format("{} {} {}", verb, kind.plural, where)).second)
      trial_.obstacles.emplace_back(
          ErrorCode::auth, fmt::format("you may not {} {} in namespace \"{}\"", verb, kind.plural, where),
          "so says the server's access review",
          "ask for the role \"edit\" there, or choose another --namespace");
    return false;
  }

  void try_object(const Json& object) {
    try {
      client_.create(client_.kind_of(object), namespace_of(object), object, true);
    } catch (const Error& error) {
      trial_.obstacles.push_back(error);
    }
  }

  void each_job(const Json& object) {
    std::vector<PodsWanted> wanted;
    std::string quota;
    each_pod_template(object, [&](const Json& pod, int count) {
      require_references(object_at(pod, {"spec"}), namespace_of(object));
      Json admitted = object_at(pod, {"spec"});
      if (string_at(object, {"kind"}) != "Pod") try_pod(object, pod, admitted, quota);
      wanted.push_back({std::move(admitted), count});
    });
    if (wanted.empty()) return;
    const std::string who =
        fmt::format("{} {}", is_job(object) ? "job" : string_at(object, {"kind"}), name_of(object));
    if (!quota.empty()) {
      trial_.outlooks.push_back(who + ": would wait for quota: " + quota);
      return;
    }
    const std::string queue = string_at(object, {"metadata", "labels", api::kKueueQueue});
    if (!queue.empty()) require_queue(namespace_of(object), queue);
    if (!look_at_nodes()) return;
    const Forecast outlook = forecast(wanted, *nodes_, pods_);
    if (outlook.verdict == Forecast::Verdict::never)
      trial_.obstacles.emplace_back(ErrorCode::failure, who + " " + outlook.text, "",
                                    "ask for less, or for nodes that are there: `kubectl get nodes`");
    else
      trial_.outlooks.push_back(who + ": " + outlook.text +
                                (queue.empty() ? "" : ", once queue " + queue + " has admitted it"));
  }

  void require_references(const Json& pod_spec, const std::string& namespace_name) {
    for (const PodReference& reference : references_of(pod_spec))
      if (!own_.contains(reference.name)) require(*reference.kind, namespace_name, reference.name);
  }

  /// In the version that the server likes best: newer Kueues have v1beta2 (0.15 was the first), older
  /// v1beta1.
  void require_queue(const std::string& namespace_name, const std::string& name) {
    const std::string path = "/apis/kueue.x-k8s.io";
    const std::string version =
        string_at(parse_json(client_.get_raw(path), path), {"preferredVersion", "version"});
    require({"kueue.x-k8s.io", version, "LocalQueue", "localqueues", "localqueue", "", true}, namespace_name,
            name);
  }

  void require(const api::ResourceKind& kind, const std::string& namespace_name, const std::string& name) {
    const std::string where = kind.namespaced ? namespace_name : "";
    const std::string what = fmt::format("{} \"{}\"", kind.singular, name);
    if (!told_.insert(what + where).second) return;
    try {
      if (!client_.get_if_exists(kind, where, name))
        trial_.obstacles.emplace_back(
            ErrorCode::failure,
            what + (where.empty() ? " does not exist" : " does not exist in namespace " + where),
            "the job's pods could not start");
    } catch (const Error& error) {
      if (error.http_status != 403) throw;
      trial_.unknown.push_back("whether " + what + " exists: you may not read it");
    }
  }

  /// As the job's controller would make it: what defaults, limit ranges, quota and policies say of it.
  void try_pod(const Json& job, const Json& pod_template, Json& spec, std::string& quota) {
    const api::ResourceKind& kind = *api::find_kind("v1", "Pod");
    if (!may("create", kind, namespace_of(job))) return;
    Json pod = {
        {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"generateName", "kml-"}}}, {"spec", spec}};
    for (const char* part : {"labels", "annotations"})
      if (const Json& given = object_at(pod_template, {"metadata", part}); !given.empty())
        pod["metadata"][part] = given;
    if (string_at(pod, {"spec", "restartPolicy"}).empty()) pod["spec"]["restartPolicy"] = "OnFailure";
    try {
      spec = client_.create(kind, namespace_of(job), pod, true).at("spec");
    } catch (const Error& error) {
      const std::string text = error.why + error.message;
      const size_t at = text.find("exceeded quota");
      if (at != std::string::npos)
        quota = text.substr(at);
      else if (trial_.obstacles.empty())  // else it is likely to tell the same again
        trial_.obstacles.push_back(error);
    }
  }

  /// Once; whether they can be seen.
  bool look_at_nodes() {
    if (nodes_) return true;
    if (cannot_look_) return false;
    try {
      nodes_ = client_.list(*api::find_kind("v1", "Node"), "").items;
      pods_ = client_
                  .list(*api::find_kind("v1", "Pod"), "",
                        {.field_selector = "status.phase!=Succeeded,status.phase!=Failed"})
                  .items;
    } catch (const Error& error) {
      if (error.http_status != 403) throw;
      cannot_look_ = true;
      nodes_.reset();
      trial_.unknown.emplace_back(
          "whether the nodes have room: you may not list nodes and pods of all namespaces");
    }
    return !cannot_look_;
  }

  kube::Client& client_;
  std::set<std::string> own_;  ///< Secrets that the submit itself would make
  std::set<std::string> told_;
  std::map<std::string, bool> access_;
  std::optional<std::vector<Json>> nodes_;
  std::vector<Json> pods_;
  bool cannot_look_ = false;
  Trial trial_;
};

}  // namespace

Trial try_submit(kube::Client& client, const std::vector<Json>& objects,
                 const std::vector<Belonging>& belongings) {
  return Tryer(client, belongings).run(objects, belongings);
}

}  // namespace kml::jobs
