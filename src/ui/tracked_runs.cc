#include "kml/ui/tracked_runs.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "kml/api/object.h"
#include "kml/core/sha256.h"
#include "kml/core/text.h"
#include "kml/ui/csv.h"
#include "kml/ui/job_tables.h"
#include "kml/ui/sweep_table.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using jobs::TrackedRun;

std::string parameter_text(const Json& value) {
  return value.is_number() ? number_text(value) : value.is_string() ? value.get<std::string>() : value.dump();
}

/// "loss=0.31 acc=0.9"
template <typename Values, typename Text>
std::string pairs(const Values& values, const Text& text) {
  std::vector<std::string> words;
  for (const auto& [name, value] : values) words.push_back(name + "=" + text(value));
  return join(words, " ");
}

std::string run_time(const TrackedRun& run) {
  return run.finished ? short_duration(*run.finished - run.time) : "";
}

std::string fact_text(const std::string& name, const std::string& value) {
  constexpr size_t kDigits = 8;
  if (name == "changes")
    return sha256_hex(value).substr(0, kDigits) + " (" +
           std::to_string(std::count(value.begin(), value.end(), '\n')) + " lines)";
  return name == "commit" ? value.substr(0, kDigits) : value;
}

struct Property {
  std::string name;
  std::vector<std::string> values;  ///< of each run; empty if it has none

  bool differs() const { return std::set<std::string>(values.begin(), values.end()).size() > 1; }
};

class Properties {
 public:
  explicit Properties(const std::vector<TrackedRun>& runs) : runs_(runs) {}

  template <typename Text>
  void add(const std::string& name, const Text& text) {
    Property property{name, {}};
    for (const TrackedRun& run : runs_) property.values.push_back(text(run));
    const auto is_empty = [](const std::string& value) { return value.empty(); };
    if (!std::all_of(property.values.begin(), property.values.end(), is_empty))
      found.push_back(std::move(property));
  }

  /// A property for each key that any run has in that map.
  template <typename Map, typename Text>
  void add_each(Map TrackedRun::*map, const std::string& prefix, const Text& text) {
    std::set<std::string> keys;
    for (const TrackedRun& run : runs_)
      for (const auto& [key, value] : run.*map) keys.insert(key);
    for (const std::string& key : keys)
      add(prefix + key, [&](const TrackedRun& run) {
        const auto at = (run.*map).find(key);
        return at == (run.*map).end() ? std::string() : text(key, at->second);
      });
  }

  std::vector<Property> found;

 private:
  const std::vector<TrackedRun>& runs_;
};

std::vector<Property> properties_of(const std::vector<TrackedRun>& runs) {
  Properties all(runs);
  all.add("state",
          [](const TrackedRun& run) { return run.state + (run.cause.empty() ? "" : ": " + run.cause); });
  all.add_each(&TrackedRun::metrics, "",
               [](const std::string&, const jobs::Metric& metric) { return number_text(metric.last); });
  all.add_each(&TrackedRun::parameters, "",
               [](const std::string&, const Json& value) { return parameter_text(value); });
  all.add_each(&TrackedRun::facts, "", fact_text);
  all.add("run time", run_time);
  all.add("target", [](const TrackedRun& run) { return run.target; });
  all.add("user", [](const TrackedRun& run) { return run.user; });
  all.add_each(&TrackedRun::tags, "tags.",
               [](const std::string&, const std::string& value) { return value; });
  all.add("note", [](const TrackedRun& run) { return run.note; });
  return std::move(all.found);
}

}  // namespace

std::string short_id(const TrackedRun& run) {
  constexpr size_t kDigits = 8;
  return run.id.find('/') == std::string::npos ? run.id.substr(0, kDigits) : run.id;
}

std::string code_in_brief(const TrackedRun& run) {
  std::vector<std::string> parts;
  for (const char* name : {"commit", "changes"})
    if (const auto fact = run.facts.find(name); fact != run.facts.end())
      parts.push_back(fact_text(name, fact->second));
  return join(parts, " + ");
}

