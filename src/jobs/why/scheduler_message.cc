#include "jobs/why/scheduler_message.h"

#include <cctype>
#include <cstdlib>

#include "kml/core/text.h"
#include "kml/jobs/views/pod_view.h"

namespace kml::jobs {

namespace {

using Kind = SchedulerMessage::Kind;

/// Between the first brace and the next.
std::string in_braces(std::string_view text) {
  const size_t open = text.find('{'), close = text.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return std::string(text.substr(open + 1, close - open - 1));
}

Kind kind_of(std::string_view text, std::string& detail) {
  constexpr std::string_view kInsufficient = "Insufficient ";
  if (text.starts_with(kInsufficient)) {
    detail = text.substr(kInsufficient.size());
    return Kind::resource;
  }
  if (text.starts_with("Too many pods")) {
    detail = "pods";
    return Kind::resource;
  }
  if (contains(text, "taint")) {
    detail = in_braces(text);
    if (detail.starts_with("node.kubernetes.io/unschedulable")) return Kind::cordoned;
    return detail.starts_with("node.kubernetes.io/") ? Kind::not_ready : Kind::taint;
  }
  if (contains(text, "were unschedulable")) return Kind::cordoned;
  if (contains(text, "olume")) return Kind::volume;  // also persistentvolumeclaim, PersistentVolumeClaims
  if (contains(text, "node affinity/selector") || contains(text, "match node selector")) return Kind::labels;
  if (contains(text, "ports")) return Kind::port;
  return contains(text, "affinity") || contains(text, "topology spread") ? Kind::affinity : Kind::other;
}

SchedulerMessage::Reason reason_of(std::string_view text) {
  SchedulerMessage::Reason reason;
  size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) ++digits;
  if (digits > 0 && digits < 9) {
    reason.nodes = std::atoi(std::string(text.substr(0, digits)).c_str());
    text.remove_prefix(digits);
  }
  reason.text = trim(text);
  reason.kind = kind_of(reason.text, reason.detail);
  return reason;
}

}  // namespace

SchedulerMessage parse_scheduler_message(std::string_view message) {
  SchedulerMessage parsed;
  const size_t preemption = message.find("preemption: ");
  if (preemption != std::string_view::npos)
    parsed.preemption_cannot_help = !contains(message.substr(preemption), "No preemption victims found") &&
                                    contains(message.substr(preemption), "Preemption is not helpful");
  const std::string reasons = short_scheduler_message(message);
  // A comma is within a reason too: "had taint {k: v}, that the pod didn't tolerate".
  size_t begin = 0;
  for (size_t at = 0; at <= reasons.size(); ++at) {
    const bool ends =
        at == reasons.size() || (reasons.compare(at, 2, ", ") == 0 && at + 2 < reasons.size() &&
                                 std::isdigit(static_cast<unsigned char>(reasons[at + 2])) != 0);
    if (!ends) continue;
    if (at > begin) parsed.reasons.push_back(reason_of(std::string_view(reasons).substr(begin, at - begin)));
    begin = at + 2;
  }
  return parsed;
}

}  // namespace kml::jobs
