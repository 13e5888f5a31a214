#include "job/preflight/missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "job/capacity/kueue_api.h"
#include "job/capacity/volcano_api.h"
#include "job/preflight/missing_paths.h"
#include "job/preflight/planned_pods.h"
#include "job/submit/secret_env.h"
#include "job/why/causes.h"
#include "kml/base/text.h"
#include "kml/job/preflight/preflight.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

class References {
 public:
  void add(const char* kind, const std::string& name,
           std::string_view without_it = PodReference{}.without_it) {
    const PodReference reference{api::find_kind_by_word(kind), name, without_it};
    if (!name.empty() && std::find(found.begin(), found.end(), reference) == found.end())
      found.push_back(reference);
  }
  void add_from(const Json& owner, const char* field, const char* kind, const char* key = "name") {
    const Json& reference = object_at(owner, {field});
    if (!api::is_optional(reference)) add(kind, string_at(reference, {key}));
  }

  std::vector<PodReference> found;
};

/// The names of all secrets that the pod uses, including optional ones.
std::vector<std::string> secrets_of(const Json& pod_spec) {
  std::vector<std::string> names;
  const auto visit = [&names](const auto& self, const Json& value) -> void {
    for (const auto& [key, member] : value.items()) {
      // Volumes, environment variables, and the credentials of volume drivers have these keys.
      if (key == "secret" || key.ends_with("ecretRef") || key == "secretKeyRef")
        names.push_back(string_at(member, {"name"}, string_at(member, {"secretName"})));
      else if (key == "secretName")
        names.push_back(string_at(value, {"secretName"}));
      if (member.is_structured()) self(self, member);
    }
  };
  visit(visit, pod_spec);
  for (const Json& secret : api::pull_secrets_in(pod_spec)) names.push_back(api::entry_name(secret));
  return names;
}

}  // namespace

std::vector<PodReference> references_of(const Json& pod_spec) {
  References references;
  for (const Json& volume : api::volumes_in(pod_spec)) {
    references.add_from(volume, "persistentVolumeClaim", "pvc", "claimName");
    references.add_from(volume, "secret", "secret", "secretName");
    references.add_from(volume, "configMap", "configmap");
    for (const Json& source : array_at(volume, {"projected", "sources"})) {
      references.add_from(source, "secret", "secret");
      references.add_from(source, "configMap", "configmap");
    }
  }
  for (const char* group : {"initContainers", "containers"})
    for (const Json& container : api::containers_in(pod_spec, group)) {
      for (const Json& source : api::variable_sources_of(container)) {
        references.add_from(source, "secretRef", "secret");
        references.add_from(source, "configMapRef", "configmap");
      }
      for (const Json& variable : api::variables_of(container)) {
        references.add_from(api::value_source_of(variable), "secretKeyRef", "secret");
        references.add_from(api::value_source_of(variable), "configMapKeyRef", "configmap");
      }
    }
  for (const Json& secret : api::pull_secrets_in(pod_spec))
    references.add("secret", api::entry_name(secret), "the image could not be pulled with it");
  references.add("serviceaccount", api::service_account_in(pod_spec));
  references.add("priorityclass", api::priority_class_in(pod_spec));
  return std::move(references.found);
}

std::vector<std::string> taken_by(std::span<const Json> objects) {
  std::vector<std::string> taken;
  const auto add = [&taken](std::string text) {
    if (std::find(taken.begin(), taken.end(), text) == taken.end()) taken.push_back(std::move(text));
  };
  const auto is_made = [&](std::string_view kind, const std::string& name) {
    return std::any_of(objects.begin(), objects.end(), [&](const Json& object) {
      return api::kind_name(object) == kind && api::name_of(object) == name;
    });
  };
  for (const Json& object : objects)
    each_pod_template(object, [&](const Json& pod, int) {
      for (const std::string& name : secrets_of(api::spec_of(pod)))
        if (!name.empty() && !is_made("Secret", name)) add("the secret " + name);
      const std::string account = api::service_account_in(api::spec_of(pod));
      if (!account.empty() && !is_made("ServiceAccount", account)) add("the service account " + account);
      for (const Json& volume : api::volumes_in(api::spec_of(pod)))
        if (const std::string path = string_at(volume, {"hostPath", "path"}); !path.empty())
          add("the machine's " + path);
    });
  return taken;
}

