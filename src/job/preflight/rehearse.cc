#include "kml/job/preflight/preflight.h"
#include "kml/kube/objects/pod.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>

#include "job/preflight/missing.h"
#include "job/preflight/node_fit.h"
#include "job/preflight/planned_pods.h"
#include "job/preflight/queue_forecast.h"
#include "job/preflight/topology_fit.h"
#include "job/views/time_limit.h"
#include "job/why/causes.h"
#include "job/why/facts.h"
#include "kml/base/clock.h"
#include "kml/base/text.h"
#include "kml/job/submit/create.h"
#include "kml/job/submit/missing_kind.h"
#include "kml/job/views/find.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/access_review.h"
#include "kml/kube/objects/dependency.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

/// The part of a rejection that names a quota; empty if no quota rejects the pod.
std::string quota_refusal_in(const Error& error) {
  for (const std::string* text : {&error.why, &error.message})
    for (std::string_view words : {"exceeded quota", "failed quota"})
      if (const size_t at = text->find(words); at != std::string::npos) return text->substr(at);
  return {};
}

class Rehearser {
 public:
  Rehearser(kube::Client& client, bool is_local) : client_(client), is_local_(is_local) {}

  Rehearsal run(const std::vector<Json>& objects, const std::vector<Belonging>& belongings) {
    MissingObjects missing(client_, objects, belongings, is_local_);
    for (const Belonging& belonging : belongings) {
      require_access("create", belonging.object);
      require_access("patch", belonging.object);
    }
    for (const Json& object : objects)
      if (require_access("create", object)) try_object(object);
    for (Error& error : missing.find()) rehearsal_.obstacles.push_back(std::move(error));
    rehearsal_.unknown.insert(rehearsal_.unknown.end(), missing.unknown().begin(), missing.unknown().end());
    for (const Json& object : objects) each_job(object);
    return std::move(rehearsal_);
  }

 private:
  /// Whether the user has this right. A server without access reviews has no access rules, either.
  bool may(const char* verb, const api::ResourceKind& kind, const std::string& namespace_name) {
    const auto [known, is_new] =
        access_.try_emplace(fmt::format("{} {}/{} {}", verb, kind.group, kind.plural, namespace_name), true);
    if (!is_new) return known->second;
    const Json review = api::access_review(verb, kind.group, kind.plural, namespace_name);
    try {
      known->second = bool_at(client_.create(api::kAccessReview, "", review), {"status", "allowed"});
    } catch (const Error& error) {
      if (error.http_status != 404) throw;
    }
    return known->second;
  }

  bool require_access(const char* verb, const Json& object) {
    const api::ResourceKind& kind = client_.kind_of(object);
    const std::string where = api::namespace_of(object);
    if (may(verb, kind, where)) return true;
    if (told_.insert(fmt::format("{} {} {}", verb, kind.plural, where)).second)
      rehearsal_.obstacles.emplace_back(
          ErrorCode::auth, fmt::format("you may not {} {} in namespace \"{}\"", verb, kind.plural, where),
          "according to the server's access review",
          "ask for the role \"edit\" in that namespace, or choose another --namespace");
    return false;
  }

  void try_object(const Json& object) {
    try {
      create_as_served(client_, client_.kind_of(object), api::namespace_of(object), object, true);
    } catch (const Error& error) {
      rehearsal_.obstacles.push_back(explained_refusal(error, object));
    }
  }

