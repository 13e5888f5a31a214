#include "live/tables/web_page.h"

#include <initializer_list>

#include "tracking/tables/parts.h"

namespace kml::ui {

namespace {

/// A JavaScript function that contains the scripts of a report; its parameter is the report's data.
std::string report_function(const char* name, std::initializer_list<const char*> scripts,
                            const char* last_lines = "") {
  std::string function = std::string("function ") + name + "(data) {\n";
  for (const char* script : scripts) function += report_part(script);
  return function + last_lines + "}\n";
}

std::string live_script() {
  std::string script(report_part("elements.js"));
  script += report_part("table.js");
  script += report_function(
      "drawSweep", {"marks.js", "scales.js", "plots.js", "front.js", "cost.js", "trials.js", "page.js"});
  script += report_function("drawRuns", {"scales.js", "runs.js"});
  script += report_function("drawTimeline", {"scales.js", "timeline.js"},
                            "bars();\nwatchPointer(\"job\", describe);\n");
  for (const char* part : {"stream.js", "store.js", "grid.js", "views.js", "nodes.js", "dag.js", "job.js",
                           "reports.js", "actions.js", "app.js"})
    script += live_part(part);
  return script;
}

std::string live_style() {
  return std::string(report_part("style.css")) + std::string(live_part("app.css"));
}

/// An element that is not shown until a script copies it.
std::string template_of(const std::string& id, const char* part) {
  return "<template id=\"" + id + "\">\n" + std::string(report_part(part)) + "</template>\n";
}

std::string live_body() {
  return std::string(live_part("app.html")) + template_of("sweep-report", "page.html") +
         template_of("runs-report", "runs.html");
}

}  // namespace

live::PageFiles live_page() {
  return {
      .page =
          "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>kml ui</title>\n"
          "<link rel=\"stylesheet\" href=\"/app.css\">\n</head>\n<body>\n"
          "<noscript>This page is drawn by its script.</noscript>\n" +
          live_body() +
          "<div id=\"tip\" role=\"status\" hidden></div>\n<script "
          "src=\"/app.js\"></script>\n</body>\n</html>\n",
      .style = live_style(),
      .script = "(() => {\n\"use strict\";\n" + live_script() + "})();\n",
      .enter_script = std::string(live_part("enter.js"))};
}

std::string fixed_live_page(const PageContent& content, Time made) {
  Json changes = Json::array();
  for (const live::Change& change : content.changes)
    changes.push_back(parse_json(line_of(change), "a change"));
  return page_with({.title = "kml ui", .style = live_style(), .body = live_body(), .script = live_script()},
                   {{"made", rfc3339(made)},
                    {"changes", std::move(changes)},
                    {"reports", {{"sweeps", content.sweep_reports}, {"runs", content.run_reports}}}});
}

}  // namespace kml::ui