namespace {

/// The newest API version that kml supports. Kueue before 0.15 only has v1beta1, and lists it in its API
/// group.
constexpr std::string_view kKueueVersion = "v1beta2";
constexpr std::string_view kKueueGroup = "/apis/kueue.x-k8s.io";

/// Whether the response says that this object is missing. A 404 may also mean that the kind is missing; it
/// then contains no object name.
bool is_missing(const Questions::Answer& answer, const std::string& name) {
  const Json status = Json::parse(answer.body, nullptr, false);
  return answer.status == 404 && api::reason_of(status) == "NotFound" &&
         string_at(status, {"details", "name"}) == name;
}

/// Names that the user may have meant. Leaves out objects that the cluster created for its own use or that
/// another object owns.
std::vector<std::string> names_in(const Json& list) {
  std::vector<std::string> names;
  for (const Json& item : api::items_of(list)) {
    const std::string name = api::name_of(item);
    const bool is_owned = !api::owners_of(item).empty();
    if (!is_owned && !name.starts_with("system-") && name != "kube-root-ca.crt") names.push_back(name);
  }
  return names;
}

std::string fix_for_claim(bool is_local) {
  const std::string make = "kml submit --mount new/10Gi:/data --keep -- true";
  return "create a claim: " + make +
         (is_local
              ? "; in place of --mount pvc/NAME:/PATH, mount a folder on this machine: --mount ./DIR:/PATH"
              : "");
}

}  // namespace

std::string MissingObjects::Need::text() const {
  return fmt::format("{} \"{}\"", kind.singular, name);
}

MissingObjects::MissingObjects(kube::Client& client, const std::vector<Json>& objects,
                               const std::vector<Belonging>& belongings, bool is_local)
    : client_(client), is_local_(is_local), questions_(client.transport()) {
  const auto own = [&](const Json& object) { own_.emplace(api::kind_name(object), api::name_of(object)); };
  for (const Belonging& belonging : belongings) own(belonging.object);
  for (const Json& object : objects) own(object);
  for (const Json& object : objects) {
    const std::string where = api::namespace_of(object);
    bool has_pods = is_job(object);
    each_planned_pod(object, [&](const Json& pod, int) {
      has_pods = true;
      for (const PodReference& reference : references_of(api::spec_of(pod)))
        add(*reference.kind, where, reference.name, reference.without_it);
    });
    if (is_local) continue;
    if (const std::string queue = api::label_of(object, api::kKueueQueue); !queue.empty() && has_pods)
      add_queue(where, queue);
    for (const std::string& queue : volcano_queues_of(object))
      add(kVolcanoQueue, where, queue, "the job would wait forever");
    add_runtime(object);
  }
  if (is_local) paths_ = missing_paths(objects);
}

void MissingObjects::add_runtime(const Json& object) {
  if (api::kind_name(object) != "TrainJob") return;
  constexpr std::string_view kGroup = "trainer.kubeflow.org", kVersion = "v1alpha1",
                             kNoRuntime = "the TrainJob would have no pods";
  const Json& runtime = object_at(object, {"spec", "runtimeRef"});
  const std::string name = api::entry_name(runtime);
  if (name.empty() || string_at(runtime, {"apiGroup"}, std::string(kGroup)) != kGroup) return;
  if (string_at(runtime, {"kind"}) == "TrainingRuntime")
    add({kGroup, kVersion, "TrainingRuntime", "trainingruntimes", "trainingruntime", "", true},
        api::namespace_of(object), name, kNoRuntime);
  else
    add({kGroup, kVersion, "ClusterTrainingRuntime", "clustertrainingruntimes", "clustertrainingruntime", "",
         false},
        api::namespace_of(object), name, kNoRuntime);
}

void MissingObjects::add(const api::ResourceKind& kind, const std::string& namespace_name,
                         const std::string& name, std::string_view without_it) {
  Need need{kind, namespace_name, name, without_it};
  if (own_.contains({std::string(kind.kind), name}) || !asked_.insert(kind.path(need.where(), name)).second)
    return;
  ask(needs_.emplace_back(std::move(need)), true);
}

/// The first request accepts an answer from the server's cache, which is faster but may be slightly outdated.
/// If the object is missing there, it is requested again.
void MissingObjects::ask(Need& need, bool may_be_old) {
  const std::string path = need.kind.path(need.where(), need.name) + (may_be_old ? "?resourceVersion=0" : "");
  questions_.ask_for_metadata(
      path, [this, &need, may_be_old, version = need.kind.version](const Questions::Answer& answer) {
        if (need.state != State::no_kueue && need.kind.version == version) take(need, answer, may_be_old);
      });
}

void MissingObjects::take(Need& need, const Questions::Answer& answer, bool may_be_old) {
  const bool is_gone = is_missing(answer, need.name);
  if (need.kind.kind == "PersistentVolumeClaim" && answer.status == 200)
    need.deleted = string_at(Json::parse(answer.body, nullptr, false), {"metadata", "deletionTimestamp"});
  if ((is_gone || !need.deleted.empty()) && may_be_old) return ask(need, false);
  need.status = answer.status;
  need.state = !need.deleted.empty()      ? State::leaving
               : answer.status / 100 == 2 ? State::there
               : is_gone                  ? State::missing
                                          : State::open;
}

