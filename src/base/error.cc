#include "kml/base/error.h"

#include <cerrno>
#include <cstring>

namespace kml {

Error::Error(ErrorCode error_code, std::string what_happened, std::string reason_why, std::string how_to_fix)
    : code(error_code),
      message(std::move(what_happened)),
      why(std::move(reason_why)),
      fix(std::move(how_to_fix)) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

Error usage_error(std::string what_happened, std::string why, std::string fix) {
  return {ErrorCode::usage, std::move(what_happened), std::move(why), std::move(fix)};
}

Error system_error(std::string what_happened, int errno_value, std::string fix) {
  Error error(ErrorCode::failure, std::move(what_happened), std::strerror(errno_value), std::move(fix));
  if (errno_value == ENOSPC || errno_value == EDQUOT) error.reason = "InsufficientStorage";
  return error;
}

namespace {

std::string place(const Problem& problem) {
  std::string text = problem.file;
  if (problem.line > 0) {
    text += (text.empty() ? "line " : ":") + std::to_string(problem.line);
    if (problem.column > 0) text += ":" + std::to_string(problem.column);
  }
  if (!problem.path.empty()) text += (text.empty() ? "" : " ") + problem.path;
  return text;
}

}  // namespace

std::string message_and_why(const Error& error) {
  return error.message + (error.why.empty() ? "" : ": " + error.why);
}

std::string describe(const Problem& problem) {
  const std::string where = place(problem);
  return where + (where.empty() ? "" : ": ") + problem.text;
}

std::string describe(const Error& error) {
  std::string text = "kml: error: " + error.message;
  if (error.http_status != 0) text += " (" + std::to_string(error.http_status) + ")";
  text += "\n";
  for (const Problem& problem : error.problems) {
    text += "  " + describe(problem) + "\n";
  }
  if (!error.why.empty()) text += "  why: " + error.why + "\n";
  if (!error.fix.empty()) text += "  fix: " + error.fix + "\n";
  return text;
}

}  // namespace kml
