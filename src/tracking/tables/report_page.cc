#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kml/tracking/tables/sweep_report.h"
#include "tracking/tables/parts.h"
#include "tracking/tables/runs_report.h"
#include "tracking/tables/timeline.h"

namespace kml::ui {

namespace {

void replace(std::string& text, std::string_view mark, std::string_view by) {
  text.replace(text.find(mark), mark.size(), by);
}

/// JSON in which an HTML parser does not find the end of the script element, whatever the data contains.
/// Escapes `<` and all characters outside ASCII. NaN becomes null.
std::string json_for_html(const Json& data) {
  const std::string text = data.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

std::string page_of(const char* title, std::string_view body, std::initializer_list<const char*> scripts,
                    const Json& data) {
  std::string script;
  for (const char* part : scripts) script += report_part(part);
  return page_with({.title = title,
                    .style = std::string(report_part("style.css")),
                    .body = std::string(report_part(body)),
                    .script = script},
                   data);
}

}  // namespace

std::string page_with(const PageParts& parts, const Json& data) {
  std::string page(report_part("frame.html"));
  replace(page, "<title>kml", "<title>" + parts.title);
  replace(page, "<!--body-->\n", parts.body);
  replace(page, "/*style*/", parts.style);
  replace(page, "/*script*/", parts.script);
  replace(page, "{\"data\":0}", json_for_html(data));
  return page;
}

std::string report_page(const Json& data) {
  return page_of("kml sweep", "page.html",
                 {"data.js", "elements.js", "marks.js", "scales.js", "plots.js", "front.js", "cost.js",
                  "table.js", "trials.js", "page.js"},
                 data);
}

std::string runs_report_page(const Json& data) {
  return page_of("kml runs", "runs.html", {"data.js", "elements.js", "scales.js", "table.js", "runs.js"},
                 data);
}

std::string timeline_page(const std::vector<TimelineJob>& jobs, Time since, Time until) {
  Json list = Json::array();
  for (const TimelineJob& job : jobs) list.push_back(to_json(job));
  return page_of("kml timeline", "timeline.html",
                 {"data.js", "elements.js", "scales.js", "table.js", "timeline.js", "timeline_page.js"},
                 {{"since", rfc3339(since)}, {"until", rfc3339(until)}, {"jobs", std::move(list)}});
}

}  // namespace kml::ui
