#include "kml/ui/reports.h"

#include <ostream>

#include "kml/core/json.h"

namespace kml::ui {

namespace {

Json to_json(const Error& error) {
  Json json = {{"code", static_cast<int>(error.code)}, {"what", error.message}};
  if (!error.why.empty()) json["why"] = error.why;
  if (!error.fix.empty()) json["fix"] = error.fix;
  if (error.http_status != 0) json["httpStatus"] = error.http_status;
  if (!error.reason.empty()) json["reason"] = error.reason;
  for (const Problem& problem : error.problems) {
    Json item = {{"text", problem.text}};
    if (!problem.file.empty()) item["file"] = problem.file;
    if (problem.line > 0) item["line"] = problem.line;
    if (problem.column > 0) item["column"] = problem.column;
    if (!problem.path.empty()) item["path"] = problem.path;
    json["problems"].push_back(std::move(item));
  }
  return Json{{"error", std::move(json)}};
}

}  // namespace

void print_error(const Streams& streams, const Error& error, bool as_json) {
  if (as_json)
    streams.err << json_text(to_json(error), 2) << std::endl;
  else
    streams.err << describe(error) << std::flush;
}

}  // namespace kml::ui
