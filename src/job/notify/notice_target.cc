#include <sys/stat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "job/notify/notify.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/base/text.h"

namespace kml::job {

namespace {

constexpr std::chrono::seconds kRequestPatience{20}, kCommandPatience{60};

/// The address on the first line of a file that no other user can read.
std::string address_in(const std::string& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0)
    throw usage_error("--notify: cannot read " + file, "", "write the address into that file, with mode 600");
  if ((status.st_mode & 077) != 0)
    throw usage_error("--notify: other users may read " + file, "the address in it is a secret",
                      "chmod 600 " + shell_quoted(std::vector{file}));
  constexpr size_t kLongest = 64 << 10;
  const std::string bytes = read_own_file(file, kLongest), text = from_utf16(bytes).value_or(bytes);
  return std::string(trim(text.substr(0, text.find('\n'))));
}

bool is_url(const std::string& text) {
  return text.starts_with("https://") || text.starts_with("http://");
}

/// The text for a header, which must be a single line. Characters outside ASCII would need to be encoded, so
/// they become "?".
std::string header_text(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

/// Escapes markup of Slack (https://docs.slack.dev/messaging/formatting-message-text) and desktops
/// (https://specifications.freedesktop.org/notification-spec, "Markup"). The output of a program must not
/// mention people, or hide a link behind another text.
std::string without_markup(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c == '&')
      plain += "&amp;";
    else if (c == '<')
      plain += "&lt;";
    else if (c == '>')
      plain += "&gt;";
    else
      plain += c;
  }
  return plain;
}

Error not_sent(const std::string& kind, const std::string& why, const std::string& fix = {}) {
  return {ErrorCode::failure, "the notice to " + kind + " was not sent", why, fix};
}

}  // namespace

NoticeTarget NoticeTarget::parse(const std::string& text, const Variable& variable) {
  static const std::vector<std::string> kKinds = {"desktop", "slack", "webhook", "ntfy", "exec"};
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  std::string address = colon == std::string::npos ? "" : text.substr(colon + 1);
  // The error must not contain the text, because it may be a secret.
  if (std::find(kKinds.begin(), kKinds.end(), kind) == kKinds.end())
    throw usage_error("--notify: unknown kind of target",
                      "it accepts desktop, slack:URL, webhook:URL, ntfy:TOPIC, exec:COMMAND",
                      did_you_mean(kind, kKinds));
  if (kind == "desktop" && !address.empty()) throw usage_error("--notify: desktop takes no address");
  if (kind == "exec" && address.empty())
    throw usage_error("--notify: exec needs a command", "", "--notify 'exec:COMMAND'");
  if (kind == "desktop" || kind == "exec") return {kind, address};
  const std::string name = "KML_NOTIFY_" + upper(kind);
  if (address.empty()) address = variable(name);
  if (address.starts_with("@")) address = address_in(address.substr(1));
  if (address.empty())
    throw usage_error("--notify: " + kind + " needs an address", "",
                      "set " + name + ", or use " + kind + ":@FILE, a file of mode 600 with the address");
  if (kind == "ntfy" && !is_url(address)) address = "https://ntfy.sh/" + percent_encoded(address);
  if (!is_url(address))
    throw usage_error("--notify: the address for " + kind + " is not a URL",
                      "it must start with https:// or http://");
  return {kind, address};
}

/// Any error may contain the URL, so the error is replaced by a different one.
void NoticeTarget::post(http::Request request, const MakeTransport& make_transport) const {
  const size_t host = address_.find("://") + 3, path = std::min(address_.find('/', host), address_.size());
  request.method = "POST";
  request.path = path < address_.size() ? address_.substr(path) : "/";
  request.timeout = kRequestPatience;
  int status = 0;
  try {
    status = make_transport({.url = address_.substr(0, path)})->send(request).status;
  } catch (const Error& error) {
    throw not_sent(kind_, error.code == ErrorCode::unreachable ? "no response from its server"
                                                               : "the address is invalid");
  }
  if (status / 100 != 2) throw not_sent(kind_, "its server answered with status " + std::to_string(status));
}

void NoticeTarget::run_command(const Notice& notice) const {
  const bool is_desktop = kind_ == "desktop";
  // The command's output must not mix with kml's.
  std::vector<std::string> command = {"sh", "-c", "exec >&2\n" + address_};
  if (is_desktop)
    command = {"notify-send", "--app-name=kml", "--", notice.text, without_markup(message_of(notice))};
  const ProcessResult result = run_process(
      command, {.environment = {"KML_NOTICE=" + compact_text(to_json(notice)),
                                "KML_NOTICE_EVENT=" + std::string(name_of(notice.event)),
                                "KML_NOTICE_JOB=" + notice.job, "KML_NOTICE_TEXT=" + message_of(notice)},
                .inherit_errors = !is_desktop,
                .time_limit = kCommandPatience});
  if (result.timed_out) throw not_sent(kind_, "the command took longer than 60s");
  if (result.start_errno != 0)
    throw not_sent(kind_, "cannot run " + command[0], is_desktop ? "install libnotify-bin" : "");
  if (result.exit_code != 0)
    throw not_sent(kind_, "the command failed with exit code " + std::to_string(result.exit_code));
}

void NoticeTarget::send(const Notice& notice, const MakeTransport& make_transport) const {
  const http::Headers json = {{"Content-Type", "application/json"}};
  if (kind_ == "slack") {  // https://api.slack.com/messaging/webhooks
    post({.headers = json, .body = compact_text({{"text", without_markup(message_of(notice))}})},
         make_transport);
  } else if (kind_ == "webhook") {
    post({.headers = json, .body = compact_text(to_json(notice))}, make_transport);
  } else if (kind_ == "ntfy") {  // https://docs.ntfy.sh/publish/
    const bool is_urgent = notice.event == Notice::Event::failure || notice.event == Notice::Event::hang;
    post({.headers = {{"Title", header_text(notice.text)}, {"Priority", is_urgent ? "high" : "default"}},
          .body = message_of(notice)},
         make_transport);
  } else {
    run_command(notice);
  }
}

}  // namespace kml::job