/// Requests the queue in kml's newest version and, at the same time, asks for the group's preferred version.
/// If they differ, requests the queue again in the preferred version, because the server would warn about the
/// other one.
void MissingObjects::add_queue(const std::string& namespace_name, const std::string& name) {
  const size_t before = needs_.size();
  add({"kueue.x-k8s.io", kKueueVersion, "LocalQueue", "localqueues", "localqueue", "", true}, namespace_name,
      name, "the job would stay suspended");
  if (needs_.size() == before) return;
  Need& need = needs_.back();
  questions_.ask(std::string(kKueueGroup), [this, &need](const Questions::Answer& answer) {
    if (answer.status == 404) need.state = State::no_kueue;
    const Json group = Json::parse(answer.body, nullptr, false);
    const std::string version = preferred_version(group);
    if (answer.status != 200 || version.empty() || version == kKueueVersion) return;
    need.kind.version = versions_.emplace_back(version);
    ask(need, true);
  });
}

void MissingObjects::ask_for_others(Need& need) {
  questions_.ask_for_metadata(
      need.kind.path(need.where()) + "?limit=500",
      [&need](const Questions::Answer& answer) {
        const Json list = Json::parse(answer.body, nullptr, false);
        if (answer.status == 200) need.others = names_in(list);
        need.has_no_others = answer.status == 200 && list.is_object() && need.others.empty();
      },
      true);
}

/// Whether the namespace exists. Also true if it cannot be read.
bool MissingObjects::has_namespace(const std::string& name) {
  const auto [known, is_new] = namespaces_.try_emplace(name, true);
  if (!is_new) return known->second;
  questions_.ask_for_metadata(
      api::find_kind("v1", "Namespace")->path("", name),
      [&there = known->second, name](const Questions::Answer& answer) { there = !is_missing(answer, name); });
  questions_.wait();
  return known->second;
}

Error MissingObjects::error_of(const Need& need) const {
  if (need.state == State::no_kueue)
    return usage_error("queue \"" + need.name + "\" cannot be used",
                       "the cluster has no Kueue, so the job would stay suspended forever",
                       "leave out --queue, or remove `queue:` from kml.yaml, the variable KML_QUEUE, or the "
                       "label kueue.x-k8s.io/queue-name from the manifest");
  const std::string where = need.where();
  if (need.state == State::leaving)
    return Error(
        ErrorCode::failure,
        fmt::format("{} of namespace {} is being deleted since {}", need.text(), where, need.deleted),
        "it stays until no pod mounts it, and until then no new pod can mount it",
        fmt::format("mount another one; or end the pods that mount it, and create it again once it is "
                    "gone: kml list claims -n {}",
                    where));
  Error error(ErrorCode::failure,
              need.text() + (where.empty() ? " does not exist" : " does not exist in namespace " + where),
              std::string(need.without_it), did_you_mean(need.name, need.others));
  if (error.fix.empty() && need.kind.kind == "PriorityClass")
    error.fix = "an administrator can create it: " + command_to_make_priority_class(need.name);
  if (error.fix.empty() && need.kind.kind == "PersistentVolumeClaim") error.fix = fix_for_claim(is_local_);
  if (!need.others.empty()) error.why += "; existing ones: " + some_of(need.others, 10);
  if (need.has_no_others)
    error.why += fmt::format("; the {} has no {}", where.empty() ? "cluster" : "namespace", need.kind.plural);
  return error;
}

std::vector<Error> MissingObjects::find() {
  questions_.wait();
  std::vector<Need*> missing;
  for (Need& need : needs_) {
    if (need.state == State::no_kueue || need.state == State::leaving) missing.push_back(&need);
    if (need.state == State::missing && has_namespace(need.namespace_name)) missing.push_back(&need);
    if (need.state == State::open)
      unknown_.push_back("whether " + need.text() + " exists: " +
                         (need.status == 403 ? "you may not read it"
                          : need.status == 0 ? "the server did not respond"
                                             : fmt::format("the server returned {}", need.status)));
  }
  for (Need* need : missing)
    if (need->state == State::missing) ask_for_others(*need);
  questions_.wait();
  std::vector<Error> errors;
  for (const Need* need : missing) errors.push_back(error_of(*need));
  std::ranges::copy(paths_, std::back_inserter(errors));
  return errors;
}

}  // namespace kml::job
