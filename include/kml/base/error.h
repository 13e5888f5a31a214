#pragma once

#include <exception>
#include <string>
#include <vector>

namespace kml {

/// The class of an error, which code and scripts can check. The value is kml's exit code.
enum class ErrorCode {
  failure = 1,
  usage = 2,  ///< wrong input, such as a flag, spec, template or configuration file
  job_failed = 3,
  auth = 4,         ///< missing, rejected or insufficient credentials
  unreachable = 5,  ///< a server cannot be reached, or does not respond as it should
  interrupted = 130,
};

/// A fault at one place in an input. `line` and `column` start from 1; 0 means unknown.
struct Problem {
  std::string file = {};
  int line = 0;
  int column = 0;
  std::string path = {};  ///< the path in the document, such as `spec.template.spec.containers[0]`
  std::string text = {};
};

/// kml's only exception. Says what happened, why, and what to do about it.
struct Error : std::exception {
  Error(ErrorCode error_code, std::string what_happened, std::string reason_why = {},
        std::string how_to_fix = {});
  // Not inline: inline code would be compiled at each place that throws.
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error() override;

  const char* what() const noexcept override { return message.c_str(); }

  ErrorCode code;
  std::string message;  ///< what happened, in one line
  std::string why;
  std::string fix;
  std::vector<Problem> problems;
  int http_status = 0;  ///< the HTTP status of a server's response; 0 if there was no response
  std::string
      reason;  ///< for code to check: metav1.Status.reason, such as "AlreadyExists", or a word of kml's own
};

/// An Error for wrong input, such as a flag, spec, template or configuration file (exit code 2).
Error usage_error(std::string what_happened, std::string why = {}, std::string fix = {});

/// An Error with the text "what: strerror(errno_value)" (exit code 1).
Error system_error(std::string what_happened, int errno_value, std::string fix = {});

/// The Error as it is shown on a terminal: several lines, which end with a newline.
std::string describe(const Error& error);

/// The Problem as "FILE:LINE:COLUMN PATH: TEXT", without the parts that are unknown.
std::string describe(const Problem& problem);

/// "MESSAGE: WHY", or only the message if the cause is unknown. Used in notes, and as the cause of another
/// error.
std::string message_and_why(const Error& error);

}  // namespace kml
