#pragma once

#include <exception>
#include <string>
#include <vector>

namespace kml {

/// The class of an error, so that callers and scripts can branch on it. The value is kml's exit code.
enum class ErrorCode {
  failure = 1,
  usage = 2,  ///< a wrong flag, spec, template or configuration file
  job_failed = 3,
  auth = 4,         ///< 401 or 403
  unreachable = 5,  ///< no connection, or a timeout
  interrupted = 130,
};

/// One fault at one place in an input. `line` and `column` count from 1; 0 means unknown.
struct Problem {
  std::string file = {};
  int line = 0;
  int column = 0;
  std::string path = {};  ///< path in the document, e.g. `spec.template.spec.containers[0]`
  std::string text = {};
};

/// kml's one exception: what happened, why, and what to do about it.
struct Error : std::exception {
  Error(ErrorCode error_code, std::string what_happened, std::string reason_why = {},
        std::string how_to_fix = {});
  // Not inline: each place that throws would compile them.
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error() override;

  const char* what() const noexcept override { return message.c_str(); }

  ErrorCode code;
  std::string message;  ///< what happened, one line
  std::string why;
  std::string fix;
  std::vector<Problem> problems;
  int http_status = 0;  ///< the API server's response; 0 if there was no response
  std::string reason;   ///< metav1.Status.reason, e.g. "AlreadyExists"; branch on this
};

/// The error for a wrong flag, spec, template or configuration file (exit code 2).
Error usage_error(std::string what_happened, std::string why = {}, std::string fix = {});

/// An error whose text is "what: strerror(errno_value)" (exit code 1).
Error system_error(std::string what_happened, int errno_value, std::string fix = {});

/// The message as shown on a terminal: several lines, ending in a newline.
std::string describe(const Error& error);

/// "FILE:LINE:COLUMN PATH: TEXT", without the parts that are unknown.
std::string describe(const Problem& problem);

/// "MESSAGE: WHY", or the message alone if no cause is known: for a note, or the cause of another error.
std::string message_and_why(const Error& error);

}  // namespace kml