  void each_job(const Json& object) {
    std::vector<PodsWanted> wanted;
    std::string quota;
    const bool is_trainjob = api::kind_name(object) == "TrainJob";
    each_planned_pod(object, [&](const Json& pod, int count) {
      Json admitted = api::spec_of(pod);
      if (api::kind_name(object) != "Pod" && !is_trainjob) try_pod(object, pod, admitted, quota);
      wanted.push_back({std::move(admitted), count});
    });
    if (wanted.empty()) return note_unseen_pods(object, "the pods, which its manifest does not show");
    if (is_trainjob) note_unseen_pods(object, "what the training runtime adds to the pods");
    const std::string who =
        fmt::format("{} {}", is_job(object) ? "job" : api::kind_name(object), api::name_of(object));
    if (!quota.empty()) {
      add_verdict(who, cause_of_refusal(facts_of_quota(object), quota));
      return;
    }
    if (is_job(object) && !has_independent_pods(object))
      if (const auto cause = gang_over_quota(facts_of_quota(object), true)) return add_verdict(who, *cause);
    const std::string label = is_local_ ? "" : api::label_of(object, api::kKueueQueue);
    const std::string queue = is_job(object) ? label : "";
    std::string after = label == queue ? "" : ", if queue " + label + " admits it";
    for (const std::string& name : volcano_queues_of(object)) after = ", if queue " + name + " has room";
    if (queue.empty() && api::is_suspended(object) && api::dependencies_of(object).empty()) {
      rehearsal_.outlooks.push_back(who + ": is suspended; `kml resume " + api::name_of(object) +
                                    "` starts it");
      return;
    }
    if (waits_for_others(object, who)) return;
    if (!queue.empty() && !forecast_admission(object, wanted, queue, who, after))
      return note_if_too_large(object, wanted, who);
    if (look_at_nodes()) forecast_on_nodes(object, wanted, who, !queue.empty(), after);
  }

  void note_unseen_pods(const Json& object, const char* pods) {
    if (is_job(object)) rehearsal_.unknown.push_back("job " + api::name_of(object) + ": " + pods);
  }

  /// A job that its queue admits later may still be too large for the nodes.
  void note_if_too_large(const Json& object, const std::vector<PodsWanted>& wanted, const std::string& who) {
    if (!look_at_nodes()) return;
    if (const auto cause = too_large_for_nodes(wanted, *nodes_, !has_independent_pods(object)))
      rehearsal_.outlooks.push_back(who +
                                    ": even then, it cannot run on the current nodes: " + cause->summary);
  }

  /// Whether the job must wait for other jobs that have not ended.
  bool waits_for_others(const Json& job, const std::string& who) {
    std::vector<std::string> open;
    for (api::Dependency& one : api::dependencies_of(job)) {
      const api::ResourceKind* kind = kind_shown_as(one.kind);
      const auto other = kind ? client_.get_if_exists(*kind, api::namespace_of(job), one.name) : std::nullopt;
      if (!api::is_met(one, other ? &*other : nullptr)) open.push_back(api::in_words(one));
    }
    if (open.empty()) return false;
    rehearsal_.outlooks.push_back(who + ": would wait for " + join(open, ", "));
    return true;
  }

  /// Whether Kueue would admit the job at once, and if not, why. Adds to `after` the checks that follow
  /// admission.
  bool forecast_admission(const Json& job, const std::vector<PodsWanted>& wanted, const std::string& queue,
                          const std::string& who, std::string& after) {
    const std::vector<std::string> levels = required_levels(job);
    NodesAndPods there;
    if (std::any_of(levels.begin(), levels.end(), [](const std::string& level) { return !level.empty(); }) &&
        look_at_nodes())
      there = {&*nodes_, &pods_};
    QueueForecast forecast;
    try {
      forecast = queue_forecast(client_, job, wanted, there);
    } catch (const Error& error) {
      if (error.http_status != 404) throw;
      return true;  // without Kueue, nothing admits the job; other checks report that Kueue is missing
    }
    std::move(forecast.unknown.begin(), forecast.unknown.end(), std::back_inserter(rehearsal_.unknown));
    if (!forecast.is_complete) after = ", if queue " + queue + " admits it";
    if (!forecast.checks.empty()) after = ", once its queue's checks pass: " + join(forecast.checks, ", ");
    if (forecast.preempts) {
      rehearsal_.outlooks.push_back(who + ": starts once Kueue has preempted other jobs for it" + after);
      return false;
    }
    if (!forecast.cause) return true;
    add_verdict(who, *forecast.cause);
    return false;
  }

