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

/// JSON in which HTML cannot find the end of the script element, whatever the data contains. Escapes `<` and
/// all characters outside ASCII. NaN becomes null.
std::string json_for_html(const Json& data) {
  const std::string text = data.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

/// `title` is the title of the page until the page's script changes it.
std::string page_of(std::string_view title, std::string_view body, std::initializer_list<const char*> scripts,
                    const Json& data) {
  std::string page(report_part("frame.html"));
  std::string script;
  for (const char* part : scripts) script += report_part(part);
  replace(page, "<title>kml", "<title>" + std::string(title));
  replace(page, "<!--body-->\n", report_part(body));
  replace(page, "/*style*/", report_part("style.css"));
  replace(page, "/*script*/", script);
  replace(page, "{\"data\":0}", json_for_html(data));
  return page;
}

}  // namespace

std::string report_page(const Json& data) {
  return page_of("kml sweep", "page.html",
                 {"elements.js", "marks.js", "scales.js", "plots.js", "front.js", "cost.js", "table.js",
                  "trials.js", "page.js"},
                 data);
}

std::string runs_report_page(const Json& data) {
  return page_of("kml runs", "runs.html", {"elements.js", "scales.js", "table.js", "runs.js"}, data);
}

std::string timeline_page(const std::vector<TimelineJob>& jobs, Time since, Time until) {
  Json list = Json::array();
  for (const TimelineJob& job : jobs) list.push_back(to_json(job));
  return page_of("kml timeline", "timeline.html", {"elements.js", "scales.js", "table.js", "timeline.js"},
                 {{"since", rfc3339(since)}, {"until", rfc3339(until)}, {"jobs", std::move(list)}});
}

}  // namespace kml::ui
