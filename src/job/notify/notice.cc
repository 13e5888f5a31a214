#include <fmt/format.h>

#include "job/notify/notify.h"
#include "kml/base/json_number.h"

namespace kml::job {

std::string_view name_of(Notice::Event event) {
  switch (event) {
    case Notice::Event::start: return "start";
    case Notice::Event::end: return "end";
    case Notice::Event::failure: return "failure";
    case Notice::Event::hang: return "hang";
  }
  return "";
}

Json to_json(const Notice& notice) {
  Json metrics = Json::object();
  for (const auto& [name, value] : notice.metrics) metrics[name] = json_of_number(value);
  return {{"event", name_of(notice.event)},
          {"time", rfc3339(notice.time)},
          {"job", notice.job},
          {"namespace", notice.namespace_name},
          {"context", notice.context},
          {"text", notice.text},
          {"why", notice.why},
          {"metrics", metrics}};
}

std::string message_of(const Notice& notice) {
  std::string text = notice.text + " (" + notice.context + "/" + notice.namespace_name + ")";
  std::string metrics;
  for (const auto& [name, value] : notice.metrics)
    metrics += fmt::format("{}{}={:.6g}", metrics.empty() ? "" : " ", name, value);
  for (const std::string& line : {metrics, notice.why})
    if (!line.empty()) text += "\n" + line;
  return text;
}

}  // namespace kml::job
