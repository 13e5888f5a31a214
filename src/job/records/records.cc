#include "kml/job/records/records.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <set>

#include "job/records/record_lines.h"
#include "kml/base/file_error.h"
#include "kml/base/files.h"
#include "kml/base/json_fields.h"
#include "kml/base/json_number.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/ownership.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

constexpr std::tuple kRunFields = {JsonField{"run", &Submission::id},
                                   JsonField{"time", &Submission::time},
                                   JsonField{"user", &Submission::user},
                                   JsonField{"context", &Submission::context},
                                   JsonField{"namespace", &Submission::namespace_name},
                                   JsonField{"server", &Submission::server},
                                   JsonField{"template", &Submission::template_name},
                                   JsonField{"command", &Submission::command},
                                   JsonField{"folder", &Submission::folder},
                                   JsonField{"code", &Submission::code_folder}};

Submission from_json(Json& json) {
  Submission submission;
  read_fields(json, submission, kRunFields);
  if (const auto objects = json.find("objects"); objects != json.end() && objects->is_array())
    submission.objects = std::move(objects->get_ref<Json::array_t&>());
  submission.git = json.value("git", Json());
  submission.packages = json.value("packages", Json());
  submission.is_open = json.value("intent", Json()) == true;
  return submission;
}

std::string line_of(const Json& json) {
  return compact_text(json) + "\n";
}

/// Like append_durably(), but without waiting for the disk, which may take longer than the server's response.
void append(const std::filesystem::path& file, const std::string& line) {
  const Fd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!fd) throw file_error("write", file, errno);
  lock_exclusively(fd, file);
  const off_t before = ::lseek(fd.get(), 0, SEEK_END);
  const std::string text = after_torn_line(fd.get(), line);
  const ssize_t written = ::write(fd.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  const int code = written < 0 ? errno : ENOSPC;
  [[maybe_unused]] const int ignored = ::ftruncate(fd.get(), before);
  throw system_error("cannot write " + file.string(), code,
                     code == ENOSPC ? "free up space there: kml records jobs before it submits them" : "");
}

}  // namespace

Json to_json(const Submission& submission) {
  Json json = fields_to_json(submission, kRunFields);
  json.update({{"objects", submission.objects}, {"git", submission.git}});
  if (!submission.packages.is_null()) json["packages"] = submission.packages;
  return json;
}

std::vector<const Json*> Submission::jobs() const {
  std::vector<const Json*> found;
  for (const Json& object : objects)
    if (is_job(object)) found.push_back(&object);
  return found;
}

void Submission::keep_made(const std::vector<std::string>& made) {
  is_open = false;
  const std::set<std::string> kept(made.begin(), made.end());
  std::erase_if(objects, [&](const Json& object) { return !kept.contains(job_key(object)); });
}

namespace {

/// Objects other than jobs have no end, except that one that kml deleted, such as a schedule, has an outcome.
SubmissionOutcome outcome_of_objects(const Submission& submission) {
  for (const Json& object : submission.objects)
    if (const auto found = submission.outcomes.find(job_key(object)); found != submission.outcomes.end())
      return {std::string(name_of(found->second.state)), found->second.cause, found->second.finished};
  return {"Created"};
}

}  // namespace

SubmissionOutcome outcome_of(const Submission& submission) {
  if (submission.is_open) return {"Unknown", "kml was killed while it submitted the job"};
  if (submission.jobs().empty()) return outcome_of_objects(submission);
  SubmissionOutcome whole;
  for (const Json* job : submission.jobs()) {
    const auto found = submission.outcomes.find(job_key(*job));
    if (found == submission.outcomes.end()) return {"Unknown"};
    const Outcome& outcome = found->second;
    whole = {std::string(name_of(outcome.state)), outcome.cause, outcome.finished};
    if (outcome.state != State::succeeded) return whole;
  }
  return whole;
}

Submissions Submissions::of_user() {
  return Submissions(state_folder() / "runs.jsonl");
}

void Submissions::add_intent(const Submission& submission) const {
  make_private_folder(file_.parent_path());
  Json json = to_json(submission);
  json["intent"] = true;
  append(file_, line_of(json));
}

void Submissions::add_sent(const std::string& run_id, const std::vector<std::string>& made) const {
  append(file_, line_of({{"sentOf", run_id}, {"made", made}}));
}

void Submissions::add_git(const std::string& run_id, const Json& git) const {
  append(file_, line_of({{"gitOf", run_id}, {"git", git}}));
}

