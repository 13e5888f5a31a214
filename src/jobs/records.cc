#include "kml/jobs/records.h"

#include "kml/api/labels.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/jobs/kinds.h"

namespace kml::jobs {

Json to_json(const Run& run) {
  return {{"run", run.id},
          {"time", rfc3339(run.time)},
          {"user", run.user},
          {"context", run.context},
          {"namespace", run.namespace_name},
          {"server", run.server},
          {"template", run.template_name},
          {"command", run.command},
          {"folder", run.folder},
          {"code", run.code_folder},
          {"objects", run.objects},
          {"git", run.git}};
}

namespace {

Run from_json(const Json& json) {
  Run run;
  run.id = string_at(json, {"run"});
  run.time = parse_rfc3339(string_at(json, {"time"})).value_or(Time());
  run.user = string_at(json, {"user"});
  run.context = string_at(json, {"context"});
  run.namespace_name = string_at(json, {"namespace"});
  run.server = string_at(json, {"server"});
  run.template_name = string_at(json, {"template"});
  for (const Json& word : array_at(json, {"command"}))
    if (word.is_string()) run.command.push_back(word);
  run.folder = string_at(json, {"folder"});
  run.code_folder = string_at(json, {"code"});
  for (const Json& object : array_at(json, {"objects"})) run.objects.push_back(object);
  run.git = json.value("git", Json());
  return run;
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::vector<const Json*> Run::jobs() const {
  std::vector<const Json*> found;
  for (const Json& object : objects)
    if (is_job(object)) found.push_back(&object);
  return found;
}

RunRecords RunRecords::of_user() {
  return RunRecords(state_folder() / "runs.jsonl");
}

void RunRecords::add(const Run& run) const {
  make_private_folder(file_.parent_path());
  append_durably(file_, line_of(to_json(run)));
}

void RunRecords::add_outcome(const std::string& run_id, const std::string& job_key,
                             const Outcome& outcome) const {
  Json json = {{"outcomeOf", run_id}, {"job", job_key}, {"outcome", outcome.state}, {"cause", outcome.cause}};
  if (outcome.finished) json["finished"] = rfc3339(*outcome.finished);
  append_durably(file_, line_of(json));
}

void RunRecords::add_outcome(const Json& job, const JobView& view) const {
  std::string id = string_at(job, {"metadata", "labels", api::kSubmitId});
  if (!id.empty())
    add_outcome(id, job_key(job), {std::string(name_of(view.state)), view.cause, view.finished});
}

void RunRecords::add_deleted(const Json& job) const {
  JobView view = view_of_job(job);
  if (!has_ended(view.state)) {
    view.state = State::cancelled;
    view.cause = "deleted";
  }
  add_outcome(job, view);
}

std::vector<Run> RunRecords::read() const {
  constexpr size_t kLargest = size_t{1} << 30;
  std::vector<Run> runs;
  std::map<std::string, size_t> by_id;
  for (const std::string& line : split(read_file_if_exists(file_, kLargest).value_or(""), '\n')) {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) continue;
    if (std::string id = string_at(json, {"outcomeOf"}); by_id.contains(id)) {
      runs[by_id[id]].outcomes[string_at(json, {"job"})] = {string_at(json, {"outcome"}),
                                                            string_at(json, {"cause"}),
                                                            parse_rfc3339(string_at(json, {"finished"}))};
    } else if (std::string own = string_at(json, {"run"}); !own.empty()) {
      by_id[own] = runs.size();
      runs.push_back(from_json(json));
    }
  }
  return runs;
}

Json without_secrets(Json object) {
  if (string_at(object, {"kind"}) != "Secret") return object;
  for (const char* part : {"data", "stringData"}) object.erase(part);
  // `kubectl apply` keeps a whole copy there, which `kubectl get -o yaml` then writes into a file.
  if (!object_at(object, {"metadata", "annotations"}).empty())
    object["metadata"]["annotations"].erase("kubectl.kubernetes.io/last-applied-configuration");
  return object;
}

}  // namespace kml::jobs
