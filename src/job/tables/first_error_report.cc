#include "job/tables/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "kml/job/views/has_tasks.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

/// How many lines are shown on a terminal; JSON has all lines.
constexpr size_t kShownLines = 20;

std::string time_of(const job::Death& death) {
  if (death.spoke) return rfc3339_nano(*death.spoke);
  return death.exit.finished ? rfc3339(*death.exit.finished) : "";
}

std::string end_of(const job::Death& death) {
  const job::ContainerExit& exit = death.exit;
  // If the pod failed, but no container's end is known, the pod's reason is all there is.
  if (exit.code == 0 && exit.signal == 0 && !exit.out_of_memory) return exit.reason;
  constexpr std::array<std::string_view, 4> kSaidInWords = {"", "Error", "Completed", "OOMKilled"};
  const bool is_said = std::find(kSaidInWords.begin(), kSaidInWords.end(), exit.reason) != kSaidInWords.end();
  return job::in_words(exit) + (is_said ? "" : ", " + exit.reason);
}

Json to_json(const std::string& job, const job::FirstError& first) {
  const job::Death& death = first.death;
  Json object = {{"job", job},
                 {"namespace", death.source.namespace_name},
                 {"pod", death.source.pod},
                 {"container", death.source.container},
                 {"restart", death.source.restart},
                 {"exitCode", death.exit.code},
                 {"signal", death.exit.signal != 0 ? death.exit.signal : api::signal_in(death.exit.code)},
                 {"outOfMemory", death.exit.out_of_memory},
                 {"reason", death.exit.reason},
                 {"time", time_of(death)},
                 {"lostPods", first.lost_pods},
                 {"lines", Json::array()}};
  if (death.rank) object["rank"] = *death.rank;
  for (const job::TailLine& line : death.lines) object["lines"].push_back(line.text);
  return object;
}

}  // namespace

void print_first_error(const Streams& streams, const Json& job, const job::FirstError& first, bool as_json) {
  if (as_json) {
    streams.out << json_text(to_json(api::name_of(job), first)) << "\n";
    return;
  }
  const job::Death& death = first.death;
  std::string where = "pod " + death.source.pod;
  const std::string_view member =
      job::has_tasks(job) ? "task" : "rank";  // the pods of an array are not a gang
  if (death.rank) where = fmt::format("{} {} ({})", member, *death.rank, where);
  if (!death.source.is_main) where += ", container " + death.source.container;
  streams.out << "job " << api::name_of(job) << ": " << styled(where, Style::bold, streams.colours)
              << (first.lost_pods > 0 ? " died first of the remaining pods: " : " died first: ")
              << styled(end_of(death), Style::red, streams.colours);
  if (const std::string time = time_of(death); !time.empty()) streams.out << ", at " << time;
  streams.out << "\n";
  const size_t from = death.lines.size() > kShownLines ? death.lines.size() - kShownLines : 0;
  for (size_t i = from; i < death.lines.size(); ++i) {
    const std::string& text = death.lines[i].text;
    streams.out << "  " << text << "\n";
  }
}

}  // namespace kml::ui
