#include "kml/job/tables/usage_table.h"

#include <fmt/format.h>

#include <ostream>
#include <vector>

#include "kml/base/text.h"
#include "kml/ui/csv.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using jobs::UsageSum;
using jobs::Use;

std::string known_text(const UsageSum& sum, double hours) {
  return sum.is_known() ? gpu_hours_text(hours) : "-";
}

std::vector<Cell> row_of(const UsageSum& sum) {
  std::vector<Cell> row;
  for (const std::string& value : sum.values) row.push_back({or_dash(value)});
  row.push_back({std::to_string(sum.jobs)});
  row.push_back({known_text(sum, sum.held())});
  row.push_back({known_text(sum, sum.of(Use::well))});
  row.push_back({lost_hours_text(sum)});
  for (const Use use : {Use::failed, Use::stopped, Use::open}) row.push_back({known_text(sum, sum.of(use))});
  row.push_back({covered_text(sum)});
  return row;
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
  // Rounded down, so that 100 % means that nothing is missing.
  return sum.wanted > 0 ? fmt::format("{} %", static_cast<int>(100 * sum.known / sum.wanted + 1e-9)) : "-";
}

void print_usage(const Streams& streams, std::span<const UsageSum> sums, const UsageSum& total,
                 std::span<const std::string> keys) {
  std::vector<std::string> header;
  for (const std::string& key : keys) header.push_back(upper(key));
  for (const char* name : {"JOBS", "GPU-H", "WELL", "LOST", "FAILED", "STOPPED", "OPEN", "COVERED"})
    header.emplace_back(name);
  Table table(std::move(header));
  for (const UsageSum& sum : sums) table.add(row_of(sum));
  if (sums.size() > 1) {
    std::vector<Cell> row = row_of(total);
    row.insert(row.begin(), keys.size(), {});
    row[0] = {"total"};
    for (Cell& cell : row) cell.style = Style::bold;
    table.add(std::move(row));
  }
  table.print(streams);
}

Json to_json(const UsageSum& sum, std::span<const std::string> keys) {
  Json json = Json::object();
  for (size_t i = 0; i < keys.size() && i < sum.values.size(); ++i) json[keys[i]] = sum.values[i];
  const auto known = [&](double hours) { return sum.is_known() ? Json(hours) : Json(); };
  json["jobs"] = sum.jobs;
  json["gpuHours"] = known(sum.held());
  for (size_t i = 0; i < jobs::kUses; ++i)
    json[std::string(name_of(static_cast<Use>(i))) + "GpuHours"] = known(sum.hours[i]);
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