void Submissions::add_outcome(const std::string& run_id, const std::string& job_key,
                              const Outcome& outcome) const {
  Json json = {
      {"outcomeOf", run_id}, {"job", job_key}, {"outcome", name_of(outcome.state)}, {"cause", outcome.cause}};
  set_said(json, {{"finished", api::time_text(outcome.finished)}});
  make_private_folder(file_.parent_path());  // missing if this machine has never submitted anything
  append_durably(file_, line_of(json));
}

void Submissions::add_outcome(const Json& job, const JobView& view) const {
  std::string id = api::label_of(job, api::kSubmitId);
  if (!id.empty()) add_outcome(id, job_key(job), {view.state, view.cause, view.finished});
}

void Submissions::add_deleted(const Json& job) const {
  JobView view = view_of_job(job);
  if (!has_ended(view.state)) {
    view.state = State::cancelled;
    view.cause = "deleted";
  }
  add_outcome(job, view);
}

void Submissions::add_disruption(const Json& job, const Disruption& disruption) const {
  make_private_folder(file_.parent_path());
  append_durably(file_,
                 line_of({{"disruptionOf", disruption_key(job)}, {"disruption", to_json(disruption)}}));
}

std::string Submissions::text() const {
  return text_of_records(file_);
}

std::map<std::string, std::vector<Disruption>> Submissions::disruptions() const {
  std::map<std::string, std::vector<Disruption>> found;
  const auto visit = [&](const Json& line) {
    const std::string key = string_at(line, {"disruptionOf"});
    if (key.empty()) return;
    Disruption disruption = disruption_from_json(object_at(line, {"disruption"}));
    std::erase_if(found[key], [&](const Disruption& other) { return other.uid == disruption.uid; });
    found[key].push_back(std::move(disruption));
  };
  each_line(text(), visit, {"\"disruptionOf\":"});
  return found;
}

Json to_json(const Metric& metric) {
  return {{"last", json_of_number(metric.last)},
          {"min", json_of_number(metric.min)},
          {"max", json_of_number(metric.max)},
          {"count", metric.count}};
}

namespace {

Json json_of_metrics(const RunMetrics& metrics) {
  Json values = Json::object();
  for (const auto& [name, metric] : metrics) values[name] = to_json(metric);
  return values;
}

Json json_of_nested(const NestedRun& run) {
  Json json = {{"id", run.id}, {"name", run.name}, {"state", run.state}, {"time", rfc3339_micro(run.time)}};
  set_said(json, {{"parent", run.parent},
                  {"finished", run.finished ? Json(rfc3339_micro(*run.finished)) : Json()},
                  {"metrics", json_of_metrics(run.metrics)},
                  {"params", run.params},
                  {"tags", run.tags}});
  return json;
}

}  // namespace

void Submissions::add_logged(const std::string& run_id, const RunNotes& logged) const {
  Json nested = Json::array();
  for (const NestedRun& run : logged.nested) nested.push_back(json_of_nested(run));
  Json line = {{"metricsOf", run_id}, {"metrics", json_of_metrics(logged.metrics.value_or(RunMetrics()))}};
  set_said(line, {{"params", logged.logged_params},
                  {"tags", logged.logged_tags},
                  {"imageId", logged.image_id},
                  {"ofNodes", logged.of_nodes},
                  {"nested", std::move(nested)}});
  set_said(line, packages::to_json(logged.environment));
  append(file_, line_of(line));
}

void Submissions::add_tags(const std::string& run_id, const Json& tags) const {
  make_private_folder(file_.parent_path());
  append_durably(file_, line_of({{"tagsOf", run_id}, {"tags", tags}}));
}

void Submissions::add_note(const std::string& run_id, const std::string& note) const {
  make_private_folder(file_.parent_path());
  append_durably(file_, line_of({{"noteOf", run_id}, {"note", note}}));
}

