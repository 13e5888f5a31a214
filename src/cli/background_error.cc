#include "cli/background_error.h"

#include <tuple>

#include "kml/core/json_fields.h"

namespace kml::cli {

namespace {

constexpr std::tuple kErrorFields = {
    JsonField{"what", &Error::message}, JsonField{"why", &Error::why}, JsonField{"fix", &Error::fix},
    JsonField{"httpStatus", &Error::http_status}, JsonField{"reason", &Error::reason}};
constexpr std::tuple kProblemFields = {JsonField{"file", &Problem::file}, JsonField{"line", &Problem::line},
                                       JsonField{"column", &Problem::column},
                                       JsonField{"path", &Problem::path}, JsonField{"text", &Problem::text}};

}  // namespace

Json background_message(const Error& error) {
  Json message = fields_to_json(error, kErrorFields);
  message["code"] = static_cast<int>(error.code);
  for (const Problem& problem : error.problems)
    message["problems"].push_back(fields_to_json(problem, kProblemFields));
  return {{"error", std::move(message)}};
}

Error background_error(const Json& message) {
  Error error(static_cast<ErrorCode>(int_at(message, {"code"}, 1)), "");
  read_fields(message, error, kErrorFields);
  for (const Json& problem : array_at(message, {"problems"}))
    read_fields(problem, error.problems.emplace_back(), kProblemFields);
  return error;
}

}  // namespace kml::cli
