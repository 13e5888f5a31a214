#include "kml/ui/error_report.h"

#include <ostream>

#include "kml/base/json.h"

namespace kml::ui {

namespace {

/// The number, or null if it is 0, which means unknown.
Json number_or_null(long long number) {
  return number > 0 ? Json(number) : Json();
}

Json to_json(const Error& error) {
  Json json = {{"code", static_cast<int>(error.code)}, {"what", error.message}};
  set_said(json, {{"why", error.why},
                  {"fix", error.fix},
                  {"httpStatus", number_or_null(error.http_status)},
                  {"reason", error.reason}});
  for (const Problem& problem : error.problems) {
    Json item = {{"text", problem.text}};
    set_said(item, {{"file", problem.file},
                    {"line", number_or_null(problem.line)},
                    {"column", number_or_null(problem.column)},
                    {"path", problem.path}});
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
