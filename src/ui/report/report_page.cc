#include <initializer_list>
#include <string>
#include <string_view>

#include "kml/ui/reports.h"
#include "kml/ui/runs_report.h"
#include "ui/report/parts.h"

namespace kml::ui {

namespace {

void replace(std::string& text, std::string_view mark, std::string_view by) {
  text.replace(text.find(mark), mark.size(), by);
}

/// JSON in which HTML cannot find the end of its script element, whatever the data contains: `<` and all
/// characters outside ASCII are escaped. NaN becomes null.
std::string json_for_html(const Json& data) {
  const std::string text = data.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

/// `title` is the page's title until its script sets another.
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
  return page_of(
      "kml sweep", "page.html",
      {"elements.js", "marks.js", "scales.js", "plots.js", "cost.js", "table.js", "trials.js", "page.js"},
      data);
}

std::string runs_report_page(const Json& data) {
  return page_of("kml runs", "runs.html", {"elements.js", "scales.js", "table.js", "runs.js"}, data);
}

}  // namespace kml::ui
