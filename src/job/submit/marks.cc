#include "kml/job/submit/marks.h"

#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "job/submit/idempotency.h"
#include "job/submit/local_interpreter.h"
#include "kml/base/clock.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/views/data_mark.h"
#include "kml/job/views/dev_session.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

/// Variables with which programs find files on this machine. Excludes every variable that may contain a
/// secret.
constexpr const char* kSurroundings[] = {"PATH",       "VIRTUAL_ENV",     "CONDA_PREFIX", "CONDA_DEFAULT_ENV",
                                         "PYTHONPATH", "LD_LIBRARY_PATH", "HOME",         "USER",
                                         "LOGNAME",    "SHELL",           "LANG",         "LC_ALL",
                                         "TZ",         "TMPDIR"};

void set_name(Json& object, const Marks& marks, size_t number) {
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  if (!api::name_of(object).empty()) return;
  const std::string base = api::generate_name_of(object);
  metadata.erase("generateName");
  if (base.empty() && !is_job(object))
    throw usage_error("a " + api::kind_name(object) + " has no name", "kml generates names only for jobs",
                      "set metadata.name");
  metadata["name"] = marks.draw_name(base.empty() ? marks.name_base : base, number);
}

/// The mapping at `key`. Creates it if it is missing. Null if the value is not a mapping.
Json* mapping_in(Json& owner, const char* key) {
  if (!owner.is_object()) return nullptr;
  Json& value = owner[key];
  if (value.is_null()) value = Json::object();
  return value.is_object() ? &value : nullptr;
}

std::vector<std::string> command_of_pod(const Json& pod) {
  std::vector<std::string> words;
  const Json& containers = api::containers_of(pod);
  if (containers.empty()) return words;
  for (const char* part : {"command", "args"})
    for (const Json& word : array_at(containers[0], {part}))
      if (word.is_string()) words.push_back(word);
  return words;
}

/// Notes the interpreter and the GPU driver with which the pods of this submit will run. A rerun may get
/// other versions than the run that it repeats.
class MachineMarks {
 public:
  explicit MachineMarks(std::string folder) : folder_(std::move(folder)) {}

  void add(const Json& pod, Json& annotations) {
    const std::vector<std::string> command = command_of_pod(pod);
    if (command != command_) interpreter_ = interpreter_of_command(command, folder_, environment("PATH"));
    command_ = command;
    set(annotations, kInterpreter, interpreter_.path);
    set(annotations, kPythonVersion, interpreter_.python_version);
    set(annotations, kDriverVersion, driver_);
  }

 private:
  static void set(Json& annotations, std::string_view mark, const std::string& value) {
    if (value.empty())
      annotations.erase(std::string(mark));
    else
      annotations[std::string(mark)] = value;
  }

  const std::string folder_, driver_ = local_driver_version();
  std::vector<std::string> command_;  ///< for which `interpreter_` was found
  LocalInterpreter interpreter_;
};

}  // namespace

std::string Marks::draw_name(const std::string& base, size_t number) const {
  return name_with_suffix(base, key.empty() ? random_suffix() : suffix_of_key(key, number));
}

std::string user_name() {
  for (const char* variable : {"USER", "LOGNAME"})
    if (std::string name = environment(variable); !name.empty()) return name;
  const passwd* entry = ::getpwuid(::getuid());
  return entry ? entry->pw_name : std::to_string(::getuid());
}

Marks new_marks(std::string_view user, std::string name_base, const std::vector<std::string>& command) {
  return {random_hex(8),
          api::to_dns_label(user),
          std::move(name_base),
          shell_quoted(without_idle_guard(command)),
          {}};
}

std::vector<Json> marked(std::vector<Json> objects, const Marks& marks) {
  const std::string now = rfc3339_micro(system_clock().now());
  for (size_t i = 0; i < objects.size(); ++i) {
    Json& object = objects[i];
    set_name(object, marks, i);
    const std::string hash = marks.key.empty() ? "" : manifest_hash(object, marks.submit_id);
    Json& labels = object["metadata"]["labels"];
    if (!labels.is_object()) labels = Json::object();
    labels.update({{api::kManagedBy, "kml"}, {api::kSubmitId, marks.submit_id}, {api::kUser, marks.user}});
    if (marks.key.empty()) {
      labels.erase(std::string(kIdempotencyKey));  // the key of an earlier submit does not apply to this job
    } else {
      labels[std::string(kIdempotencyKey)] = marks.key;
      api::set_annotation(object, kManifestHash, hash);
    }
    if (!is_job(object)) continue;
    api::set_annotation(object, api::kSubmitted, now);
    if (!marks.command.empty()) api::set_annotation(object, api::kCommand, marks.command);
  }
  return objects;
}

void add_local_surroundings(std::vector<Json>& objects, const std::string& working_folder) {
  Json environment = Json::object();
  for (const char* name : kSurroundings)
    if (const char* value = std::getenv(name)) environment[name] = value;
  std::string text = compact_text(environment);
  MachineMarks machine(working_folder);
  for (Json& object : objects)
    each_pod_template(object, [&](Json& pod, int) {
      Json* metadata = mapping_in(pod, "metadata");
      Json* annotations = metadata ? mapping_in(*metadata, "annotations") : nullptr;
      Json* spec = mapping_in(pod, "spec");
      if (!annotations || !spec) return;  // the server will report the problem
      annotations->emplace(api::kWorkingFolder, working_folder);
      annotations->emplace(api::kEnvironment, text);
      machine.add(pod, *annotations);
      api::visit_containers(*spec, [](Json& container) {
        if (container.is_object() && api::image_of(container).empty()) container["image"] = "localhost/none";
      });
    });
}

void mark_gangs(std::vector<Json>& objects) {
  for (Json& object : objects)
    if (is_job(object)) api::set_annotation(object, api::kGang, "true");
}

}  // namespace kml::job
