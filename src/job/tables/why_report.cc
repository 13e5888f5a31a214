#include "job/tables/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "job/first_error/explain_by_log.h"
#include "kml/base/text.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/tables/job_tables.h"
#include "kml/ui/table.h"

namespace kml::ui {

namespace {

using job::Cause;
using job::Holder;
using job::Outlook;

double units(int64_t milli) {
  return static_cast<double>(milli) / 1000;
}

std::string one_line(std::string_view text) {
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

/// What the user can expect of the pods that do not run.
std::string_view expectation_of_rest(Outlook outlook) {
  switch (outlook) {
    case Outlook::starting: return "; the others will start soon";
    case Outlook::waits: return "; the others are still waiting";
    case Outlook::never: return "; the others cannot start until you change something";
    default: return "";
  }
}

/// What the user can expect while the job waits.
std::string expectation(const job::Verdict& verdict) {
  const Cause& cause = verdict.causes[0];
  std::string state(job::name_of(verdict.job.state));
  if (verdict.job.state == job::State::cancelling) return state;
  if (cause.code == job::CauseCode::state_unknown) return std::string(job::name_of(job::State::unknown));
  if (cause.code == job::CauseCode::suspended) return std::string(job::name_of(job::State::suspended));
  if (cause.code == job::CauseCode::crash_loop || cause.code == job::CauseCode::init_container_fails)
    return "fails repeatedly";
  if (verdict.job.state == job::State::running && verdict.job.running > 0 &&
      verdict.job.running < verdict.job.pods)
    if (const std::string_view rest = expectation_of_rest(cause.outlook); !rest.empty())
      return fmt::format("{}, {} of {} pods{}", state, verdict.job.running, verdict.job.pods, rest);
  switch (cause.outlook) {
    case Outlook::starting: return state + (verdict.job.state == job::State::waiting ? ", starts soon" : "");
    case Outlook::waits: return state;
    case Outlook::never: return "cannot start until you change something";
    case Outlook::failed: return state + (job::has_ended(verdict.job.state) ? "" : ", but it will fail");
    case Outlook::none: break;
  }
  return state;
}

Style style_of_outlook(Outlook outlook) {
  return outlook == Outlook::never || outlook == Outlook::failed ? Style::red
         : outlook == Outlook::none                              ? Style::green
                                                                 : Style::yellow;
}

class Lines {
 public:
  explicit Lines(const Streams& streams) : streams_(streams) {}

  /// Prints a line after its name. If several lines have the same name, only the first one shows it.
  void add(std::string_view name, const std::string& text, Style style = Style::plain) {
    constexpr size_t kNames = 10;
    if (text.empty()) return;
    const std::string shown = name == last_ ? "" : std::string(name);
    streams_.out << "  " << styled(shown, Style::bold, streams_.colours)
                 << std::string(kNames - shown.size(), ' ') << styled(one_line(text), style, streams_.colours)
                 << "\n";
    last_ = name;
  }

 private:
  const Streams& streams_;
  std::string last_;
};

std::string text_of(const Holder& holder, const std::string& resource) {
  std::vector<std::string> about;
  if (!holder.user.empty()) about.push_back(holder.user);
  if (holder.priority) about.push_back("priority " + std::to_string(*holder.priority));
  if (holder.is_stopping) about.emplace_back("stopping");
  return in_words(holder) + (about.empty() ? "" : " (" + join(about, ", ") + ")") +
         (holder.amount > 0 ? ": " + job::amount_text(resource, holder.amount) : "");
}

void print_holders(Lines& lines, const job::Verdict& verdict, const Cause& cause) {
  constexpr size_t kShown = 5;
  const std::string resource = cause.shortfalls.empty() ? "" : cause.shortfalls[0].resource;
  for (size_t i = 0; i < std::min(kShown, cause.holders.size()); ++i) {
    const Holder& holder = cause.holders[i];
    const bool elsewhere = holder.namespace_name != verdict.job.namespace_name;
    lines.add("held by", text_of(holder, resource) +
                             (elsewhere ? ", in namespace " + holder.namespace_name : "") +
                             (holder.queue.empty() ? "" : ", in ClusterQueue " + holder.queue));
  }
  if (cause.holders.size() > kShown)
    lines.add("held by", std::to_string(cause.holders.size() - kShown) + " more");
}

void print_last_words(Lines& lines, const job::FirstError& first) {
  const std::vector<job::TailLine>& tail = first.death.lines;
  for (size_t i = tail.size() - std::min(job::kShownLines, tail.size()); i < tail.size(); ++i)
    lines.add("log", tail[i].text);
}

Json to_json(const Cause& cause) {
  Json json = {{"code", job::text_of(cause.code)},
               {"outlook", job::name_of(cause.outlook)},
               {"brief", cause.brief},
               {"summary", cause.summary},
               {"shortfalls", Json::array()},
               {"holders", Json::array()},
               {"priority", cause.priority},
               {"remedies", Json::array()},
               {"object", cause.object},
               {"message", cause.message},
               {"pods", cause.pods},
               {"position", cause.position},
               {"ahead", Json::array()}};
  if (cause.exit_code) json["exitCode"] = *cause.exit_code;
  for (const Holder& holder : cause.ahead)
    json["ahead"].push_back(
        {{"kind", holder.kind}, {"namespace", holder.namespace_name}, {"name", holder.name}});
  for (const job::Shortfall& one : cause.shortfalls)
    json["shortfalls"].push_back({{"resource", one.resource},
                                  {"asked", units(one.asked)},
                                  {"most", units(one.most)},
                                  {"free", units(one.free)},
                                  {"missing", units(one.missing)}});
  for (const Holder& holder : cause.holders) {
    Json item = {{"kind", holder.kind},
                 {"namespace", holder.namespace_name},
                 {"name", holder.name},
                 {"user", holder.user},
                 {"amount", units(holder.amount)}};
    if (holder.priority) item["priority"] = *holder.priority;
    if (!holder.queue.empty()) item["queue"] = holder.queue;
    json["holders"].push_back(std::move(item));
  }
  for (const job::Remedy& remedy : cause.remedies)
    json["remedies"].push_back({{"what", remedy.what}, {"command", remedy.command}});
  return json;
}

}  // namespace

void print_verdict(const Streams& streams, const job::Verdict& verdict,
                   const std::optional<job::FirstError>& first) {
  const Cause& cause = verdict.causes[0];
  streams.out << "job " << styled(verdict.job.name, Style::bold, streams.colours) << ": "
              << styled(expectation(verdict), style_of_outlook(cause.outlook), streams.colours) << "\n";
  Lines lines(streams);
  lines.add("why", cause.summary + (cause.pods > 1 ? " (" + std::to_string(cause.pods) + " pods)" : ""));
  lines.add("cause", std::string(job::text_of(cause.code)));
  print_holders(lines, verdict, cause);
  lines.add("priority", cause.priority);
  if (first) print_last_words(lines, *first);
  for (const job::Remedy& remedy : cause.remedies) {
    lines.add("next", remedy.what);
    lines.add("next", remedy.command, Style::cyan);
  }
  for (size_t i = 1; i < verdict.causes.size(); ++i)
    lines.add("also", std::string(job::text_of(verdict.causes[i].code)) + ": " + verdict.causes[i].summary);
  for (const std::string& what : verdict.unknown) lines.add("unknown", what);
}

Json to_json(const job::Verdict& verdict, const std::optional<job::FirstError>& first) {
  Json others = Json::array();
  for (size_t i = 1; i < verdict.causes.size(); ++i) others.push_back(to_json(verdict.causes[i]));
  Json log = Json::array();
  if (first)
    for (const job::TailLine& line : first->death.lines) log.push_back(line.text);
  return {{"job", verdict.job.name},
          {"namespace", verdict.job.namespace_name},
          {"kind", verdict.job.kind},
          {"state", job::name_of(verdict.job.state)},
          {"cause", to_json(verdict.causes[0])},
          {"others", others},
          {"log", log},
          {"unknown", verdict.unknown}};
}

}  // namespace kml::ui
