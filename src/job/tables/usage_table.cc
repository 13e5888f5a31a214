#include "job/tables/usage_table.h"

#include <fmt/format.h>

#include <ostream>
#include <vector>

#include "kml/base/text.h"
#include "kml/ui/columns.h"
#include "kml/ui/csv.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using job::UsageSum;
using job::Use;

std::string known_text(const UsageSum& sum, double hours) {
  return sum.is_known() ? gpu_hours_text(hours) : "-";
}

/// The sum in a row, or the sum of all rows.
struct UsageRow {
  const UsageSum& sum;
  bool is_total = false;
};

using UsageColumn = Column<UsageRow>;

UsageColumn column_of(const std::string& key, size_t index) {
  return {upper(key), [index](const UsageRow& row) -> std::string {
            if (row.is_total) return index == 0 ? "total" : "";
            return or_dash(row.sum.values[index]);
          }};
}

UsageColumn hours_column(std::string name, Use use) {
  return {std::move(name), [use](const UsageRow& row) { return known_text(row.sum, row.sum.of(use)); }};
}

}  // namespace

std::string gpu_hours_text(double hours) {
  return hours == 0     ? "0"
         : hours >= 100 ? fmt::format("{:.0f}", hours)
         : hours >= 1   ? fmt::format("{:.1f}", hours)
                        : fmt::format("{:.2g}", hours);
}

std::string lost_hours_text(const UsageSum& sum) {
  const double least = sum.of(Use::lost), most = least + sum.of(Use::unclear);
  if (!sum.is_known() || most == least) return known_text(sum, least);
  return gpu_hours_text(least) + "-" + gpu_hours_text(most);
}

std::string covered_text(const UsageSum& sum) {
  // Rounded down, so that 100 % means that the sources cover all of the time.
  return sum.wanted > 0 ? fmt::format("{} %", static_cast<int>(100 * sum.known / sum.wanted + 1e-9)) : "-";
}

void print_usage(const Streams& streams, std::span<const UsageSum> sums, const UsageSum& total,
                 std::span<const std::string> keys) {
  std::vector<UsageColumn> columns;
  for (size_t i = 0; i < keys.size(); ++i) columns.push_back(column_of(keys[i], i));
  columns.insert(columns.end(),
                 {{"JOBS", [](const UsageRow& row) { return std::to_string(row.sum.jobs); }},
                  {"GPU-H", [](const UsageRow& row) { return known_text(row.sum, row.sum.held()); }},
                  hours_column("WELL", Use::well),
                  {"LOST", [](const UsageRow& row) { return lost_hours_text(row.sum); }},
                  hours_column("FAILED", Use::failed),
                  hours_column("STOPPED", Use::stopped),
                  hours_column("OPEN", Use::open),
                  {"COVERED", [](const UsageRow& row) { return covered_text(row.sum); }}});
  for (UsageColumn& column : columns)
    column.cell = [cell = column.cell](const UsageRow& row) -> Cell {
      return {cell(row).text, row.is_total ? Style::bold : Style::plain};
    };
  std::vector<UsageRow> rows;
  for (const UsageSum& sum : sums) rows.push_back({sum});
  if (sums.size() > 1) rows.push_back({total, true});
  const Table table = table_of(columns, rows);
  table.print(streams);
}

Json to_json(const UsageSum& sum, std::span<const std::string> keys) {
  Json json = Json::object();
  for (size_t i = 0; i < keys.size() && i < sum.values.size(); ++i) json[keys[i]] = sum.values[i];
  const auto known = [&](double hours) { return sum.is_known() ? Json(hours) : Json(); };
  json["jobs"] = sum.jobs;
  json["gpuHours"] = known(sum.held());
  for (size_t i = 0; i < job::kUses; ++i)
    json[std::string(job::name_of(static_cast<Use>(i))) + "GpuHours"] = known(sum.hours[i]);
  json["covered"] = sum.wanted > 0 ? Json(sum.known / sum.wanted) : Json();
  return json;
}

void print_usage_csv(const Streams& streams, std::span<const UsageSum> sums,
                     std::span<const std::string> keys) {
  std::vector<std::string> names(keys.begin(), keys.end());
  for (const char* name : {"jobs", "gpuHours", "wellGpuHours", "lostGpuHours", "unclearGpuHours",
                           "failedGpuHours", "stoppedGpuHours", "openGpuHours", "covered"})
    names.emplace_back(name);
  streams.out << join(names, ",") << "\n";
  for (const UsageSum& sum : sums) {
    const Json json = to_json(sum, keys);
    std::vector<std::string> fields;
    for (const std::string& name : names) fields.push_back(csv_field(json.at(name)));
    streams.out << join(fields, ",") << "\n";
  }
}

}  // namespace kml::ui
