#include "job/tables/efficiency_report.h"

#include <fmt/format.h>

#include <ostream>

#include "job/tables/capacity_tables.h"
#include "job/tables/usage_table.h"
#include "kml/base/text.h"
#include "kml/job/accounting/gpu_usage.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using job::Efficiency;

std::string share(double part, double whole) {
  return whole > 0 ? fmt::format(" ({:.0f} %)", 100 * part / whole) : "";
}

/// The CPUs in words: "0.5 on average, 4 requested (12 %); 0.7 in the busiest pod".
std::string cpu_text(const Efficiency& found) {
  const auto used = found.cpus_mean ? found.cpus_mean : found.cpus_now;
  std::string text =
      used ? fmt::format("{:.2g}", *used) + (found.cpus_mean ? " on average" : " now") : "unknown";
  text += found.cpus_asked ? fmt::format(", {:g} requested", *found.cpus_asked) : ", none requested";
  if (used && found.cpus_asked) text += share(*used, *found.cpus_asked);
  if (found.cpus_most && found.pods_seen > 1)
    text += fmt::format("; {:.2g} in the busiest pod", *found.cpus_most);
  return text;
}

std::string memory_of(const Efficiency& found) {
  const auto used = found.memory_peak ? found.memory_peak : found.memory_now;
  std::string text = used ? memory_text(*used) + (found.memory_peak ? " at peak" : " now") : "unknown";
  text += found.memory_asked ? ", " + memory_text(*found.memory_asked) + " requested" : ", none requested";
  if (used && found.memory_asked)
    text += share(static_cast<double>(*used), static_cast<double>(*found.memory_asked));
  if (found.memory_limit && found.memory_limit != found.memory_asked)
    text += ", limit " + memory_text(*found.memory_limit);
  if (found.memory_with_files && found.memory_with_files > found.memory_peak)
    text += "; " + memory_text(*found.memory_with_files) + " with cached files";
  return text;
}

std::string gpu_text(const Efficiency& found) {
  if (found.gpus_asked == 0) return {};
  return fmt::format("{} requested{}", found.gpus_asked,
                     found.gpu_percent ? fmt::format(", {:.0f} % busy", *found.gpu_percent) : "");
}

std::string time_text(const Efficiency& found) {
  if (found.pods_seen == 0 && found.ran == nanoseconds(0)) return {};
  std::string text = short_duration(found.ran);
  if (found.time_limit)
    text += " of at most " + short_duration_at_most(*found.time_limit) +
            share(std::chrono::duration<double>(found.ran).count(),
                  std::chrono::duration<double>(*found.time_limit).count());
  if (found.pods_seen > 1)
    text += fmt::format("; {} in {} pods together", short_duration(found.pod_time), found.pods_seen);
  return text;
}

/// The hours of the whole job, including pods that no longer exist.
job::UsageSum sum_of(const job::JobAccount& account) {
  const auto sums = job::usage_of({&account, 1}, {{}, Time::min(), Time::max()});
  return sums.empty() ? job::UsageSum() : sums[0];
}

/// The hours in words: "49.6: 44.1 ended well, 3.9 lost to 2 preemptions, 1.6 failed (known for 100 % of
/// the time)".
std::string hours_text(const job::JobAccount& account) {
  using job::Use;
  const job::UsageSum sum = sum_of(account);
  if (!sum.is_known()) return "unknown";
  std::vector<std::string> parts;
  const auto add = [&](double hours, const std::string& what) {
    if (hours > 0) parts.push_back(gpu_hours_text(hours) + " " + what);
  };
  add(sum.of(Use::well), "ended well");
  if (account.disruptions > 0)
    parts.push_back(fmt::format("{} lost to {} preemption{}", lost_hours_text(sum), account.disruptions,
                                account.disruptions == 1 ? "" : "s"));
  add(sum.of(Use::failed), "failed");
  add(sum.of(Use::stopped), "stopped");
  add(sum.of(Use::open), "of unfinished pods");
  return gpu_hours_text(sum.held()) + (parts.empty() ? "" : ": " + join(parts, ", ")) +
         fmt::format(" (known for {} of the time)", covered_text(sum));
}

}  // namespace

void print_efficiency(const Streams& streams, const Efficiency& found,
                      const std::optional<job::JobAccount>& account, std::string_view what) {
  const auto fact = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      streams.out << styled(name, Style::bold, streams.colours) << std::string(11 - name.size(), ' ') << value
                  << "\n";
  };
  const bool is_many = found.pods_seen > 1;
  fact(what, kind_and_name(found.job) + " (" + std::string(job::name_of(found.job.state)) + ")");
  fact("Waited", short_duration(found.waited));
  fact("Ran", time_text(found));
  fact("CPUs", cpu_text(found) + (is_many ? ", of each pod" : ""));
  fact("Memory", memory_of(found) + (is_many ? ", of each pod" : ""));
  fact("GPUs", gpu_text(found));
  if (account) fact("GPU hours", hours_text(*account));
  for (const std::string& value : found.unseen) fact("Unknown", value);
  fact("Next time", join(found.advice, "; "));
  const bool is_told = found.cpus_mean && found.memory_peak,
             has_asked = found.cpus_asked || found.memory_asked;
  if (found.advice.empty() && is_told && has_asked && job::has_ended(found.job.state))
    fact("Next time", "request the same");
}

Json to_json(const Efficiency& found, const std::optional<job::JobAccount>& account) {
  const auto seconds = [](nanoseconds time) { return std::chrono::duration<double>(time).count(); };
  return {{"kind", found.job.kind},
          {"name", found.job.name},
          {"namespace", found.job.namespace_name},
          {"state", job::name_of(found.job.state)},
          {"pods", found.pods_seen},
          {"waitedSeconds", seconds(found.waited)},
          {"ranSeconds", seconds(found.ran)},
          {"podSeconds", seconds(found.pod_time)},
          {"timeLimitSeconds", found.time_limit ? Json(seconds(*found.time_limit)) : Json()},
          {"cpus",
           {{"asked", or_null(found.cpus_asked)},
            {"mean", or_null(found.cpus_mean)},
            {"most", or_null(found.cpus_most)},
            {"now", or_null(found.cpus_now)}}},
          {"memoryBytes",
           {{"asked", or_null(found.memory_asked)},
            {"limit", or_null(found.memory_limit)},
            {"peak", or_null(found.memory_peak)},
            {"peakWithFileCache", or_null(found.memory_with_files)},
            {"now", or_null(found.memory_now)}}},
          {"gpus", {{"asked", found.gpus_asked}, {"percent", or_null(found.gpu_percent)}}},
          {"gpuHours", account ? to_json(sum_of(*account), {}) : Json()},
          {"unseen", found.unseen},
          {"advice", found.advice}};
}

}  // namespace kml::ui
