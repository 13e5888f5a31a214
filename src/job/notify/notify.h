#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/net/http/transport.h"

namespace kml::job {

/// An event in a job's life, for a person who is not watching the job.
struct Notice {
  enum class Event { start, end, failure, hang };
  Event event = Event::end;
  Time time = {};
  std::string job, namespace_name, context;
  std::string text;  ///< the event in one line: "job bert failed after 3h: exit code 1"
  /// the answer of `kml why` or `kml hang`; may have several lines
  std::string why = {};
  std::map<std::string, double> metrics = {};  ///< the last value of each metric
};

/// "failure".
std::string_view name_of(Notice::Event event);
/// The notice for programs.
Json to_json(const Notice& notice);
/// The notice for people: its text, its metrics, and why.
std::string message_of(const Notice& notice);

/// Where notices are sent. The address is a secret, so no error message contains it.
class NoticeTarget {
 public:
  /// Returns a variable's value; empty if the variable is not set.
  using Variable = std::function<std::string(const std::string& name)>;
  using MakeTransport = std::function<std::unique_ptr<http::Transport>(http::Endpoint)>;

  /// Parses "desktop", "exec:COMMAND", "slack:URL", "webhook:URL" and "ntfy:TOPIC" (or "ntfy:" and the
  /// topic's URL). "slack" alone takes the address from $KML_NOTIFY_SLACK, and "slack:@FILE" from the user's
  /// file, which no other user may be able to read. The same goes for "webhook" and "ntfy". Throws usage
  /// Error.
  static NoticeTarget parse(const std::string& text, const Variable& variable);

  /// "slack"
  const std::string& kind() const { return kind_; }

  /// Sends the notice. Waits for at most 20 s (60 s for a command). Throws Error if sending fails.
  void send(const Notice& notice, const MakeTransport& make_transport) const;

 private:
  NoticeTarget(std::string kind, std::string address)
      : kind_(std::move(kind)), address_(std::move(address)) {}
  void post(http::Request request, const MakeTransport& make_transport) const;
  void run_command(const Notice& notice) const;

  std::string kind_, address_;
};

}  // namespace kml::job