  void add_verdict(const std::string& who, const Cause& cause) {
    const std::string fix = cause.remedies.empty() ? "" : in_words(cause.remedies[0]);
    if (cause.outlook == Outlook::never)
      rehearsal_.obstacles.emplace_back(ErrorCode::failure, who + " would never start", cause.summary, fix);
    else
      rehearsal_.outlooks.push_back(who + ": would wait: " + cause.summary + (fix.empty() ? "" : "; " + fix));
  }

  /// What `kml why` would know about a quota that rejects the job's pods.
  Facts facts_of_quota(const Json& job) {
    Facts facts{.job = job, .now = system_clock().now()};
    try {
      facts.quotas = client_.list(*api::find_kind("v1", "ResourceQuota"), api::namespace_of(job)).items;
    } catch (const Error& error) {
      if (error.http_status != 403) throw;
    }
    if (facts.quotas && !facts.quotas->empty() && look_at_nodes()) {
      facts.nodes = nodes_;
      facts.active_pods = pods_;
      facts.other_jobs = list_jobs(client_, api::namespace_of(job), "");  // some may wait for the quota, too
    }
    return facts;
  }

  /// A job's time limit includes the time that it waits.
  static std::string limit_in_words(const Json& job, const Forecast& outlook) {
    const std::chrono::seconds limit = time_limit_of(job);
    if (outlook.verdict != Forecast::Verdict::waits || limit.count() <= 0) return {};
    return "; its time limit of " + short_duration(limit) + " includes this wait";
  }

  void forecast_on_nodes(const Json& object, const std::vector<PodsWanted>& wanted, const std::string& who,
                         bool has_queue, const std::string& after) {
    const Forecast outlook = forecast(wanted, *nodes_, pods_, !has_independent_pods(object));
    const bool is_never = outlook.verdict == Forecast::Verdict::never;
    if (is_never && !is_local_ && (has_queue || may_get_other_nodes(client_, *nodes_)))
      rehearsal_.outlooks.push_back(who + ": would wait for new nodes; on the current nodes it " +
                                    outlook.text);
    else if (is_never)
      rehearsal_.obstacles.emplace_back(ErrorCode::failure, who + " " + outlook.text, "", outlook.fix);
    else
      rehearsal_.outlooks.push_back(who + ": " + outlook.text + after + limit_in_words(object, outlook));
  }

  /// Creates the pod as a dry run, as the job's controller would, to check defaults, limit ranges, quotas and
  /// policies.
  void try_pod(const Json& job, const Json& pod_template, Json& spec, std::string& quota) {
    const api::ResourceKind& kind = *api::find_kind("v1", "Pod");
    if (!may("create", kind, api::namespace_of(job))) return;
    Json pod = {
        {"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"generateName", "kml-"}}}, {"spec", spec}};
    for (const char* part : {"labels", "annotations"})
      if (const Json& given = object_at(pod_template, {"metadata", part}); !given.empty())
        pod["metadata"][part] = given;
    if (api::restart_policy_in(api::spec_of(pod)).empty()) pod["spec"]["restartPolicy"] = "OnFailure";
    try {
      spec = client_.create(kind, api::namespace_of(job), pod, true).at("spec");
    } catch (const Error& error) {
      if (std::string refusal = quota_refusal_in(error); !refusal.empty())
        quota = std::move(refusal);
      else if (rehearsal_.obstacles.empty())  // later errors are probably the same
        rehearsal_.obstacles.push_back(error);
    }
  }

  /// Lists the nodes unless they are already listed. Returns false if the user may not list them.
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
      rehearsal_.unknown.emplace_back(
          "whether the nodes have room: you may not list nodes and pods of all namespaces");
    }
    return !cannot_look_;
  }

  kube::Client& client_;
  const bool is_local_;
  std::set<std::string> told_;
  std::map<std::string, bool> access_;
  std::optional<std::vector<Json>> nodes_;
  std::vector<Json> pods_;
  bool cannot_look_ = false;
  Rehearsal rehearsal_;
};

}  // namespace

Rehearsal rehearse(kube::Client& client, const std::vector<Json>& objects,
                   const std::vector<Belonging>& belongings, bool is_local) {
  return Rehearser(client, is_local).run(objects, belongings);
}

}  // namespace kml::job
