#include "kml/jobs/submit.h"

#include <chrono>
#include <cstdlib>
#include <thread>

#include "kml/api/labels.h"
#include "kml/api/names.h"
#include "kml/core/text.h"
#include "kml/jobs/kinds.h"
#include "kml/jobs/records.h"
#include "kml/kube/watch.h"

namespace kml::jobs {

namespace {

/// What tells programs of the caller's shell where things are. Nothing that is likely to hold a secret.
constexpr const char* kSurroundings[] = {"PATH",       "VIRTUAL_ENV",     "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
                                         "PYTHONPATH", "LD_LIBRARY_PATH", "HOME",         "USER",
                                         "LOGNAME",    "SHELL",           "LANG",         "LC_ALL",
                                         "TZ",         "TMPDIR"};

void set_name(Json& object, const Marks& marks) {
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  if (!string_at(metadata, {"name"}).empty()) return;
  std::string base = string_at(metadata, {"generateName"});
  metadata.erase("generateName");
  if (base.empty() && !is_job(object))
    throw usage_error("a " + string_at(object, {"kind"}) + " has no name", "only a job's name can be drawn",
                      "set metadata.name");
  metadata["name"] = drawn_name(base.empty() ? marks.name_base : base);
}

/// The mapping at `key`, made where there is none; null where something else stands there.
Json* mapping_in(Json& owner, const char* key) {
  if (!owner.is_object()) return nullptr;
  Json& value = owner[key];
  if (value.is_null()) value = Json::object();
  return value.is_object() ? &value : nullptr;
}

std::string described(const Json& object) {
  return string_at(object, {"kind"}) + " \"" + string_at(object, {"metadata", "name"}) + "\"";
}

bool is_own(const std::optional<Json>& existing, const Json& object) {
  std::string id = string_at(object, {"metadata", "labels", api::kSubmitId});
  return existing && !id.empty() && string_at(*existing, {"metadata", "labels", api::kSubmitId}) == id;
}

/// Whether the server may have created the object although no success was heard of.
bool is_ambiguous(const Error& error) {
  return error.http_status >= 500 || (error.code == ErrorCode::unreachable && error.http_status == 0);
}

}  // namespace

std::string drawn_name(std::string base) {
  constexpr size_t kLongestBase = 57;  // a DNS label's 63, less "-" and the suffix
  base.resize(std::min(base.size(), kLongestBase));
  while (base.ends_with('-')) base.pop_back();
  return base + "-" + random_suffix();
}

std::string base_of_drawn_name(const std::string& name) {
  constexpr size_t kSuffix = 5;
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  size_t dash = name.rfind('-');
  bool drawn = dash != std::string::npos && dash > 0 && name.size() - dash - 1 == kSuffix &&
               name.find_first_not_of(kAlphabet, dash + 1) == std::string::npos;
  return drawn ? name.substr(0, dash) : name;
}

Marks new_marks(std::string_view user, std::string name_base, std::vector<std::string> command) {
  return {random_hex(8), api::to_dns_label(user), std::move(name_base), shell_quoted(command)};
}

std::vector<Json> marked(std::vector<Json> objects, const Marks& marks) {
  for (Json& object : objects) {
    set_name(object, marks);
    Json& labels = object["metadata"]["labels"];
    if (!labels.is_object()) labels = Json::object();
    labels[std::string(api::kManagedBy)] = "kml";
    labels[std::string(api::kSubmitId)] = marks.submit_id;
    labels[std::string(api::kUser)] = marks.user;
    if (is_job(object) && !marks.command.empty())
      object["metadata"]["annotations"][std::string(api::kCommand)] = marks.command;
  }
  return objects;
}

void add_local_surroundings(std::vector<Json>& objects, const std::string& working_folder) {
  Json environment = Json::object();
  for (const char* name : kSurroundings)
    if (const char* value = std::getenv(name)) environment[name] = value;
  std::string text = environment.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (Json& object : objects)
    each_pod_template(object, [&](Json& pod, int) {
      Json* metadata = mapping_in(pod, "metadata");
      Json* annotations = metadata ? mapping_in(*metadata, "annotations") : nullptr;
      Json* spec = mapping_in(pod, "spec");
      if (!annotations || !spec) return;  // the server tells what is wrong
      annotations->emplace(api::kWorkingFolder, working_folder);
      annotations->emplace(api::kEnvironment, text);
      if (!spec->contains("containers")) return;
      for (Json& container : (*spec)["containers"])
        if (container.is_object() && string_at(container, {"image"}).empty())
          container["image"] = "localhost/none";
    });
}

void mark_gangs(std::vector<Json>& objects) {
  for (Json& object : objects)
    if (is_job(object)) object["metadata"]["annotations"][std::string(api::kGang)] = "true";
}

Json create_once(kube::Client& client, std::string_view namespace_name, const Json& object) {
  constexpr int kTries = 4;
  const api::ResourceKind& kind = client.kind_of(object);
  const std::string name = string_at(object, {"metadata", "name"});
  for (int attempt = 1;; ++attempt) {
    try {
      return client.create(kind, namespace_name, object);
    } catch (const Error& error) {
      bool taken = error.reason == "AlreadyExists";
      if (!taken && (!is_ambiguous(error) || attempt == kTries)) throw;
      auto existing = client.get_if_exists(kind, namespace_name, name);
      if (is_own(existing, object)) return *existing;
      if (taken) {
        Error refused(ErrorCode::failure,
                      described(object) + " exists already in namespace " + std::string(namespace_name), "",
                      "choose another --name, or --replace it");
        refused.http_status = error.http_status;
        refused.reason = error.reason;
        throw refused;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50) * (1 << attempt));
    }
  }
}

void remove_and_wait(kube::Client& client, std::string_view namespace_name, const Json& object) {
  const api::ResourceKind& kind = client.kind_of(object);
  const std::string name = string_at(object, {"metadata", "name"});
  const auto old = client.get_if_exists(kind, namespace_name, name);
  if (!old) return;
  if (is_job(*old)) RunRecords::of_user().add_deleted(*old);
  client.remove(kind, namespace_name, name, {kube::Propagation::foreground, {}, {}});

  bool there = false, synced = false;
  std::optional<Error> failure;
  kube::WatchHandler handler;
  handler.on_change = [&](kube::Change change, const Json&) { there = change != kube::Change::deleted; };
  handler.on_synced = [&] { synced = true; };
  handler.on_failure = [&](const Error& error) { failure = error; };
  auto watch = kube::watch(client, kind, std::string(namespace_name), {"", "metadata.name=" + name}, handler);
  constexpr std::chrono::minutes kLongest{5};
  auto deadline = std::chrono::steady_clock::now() + kLongest;
  while (!synced || there) {
    if (failure) throw *failure;
    if (std::chrono::steady_clock::now() > deadline)
      throw Error(ErrorCode::unreachable,
                  described(object) + " was deleted but is still there after 5 minutes",
                  "its pods may not end", "see `kml status " + name + "`");
    client.transport().wait(std::chrono::seconds(1));
  }
}

}  // namespace kml::jobs