void print_tracked_runs(const Streams& streams, const std::vector<TrackedRun>& runs, Time now) {
  Table table({"RUN", "NAME", "STATE", "AGE", "METRICS", "PARAMETERS", "TAGS"});
  table.may_drop({"TAGS", "NAME"});
  for (const TrackedRun& run : runs) {
    const auto last = [](const jobs::Metric& metric) { return number_text(metric.last); };
    table.add({{short_id(run)},
               {run.name},
               {run.state, run.state == "Failed" ? Style::red : Style::plain},
               {age(run.time, now)},
               {or_dash(pairs(run.metrics, last))},
               {or_dash(pairs(run.parameters, parameter_text))},
               {pairs(run.tags, [](const std::string& value) { return value; })}});
  }
  table.print(streams);
}

bool print_comparison(const Streams& streams, const std::vector<TrackedRun>& runs, bool all) {
  constexpr size_t kWidest = 40;
  std::vector<std::string> header = {""};
  for (const TrackedRun& run : runs) header.push_back(run.name + " " + short_id(run));
  Table table(header);
  std::vector<Property> properties = properties_of(runs);
  std::stable_partition(properties.begin(), properties.end(),
                        [](const Property& one) { return one.differs(); });
  for (const Property& property : properties) {
    const bool differs = property.differs();
    if (!differs && !all) continue;
    std::vector<Cell> row = {{property.name, differs ? Style::bold : Style::dim}};
    for (const std::string& value : property.values)
      row.push_back({or_dash(cut_to(in_a_line(value), kWidest)), differs ? Style::plain : Style::dim});
    table.add(std::move(row));
  }
  table.print(streams);
  return !properties.empty() && properties.front().differs();
}

void print_runs_csv(const Streams& streams, const std::vector<TrackedRun>& runs) {
  Properties columns(runs);
  columns.add_each(&TrackedRun::parameters, "parameters.",
                   [](const std::string&, const Json& value) { return csv_field(value); });
  columns.add_each(&TrackedRun::metrics, "metrics.",
                   [](const std::string&, const jobs::Metric& metric) { return csv_field(metric.last); });
  columns.add_each(&TrackedRun::tags, "tags.",
                   [](const std::string&, const std::string& value) { return csv_field(value); });
  std::vector<std::string> header = {"run", "kind", "name", "target", "user", "time", "finished", "state"};
  for (const Property& column : columns.found) header.push_back(csv_field(column.name));
  streams.out << join(header, ",") << "\n";
  for (size_t i = 0; i < runs.size(); ++i) {
    const TrackedRun& run = runs[i];
    std::vector<std::string> fields;
    for (const std::string& text : {run.id, run.kind, run.name, run.target, run.user, rfc3339(run.time),
                                    run.finished ? rfc3339(*run.finished) : "", run.state})
      fields.push_back(csv_field(text));
    for (const Property& column : columns.found) fields.push_back(column.values[i]);
    streams.out << join(fields, ",") << "\n";
  }
}

Json to_json(const TrackedRun& run) {
  Json metrics = Json::object();
  for (const auto& [name, metric] : run.metrics)
    metrics[name] = {
        {"last", metric.last}, {"min", metric.min}, {"max", metric.max}, {"count", metric.count}};
  Json object = {{"run", run.id},        {"kind", run.kind},   {"name", run.name},
                 {"target", run.target}, {"user", run.user},   {"time", rfc3339(run.time)},
                 {"state", run.state},   {"metrics", metrics}, {"parameters", run.parameters},
                 {"tags", run.tags}};
  set_said(object, {{"finished", api::time_text(run.finished)},
                    {"cause", run.cause},
                    {"note", run.note},
                    {"facts", run.facts}});
  return object;
}

}  // namespace kml::ui