namespace {

/// Whether `is_wanted` may accept the submit on this line. True for a line in an unknown form, because only a
/// complete parse can tell.
bool is_line_wanted(std::string_view line, const Submissions::IsWanted& is_wanted) {
  const auto outline = outline_in(line);
  return !outline || is_wanted(outline->first, outline->second);
}

/// The submits on these lines that `is_wanted` accepts; without it, all of them. Calls on_damage(line) for
/// each line that is not a record.
std::vector<Submission> submissions_in(std::string_view lines,
                                       const std::function<void(std::string_view)>& on_damage,
                                       const Submissions::IsWanted& is_wanted = {}) {
  std::vector<Submission> all;
  std::map<std::string, size_t, std::less<>> by_id;
  const auto take = [&](Json& json) {
    const auto text = [&json](const char* key) { return string_at(json, {key}); };
    if (std::string sent = text("sentOf"); by_id.contains(sent)) {
      std::vector<std::string> made;
      for (const Json& key : array_at(json, {"made"}))
        if (key.is_string()) made.push_back(key);
      all[by_id[sent]].keep_made(made);
    } else if (std::string of = text("gitOf"); by_id.contains(of)) {
      all[by_id[of]].git = json.value("git", Json());
    } else if (std::string id = text("outcomeOf"); by_id.contains(id)) {
      if (const auto state = state_of_name(text("outcome"))) {
        Outcome& known = all[by_id[id]].outcomes[text("job")];
        // Of two records about the same end, the first one has more details, because the pods still existed.
        if (known.cause.empty() || known.state != *state)
          known = {*state, text("cause"), parse_rfc3339(text("finished"))};
      }
    } else if (std::string own = text("run"); !own.empty()) {
      by_id[own] = all.size();
      all.push_back(from_json(json));
    }
  };
  const auto is_of_known = [&](std::string_view line) {
    for (const std::string_view mark : {"\"sentOf\":\"", "\"outcomeOf\":\"", "\"gitOf\":\""})
      if (const std::string_view id = own_text(line, mark); !id.empty()) return by_id.contains(id);
    return false;
  };
  each_text(lines, [&](std::string_view line) {
    if (!is_whole_line(line)) return on_damage(line);
    if (begins_as_submit(line) || has_mark(line, "\"run\":")) {
      if (is_wanted && !is_line_wanted(line, is_wanted)) return;
    } else if (!is_of_known(line)) {
      return;
    }
    Json json = Json::parse(line, nullptr, false);
    json.is_object() ? take(json) : on_damage(line);
  });
  std::erase_if(all, [](const Submission& each) { return each.objects.empty(); });
  return all;
}

}  // namespace

std::set<std::string> Submissions::without_metrics() const {
  // Searches without parsing: inside a JSON string, the quotes in these marks would be escaped.
  constexpr std::string_view kRun = ",\"run\":\"", kMetrics = "\"metricsOf\":\"";
  const std::string text = this->text();
  std::set<std::string> found;
  for (const auto mark : {kRun, kMetrics})
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      at += mark.size();
      const std::string id = text.substr(at, text.find('"', at) - at);
      if (mark == kRun) found.insert(id);
      if (mark == kMetrics) found.erase(id);
    }
  return found;
}

std::vector<std::string> Submissions::damaged_lines(std::string_view lines, size_t begin) const {
  auto number = 1 + std::count(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  std::vector<std::string> damaged;
  each_text(lines.substr(begin), [&](std::string_view line) {
    if (!is_whole_line(line) || !Json::accept(line))
      damaged.push_back(file_.string() + ":" + std::to_string(number));
    ++number;
  });
  return damaged;
}

std::vector<Submission> Submissions::read(size_t newest, std::vector<std::string>* damaged) const {
  const std::string lines = text();
  const auto on_damage = [&](std::string_view line) {
    if (!damaged) note_damaged_line(file_, lines, line);
  };
  // reads more than `newest` if needed, because some submits created nothing
  for (size_t count = newest;; count *= 2) {
    const size_t begin = count < lines.size() ? newest_begin(lines, count) : 0;
    if (damaged && count == newest) *damaged = damaged_lines(lines, begin);
    std::vector<Submission> all = submissions_in(std::string_view(lines).substr(begin), on_damage);
    if (all.size() < newest && begin > 0) continue;
    if (all.size() > newest) all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(newest));
    return all;
  }
}

std::vector<Submission> Submissions::read_if(const IsWanted& is_wanted) const {
  const std::string lines = text();
  const auto on_damage = [&](std::string_view line) { note_damaged_line(file_, lines, line); };
  return submissions_in(lines, on_damage, is_wanted);
}

std::string disruption_key(const Json& job) {
  return disruption_key(string_at(job, {"metadata", "labels", api::kSubmitId}, api::uid_of(job)),
                        job_key(job));
}

std::string disruption_key(const std::string& run_id, const std::string& job_key) {
  return run_id + " " + job_key;
}

Json without_secrets(Json object) {
  if (api::kind_name(object) != "Secret") return object;
  for (const char* part : {"data", "stringData"}) object.erase(part);
  // `kubectl apply` stores a complete copy of the object in this annotation.
  if (!api::annotations_of(object).empty())
    object["metadata"]["annotations"].erase("kubectl.kubernetes.io/last-applied-configuration");
  return object;
}

}  // namespace kml::job
