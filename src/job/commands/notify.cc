#include "job/commands/notify.h"

#include <utility>

#include "job/commands/wait_for_jobs.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/flag_duration.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/object.h"
#include "kml/tracking/runs/metric_courses.h"

namespace kml::cli {

namespace {

using Event = job::Notice::Event;

job::NoticeTarget parsed_target(const std::string& text) {
  return job::NoticeTarget::parse(text, [](const std::string& name) { return environment(name.c_str()); });
}

std::chrono::seconds time_between_looks() {
  constexpr std::chrono::minutes kDefault{10};
  const std::string text = environment("KML_NOTIFY_HANG_EVERY");
  if (text.empty()) return kDefault;
  const auto time = typed_duration(text);
  if (!time || *time < std::chrono::seconds(1))
    throw usage_error("KML_NOTIFY_HANG_EVERY: \"" + text + "\" is not a duration of at least 1s", "",
                      "use 90s, 10m, 2h");
  return *time;
}

/// The cause and the first fix, as `kml why` prints them.
std::string why_text(Context& context, const job::JobView& view) try {
  const job::Verdict verdict = job::why(context.client(), view.namespace_name, view.name);
  const job::Cause& cause = verdict.causes.front();
  std::string text = cause.summary;
  if (!cause.remedies.empty() && !cause.remedies[0].command.empty())
    text += "\nnext: " + cause.remedies[0].command;
  return text;
} catch (const Error&) {
  return view.cause;  // the job may already be deleted
}

std::map<std::string, double> last_metrics(Context& context, const Json& job) try {
  constexpr std::chrono::seconds kPatience{5};
  std::map<std::string, double> values;
  for (const auto& [name, metric] : tracking::metrics_of_job(context.client(), job, kPatience).totals)
    values[name] = metric.last;
  return values;
} catch (const Error&) {
  return {};
}

}  // namespace

void add_notify_flag(Command& command, std::vector<std::string>& notify) {
  command
      .option("--notify", "TARGET", notify,
              "send a notice when the job starts, finishes, fails or hangs: slack:URL, exec:COMMAND …")
      .details(
          "Send a notice when a job starts, finishes, fails or hangs, while this command waits for it. The "
          "notice has the last metrics and, after a failure or a hang, the answer of `kml why` or `kml "
          "hang` in brief. TARGET is desktop (through notify-send), slack:URL, webhook:URL, ntfy:TOPIC or "
          "exec:COMMAND. A webhook gets a JSON object. A command runs in a shell, with the same object in "
          "KML_NOTICE, and with KML_NOTICE_EVENT, KML_NOTICE_JOB and KML_NOTICE_TEXT. Other users can see "
          "command lines, so keep a secret URL out of them. To keep a URL secret, use slack, webhook or ntfy "
          "without a URL, which read KML_NOTIFY_SLACK, KML_NOTIFY_WEBHOOK and KML_NOTIFY_NTFY, or "
          "slack:@FILE, which reads a file of mode 600. May be repeated.");
}

void check_notify(const std::vector<std::string>& notify) {
  for (const std::string& text : notify) parsed_target(text);
  if (!notify.empty()) time_between_looks();
}

JobNotices::JobNotices(Context& context, const std::vector<std::string>& notify) : context_(context) {
  for (const std::string& text : notify) targets_.push_back(parsed_target(text));
  if (!targets_.empty()) between_looks_ = time_between_looks();
}

void JobNotices::began(const std::string& namespace_name, const std::string& job, bool is_news) {
  if (targets_.empty()) return;
  const auto next = std::chrono::steady_clock::now() + between_looks_;
  const bool is_new =
      running_.try_emplace(namespace_name + "/" + job, Running{namespace_name, job, next}).second;
  if (is_new && is_news) begun_.push_back(notice(Event::start, namespace_name, job, "job " + job + " runs"));
}

void JobNotices::ended(const job::JobView& view, const Json& job) {
  if (targets_.empty()) return;
  running_.erase(view.namespace_name + "/" + view.name);
  ended_.push_back({view, job});
}

void JobNotices::send() {
  for (; !begun_.empty(); begun_.pop_front()) send(begun_.front());
  for (; !ended_.empty(); ended_.pop_front()) send_end(ended_.front());
  for (auto& [name, running] : running_) look_for_hang(running);
}

job::Notice JobNotices::notice(Event event, const std::string& namespace_name, const std::string& job,
                               const std::string& text) {
  return {event, system_clock().now(), job, namespace_name, context_.place().context, text};
}

void JobNotices::send(const job::Notice& notice) {
  for (const job::NoticeTarget& target : targets_) try {
      target.send(notice, http::make_curl_transport);
    } catch (const Error& error) {
      context_.note(message_and_why(error));
    }
}

void JobNotices::send_end(const Ended& ended) {
  const bool has_failed = ended.view.state == job::State::failed || job::waits_in_vain(ended.view);
  job::Notice sent = notice(has_failed ? Event::failure : Event::end, ended.view.namespace_name,
                            ended.view.name, end_in_words(ended.view));
  if (has_failed) sent.why = why_text(context_, ended.view);
  sent.metrics = last_metrics(context_, ended.job);
  send(sent);
}

/// Reports a hang once. Reports another hang only if the job made progress in between.
void JobNotices::look_for_hang(Running& running) {
  const auto now = std::chrono::steady_clock::now();
  if (!running.look) {
    if (now < running.next_look) return;
    const std::vector<std::string> command =
        same_kml(context_.options(), {"--namespace=" + running.namespace_name, "hang", running.job, "-o",
                                      "jsonpath={.verdict}{\"\\n\"}{.summary}{\"\\n\"}next: {.next[0]}"});
    running.look =
        std::make_unique<RunningProcess>(command, ProcessOptions{.time_limit = std::chrono::minutes(2)});
    return;
  }
  if (!running.look->has_ended()) return;
  const ProcessResult result = std::exchange(running.look, nullptr)->finish();
  running.next_look = now + between_looks_;
  const size_t line = result.out.find('\n');
  if (result.exit_code != 0 || line == std::string::npos) return;  // the job is not running now
  const bool is_stuck = result.out.substr(0, line) == "stuck";
  if (is_stuck && !running.is_reported) {
    job::Notice sent =
        notice(Event::hang, running.namespace_name, running.job, "job " + running.job + " is stuck");
    sent.why = result.out.substr(line + 1);
    send(sent);
  }
  running.is_reported = is_stuck;
}

}  // namespace kml::cli
