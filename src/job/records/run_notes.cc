#include "job/records/record_lines.h"
#include "kml/base/json_number.h"
#include "kml/job/records/records.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

namespace {

std::map<std::string, std::string> texts_in(const Json& object) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : object.items())
    if (value.is_string()) texts[name] = value;
  return texts;
}

RunMetrics recorded_metrics(const Json& object) {
  RunMetrics metrics;
  for (const auto& [name, values] : object.items()) {
    const auto number = [&values = values](const char* key) {
      const Json* value = find(values, {key});
      return (value ? number_of_json(*value) : std::nullopt).value_or(0);
    };
    metrics[name] = {number("last"), number("min"), number("max"), int_at(values, {"count"})};
  }
  return metrics;
}

std::vector<NestedRun> nested_in(const Json& list) {
  std::vector<NestedRun> runs;
  for (const Json& run : list)
    runs.push_back({string_at(run, {"id"}), string_at(run, {"parent"}), string_at(run, {"name"}),
                    string_at(run, {"state"}), parse_rfc3339(string_at(run, {"time"})).value_or(Time()),
                    parse_rfc3339(string_at(run, {"finished"})),
                    recorded_metrics(object_at(run, {"metrics"})), texts_in(object_at(run, {"params"})),
                    texts_in(object_at(run, {"tags"}))});
  return runs;
}

/// The tags and the note that a user gave to a nested run are recorded under its own id.
void add_notes_to_nested(std::map<std::string, RunNotes>& notes) {
  for (auto& [id, own] : notes)
    for (NestedRun& nested : own.nested) {
      const auto found = notes.find(id + "/" + nested.id);
      if (found == notes.end()) continue;
      for (const auto& [tag, value] : found->second.tags) nested.tags[tag] = value;
      nested.note = found->second.note;
    }
}

}  // namespace

std::map<std::string, RunNotes> Submissions::notes() const {
  std::map<std::string, RunNotes> found;
  const auto visit = [&](const Json& line) {
    if (const std::string id = string_at(line, {"tagsOf"}); !id.empty()) {
      for (const auto& [tag, value] : object_at(line, {"tags"}).items()) {
        found[id].tags.erase(tag);
        if (value.is_string()) found[id].tags[tag] = value;
      }
    } else if (const std::string noted = string_at(line, {"noteOf"}); !noted.empty()) {
      found[noted].note = string_at(line, {"note"});
    } else if (const std::string measured = string_at(line, {"metricsOf"}); !measured.empty()) {
      RunNotes& notes = found[measured];
      notes.logged_params = texts_in(object_at(line, {"params"}));
      notes.logged_tags = texts_in(object_at(line, {"tags"}));
      notes.image_id = string_at(line, {"imageId"});
      notes.of_nodes = texts_in(object_at(line, {"ofNodes"}));
      notes.environment = packages::named_environment(line);
      notes.metrics = recorded_metrics(object_at(line, {"metrics"}));
      notes.nested = nested_in(array_at(line, {"nested"}));
    }
  };
  each_line(text(), visit, {"\"tagsOf\":", "\"noteOf\":", "\"metricsOf\":"});
  add_notes_to_nested(found);
  return found;
}

}  // namespace kml::job
