#include "tracking/tables/tracked_runs.h"

#include <algorithm>
#include <ostream>
#include <set>

#include "kml/base/json_number.h"
#include "kml/base/sha256.h"
#include "kml/base/text.h"
#include "kml/job/tables/job_tables.h"
#include "kml/kube/objects/object.h"
#include "kml/sweep/tables/sweep_table.h"
#include "kml/ui/columns.h"
#include "kml/ui/csv.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using tracking::TrackedRun;

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
  std::vector<std::string> values;  ///< the value of each run; empty if it has none

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

  /// Adds a property for each key that any run has in this map, and that `is_wanted` accepts.
  template <typename Map, typename Text>
  void add_each(
      Map TrackedRun::*map, const std::string& prefix, const Text& text,
      bool (*is_wanted)(const std::string&) = [](const std::string&) { return true; }) {
    std::set<std::string> keys;
    for (const TrackedRun& run : runs_)
      for (const auto& [key, value] : run.*map)
        if (is_wanted(key)) keys.insert(key);
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

/// Whether the fact is a part of a step's key, such as "train command" or "train file train.py".
bool is_about_code_of_step(const std::string& fact) {
  const auto ends = [&](const char* part) { return fact.ends_with(part); };
  const auto has = [&](const char* part) { return contains(fact, part); };
  return ends(" command") || ends(" code") || ends(" packages") || ends(" image digest") || has(" file ") ||
         has(" program ") || has(" packages of ");
}

/// The facts that say what ran. They often explain all other differences.
bool is_about_code(const std::string& fact) {
  constexpr std::string_view kNames[] = {
      "command",      "commit", "changes", "dirty",       "code digest", "packages", "image",
      "image digest", "data",   "python",  "interpreter", "driver",      "kernel",   "container runtime"};
  return std::find(std::begin(kNames), std::end(kNames), fact) != std::end(kNames) ||
         fact.starts_with("package ") || is_about_code_of_step(fact);
}

bool is_not_about_code(const std::string& fact) {
  return !is_about_code(fact);
}

/// Tells apart a metric and a parameter with the same name, as in --where. `first` is the first metric.
void add_prefixes(std::vector<Property>& properties, size_t first, size_t first_parameter) {
  for (size_t i = first; i < first_parameter; ++i)
    for (size_t j = first_parameter; j < properties.size(); ++j) {
      if (properties[i].name != properties[j].name) continue;
      properties[i].name = std::string(tracking::kMetricPrefix) + properties[i].name;
      properties[j].name = std::string(tracking::kParameterPrefix) + properties[j].name;
      break;
    }
}

std::vector<Property> properties_of(const std::vector<TrackedRun>& runs) {
  Properties all(runs);
  all.add_each(&TrackedRun::facts, "", fact_text, is_about_code);
  all.add("state",
          [](const TrackedRun& run) { return run.state + (run.cause.empty() ? "" : ": " + run.cause); });
  const size_t metrics = all.found.size();
  all.add_each(&TrackedRun::metrics, "",
               [](const std::string&, const job::Metric& metric) { return number_text(metric.last); });
  const size_t parameters = all.found.size();
  all.add_each(&TrackedRun::parameters, "",
               [](const std::string&, const Json& value) { return parameter_text(value); });
  add_prefixes(all.found, metrics, parameters);
  all.add_each(&TrackedRun::facts, "", fact_text, is_not_about_code);
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
  if (const auto digest = run.facts.find("code digest"); parts.empty() && digest != run.facts.end())
    parts.push_back(digest->second);
  return join(parts, " + ");
}

namespace {

constexpr size_t kLongestValue = 40, kLongestPairs = 200;

std::string cut_parameter(const Json& value) {
  return cut_to(in_a_line(parameter_text(value)), kLongestValue);
}

std::string metrics_in_brief(const TrackedRun& run) {
  return or_dash(pairs(run.metrics, [](const job::Metric& metric) { return number_text(metric.last); }));
}

std::string tags_in_brief(const TrackedRun& run) {
  return pairs(run.tags, [](const std::string& value) { return cut_to(in_a_line(value), kLongestValue); });
}

std::string cell_of(const TrackedRun& run, const std::string& column, Time now) {
  if (column == "run") return short_id(run);
  if (column == "age") return age(run.time, now);
  if (column == "target") return run.target;
  if (column == "time") return rfc3339(run.time);
  if (column == "runtime") return run_time(run);
  if (column == "metrics") return metrics_in_brief(run);
  if (column == "parameters") return or_dash(pairs(run.parameters, cut_parameter));
  if (column == "tags") return tags_in_brief(run);
  if (column == "cause") return run.cause;
  if (column == "code") return code_in_brief(run);
  if (const auto fact = run.facts.find(column); fact != run.facts.end()) return fact->second;
  const Json value = tracking::value_of(run, column);
  if (value.is_null()) return "";
  const auto parameter = run.parameters.find(std::string(tracking::without_sort(column)));
  const bool is_exact =
      !value.is_number() || (parameter != run.parameters.end() && parameter->second == value);
  return is_exact ? parameter_text(value) : number_text(value);
}

/// The name of a nested run, for the row below its parent's.
std::string row_name(const TrackedRun& run) {
  return run.kind == "nested" ? "  " + run.name.substr(run.name.find('/') + 1) : run.name;
}

/// The runs; each one is followed by the runs nested in it.
std::vector<const TrackedRun*> rows_of(const std::vector<TrackedRun>& runs) {
  std::vector<const TrackedRun*> rows;
  for (const TrackedRun& run : runs) {
    rows.push_back(&run);
    for (const TrackedRun& nested : run.nested) rows.push_back(&nested);
  }
  return rows;
}

using RunColumn = Column<const TrackedRun*>;

Style style_of_run(const std::string& state) {
  return state == "Failed" ? Style::red : Style::plain;
}

void print_chosen_columns(const Streams& streams, const std::vector<TrackedRun>& runs, Time now,
                          const std::vector<std::string>& columns) {
  std::vector<RunColumn> shown = {{"NAME", [](const TrackedRun* run) { return row_name(*run); }}};
  for (const std::string& column : columns)
    shown.emplace_back(upper(column), [&](const TrackedRun* run) -> Cell {
      return {or_dash(cut_to(in_a_line(cell_of(*run, column, now)), kLongestPairs)),
              column == "state" ? style_of_run(run->state) : Style::plain};
    });
  const Table table = table_of(shown, rows_of(runs));
  table.print(streams);
}

/// On a terminal, how many columns the metrics may use. If the parameters are not last, the same limit
/// applies to them.
size_t share_of(const Streams& streams) {
  const bool is_narrow = streams.out_is_terminal && streams.width > 0;
  return is_narrow ? std::max<size_t>(16, static_cast<size_t>(streams.width) * 3 / 10) : kLongestPairs;
}

}  // namespace

const std::vector<std::string>& column_words() {
  static const std::vector<std::string> words = {"run",     "age",        "target", "time",  "runtime",
                                                 "metrics", "parameters", "tags",   "cause", "code",
                                                 "command", "image",      "gpus",   "commit"};
  return words;
}

void print_tracked_runs(const Streams& streams, const std::vector<TrackedRun>& runs, Time now,
                        const std::vector<std::string>& columns) {
  if (!columns.empty()) return print_chosen_columns(streams, runs, now, columns);
  const bool on_terminal = streams.out_is_terminal;
  const bool has_tags = !on_terminal || std::any_of(runs.begin(), runs.end(),
                                                    [](const auto& run) { return !run.tags.empty(); });
  const size_t share = share_of(streams);
  const RunColumn run_id{"RUN", [](const TrackedRun*run) { return short_id(*run); }},
      name{"NAME", [](const TrackedRun*run) { return row_name(*run); }};
  const std::vector<RunColumn> shown = {
      on_terminal ? name : run_id,
      on_terminal ? run_id : name,
      {"STATE",
       [](const TrackedRun* run) -> Cell {
         return {run->state, style_of_run(run->state)};
       }},
      {"AGE", [now](const TrackedRun* run) { return age(run->time, now); }},
      {"METRICS", [&](const TrackedRun* run) { return cut_to(metrics_in_brief(*run), share); }},
      {"PARAMETERS",
       [&](const TrackedRun* run) {
         return cut_to(or_dash(pairs(run->parameters, cut_parameter)), has_tags ? share : kLongestPairs);
       }},
      {"TAGS", [](const TrackedRun* run) { return cut_to(tags_in_brief(*run), kLongestPairs); }, has_tags}};
  Table table = table_of(shown, rows_of(runs));
  table.drop_first({"RUN", "AGE"});
  table.print(streams);
}

namespace {

/// Where the shown part of the values begins. Values that begin alike, such as long commands, would otherwise
/// be cut before they differ.
size_t begin_of_difference(const Property& property, size_t width) {
  constexpr size_t kContext = 12;
  std::string last;
  size_t same = std::string::npos, values = 0;
  for (const std::string& value : property.values) {
    if (value.empty()) continue;
    ++values;
    const std::string line = in_a_line(value);
    const auto alike = std::ranges::mismatch(line, last).in1 - line.begin();
    same = last.empty() ? line.size() : std::min(same, static_cast<size_t>(alike));
    last = line;
  }
  if (!property.differs() || values < 2 || same + 1 < width) return 0;
  size_t begin = same - kContext;
  while (begin > 0 && (static_cast<unsigned char>(last[begin]) & 0xc0) == 0x80) --begin;  // UTF-8
  return begin;
}

std::string shown_value(const Property& property, const std::string& value, size_t width) {
  const size_t begin = value.empty() ? 0 : begin_of_difference(property, width);
  const std::string mark = begin == 0 ? "" : locale_is_utf8() ? "…" : "~";
  return or_dash(cut_to(mark + in_a_line(value).substr(begin), width));
}

}  // namespace

bool print_comparison(const Streams& streams, const std::vector<TrackedRun>& runs, bool all) {
  constexpr size_t kWidest = 40;
  std::vector<Property> properties = properties_of(runs);
  std::stable_partition(properties.begin(), properties.end(),
                        [](const Property& one) { return one.differs(); });
  std::vector<Column<Property>> columns = {
      {"", [](const Property& property) -> Cell {
         return {property.name, property.differs() ? Style::bold : Style::dim};
       }}};
  for (size_t i = 0; i < runs.size(); ++i)
    columns.emplace_back(runs[i].name + " " + short_id(runs[i]), [i](const Property& property) -> Cell {
      return {shown_value(property, property.values[i], kWidest),
              property.differs() ? Style::plain : Style::dim};
    });
  std::vector<Property> shown = properties;
  if (!all) std::erase_if(shown, [](const Property& one) { return !one.differs(); });
  const Table table = table_of(columns, shown);
  table.print(streams);
  return !properties.empty() && properties.front().differs();
}

void print_runs_csv(const Streams& streams, const std::vector<TrackedRun>& runs) {
  Properties columns(runs);
  columns.add_each(&TrackedRun::parameters, "parameters.",
                   [](const std::string&, const Json& value) { return csv_field(value); });
  columns.add_each(&TrackedRun::metrics, "metrics.", [](const std::string&, const job::Metric& metric) {
    return csv_field(json_of_number(metric.last));
  });
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
  Json metrics = Json::object(), nested = Json::array();
  for (const TrackedRun& below : run.nested) nested.push_back(to_json(below));
  for (const auto& [name, metric] : run.metrics) metrics[name] = job::to_json(metric);
  Json object = {{"run", run.id},        {"kind", run.kind},   {"name", run.name},
                 {"target", run.target}, {"user", run.user},   {"time", rfc3339(run.time)},
                 {"state", run.state},   {"metrics", metrics}, {"parameters", run.parameters},
                 {"tags", run.tags}};
  set_said(object, {{"finished", api::time_text(run.finished)},
                    {"cause", run.cause},
                    {"note", run.note},
                    {"facts", run.facts},
                    {"parent", run.parent},
                    {"nested", std::move(nested)}});
  return object;
}

}  // namespace kml::ui
