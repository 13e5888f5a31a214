#include "tracking/tables/timeline.h"

#include <algorithm>
#include <array>
#include <ostream>
#include <set>

#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using job::Bar;
using job::BarKind;
using job::kBarKinds;

struct Sign {
  const char* utf8;
  const char* ascii;
  Style style;
};

/// The signs for the kinds of bars, in the order of BarKind. They also differ in a terminal without colors.
constexpr Sign kSigns[job::kBarKinds] = {
    {"·", ".", Style::dim},    {"█", "#", Style::green}, {"▒", "%", Style::yellow}, {"x", "x", Style::red},
    {"-", "-", Style::yellow}, {"=", "=", Style::blue},  {"?", "?", Style::dim}};

std::string sign_of(BarKind kind, bool is_utf8) {
  const Sign& sign = kSigns[static_cast<size_t>(kind)];
  return is_utf8 ? sign.utf8 : sign.ascii;
}

/// Splits the time into `columns` equal parts, and returns the kind that takes up most of each part; empty if
/// the row has no bar there.
std::vector<std::optional<BarKind>> columns_of(const job::BarRow& row, Time since, Time until,
                                               size_t columns) {
  std::vector<std::array<double, job::kBarKinds>> times(columns);
  const double whole = std::chrono::duration<double>(until - since).count();
  const double room = whole / static_cast<double>(columns);
  for (const Bar& bar : row.bars) {
    const double begin = std::chrono::duration<double>(std::max(bar.start, since) - since).count();
    const double end = std::chrono::duration<double>(std::min(bar.end, until) - since).count();
    if (begin >= end) continue;
    const auto last = std::min(columns - 1, static_cast<size_t>(end / room));
    for (auto i = static_cast<size_t>(begin / room); i <= last; ++i) {
      const double left = static_cast<double>(i) * room;
      times[i][static_cast<size_t>(bar.kind)] += std::min(end, left + room) - std::max(begin, left);
    }
  }
  std::vector<std::optional<BarKind>> kinds;
  for (const auto& time : times) {
    const auto most = std::max_element(time.begin(), time.end());
    kinds.emplace_back();
    if (*most > 0) kinds.back() = static_cast<BarKind>(most - time.begin());
  }
  return kinds;
}

/// The chart for a row. Neighbors of the same kind share one color code.
std::string chart(const std::vector<std::optional<BarKind>>& kinds, bool is_utf8, bool colours) {
  std::string text;
  for (size_t i = 0; i < kinds.size();) {
    std::string signs;
    const std::optional<BarKind> kind = kinds[i];
    for (; i < kinds.size() && kinds[i] == kind; ++i) signs += kind ? sign_of(*kind, is_utf8) : " ";
    text += kind ? styled(signs, kSigns[static_cast<size_t>(*kind)].style, colours) : signs;
  }
  return text;
}

std::string padded(const std::string& text, size_t width) {
  const size_t own = display_width(text);
  return own < width ? text + std::string(width - own, ' ') : text;
}

}  // namespace

void print_timeline(const Streams& streams, const std::vector<TimelineJob>& jobs, Time since, Time until,
                    const TimeZone& zone) {
  constexpr size_t kLeast = 20, kMostName = 24;
  const bool is_utf8 = locale_is_utf8();
  const auto width = static_cast<size_t>(std::max(streams.width, 40));
  size_t name_width = 0, state_width = 0;
  for (const TimelineJob& job : jobs) {
    state_width = std::max(state_width, job.account.state.size());
    for (const job::BarRow& row : job.rows) name_width = std::max(name_width, display_width(row.name));
  }
  name_width = std::min({name_width, kMostName, width / 3});
  const size_t others = name_width + state_width + 4;
  const size_t columns = std::max(kLeast, width > others ? width - others : 0);
  std::set<BarKind> used;
  for (const TimelineJob& job : jobs)
    for (const job::BarRow& row : job.rows) {
      const auto kinds = columns_of(row, since, until, columns);
      for (const auto& kind : kinds)
        if (kind) used.insert(*kind);
      const std::string line = padded(cut_to(row.name, name_width), name_width) + "  " +
                               chart(kinds, is_utf8, streams.colours) + "  " +
                               (&row == &job.rows.front() ? job.account.state : "");
      streams.out << line.substr(0, line.find_last_not_of(' ') + 1) << "\n";
    }
  // The time as "2026-11-26 03:00"; if the timeline is short, as "03:00:15".
  const bool is_short = until - since < std::chrono::minutes(10);
  const auto text = [&](Time time) {
    return is_short ? rfc3339_in(zone, time).substr(11, 8) : minute_in(zone, time);
  };
  const std::string begin = text(since), end = text(until);
  const size_t room = columns > begin.size() + end.size() ? columns - begin.size() - end.size() : 1;
  streams.out << std::string(name_width + 2, ' ') << begin << std::string(room, ' ') << end << "\n";
  std::string legend;
  for (const BarKind kind : used)
    legend += (legend.empty() ? "" : "  ") + sign_of(kind, is_utf8) + " " + std::string(job::name_of(kind));
  streams.out << std::string(name_width + 2, ' ') << legend << "\n";
}

Json to_json(const TimelineJob& job) {
  const job::JobAccount& account = job.account;
  Json rows = Json::array();
  for (const job::BarRow& row : job.rows) {
    Json bars = Json::array();
    for (const Bar& bar : row.bars) {
      bars.push_back({{"start", rfc3339_nano(bar.start)},
                      {"end", rfc3339_nano(bar.end)},
                      {"kind", job::name_of(bar.kind)}});
      if (!bar.cause.empty()) bars.back()["cause"] = bar.cause;
    }
    rows.push_back({{"name", row.name}, {"bars", std::move(bars)}});
  }
  return {{"name", account.name},
          {"namespace", account.namespace_name},
          {"user", account.user},
          {"state", account.state},
          {"created", rfc3339(account.created)},
          {"finished", account.finished ? Json(rfc3339(*account.finished)) : Json()},
          {"gpus", account.gpus},
          {"covered", or_null(account.share_covered())},
          {"rows", std::move(rows)}};
}

}  // namespace kml::ui
