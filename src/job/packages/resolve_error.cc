#include "job/packages/resolve_error.h"

#include <algorithm>
#include <initializer_list>

#include "job/packages/indexes.h"
#include "kml/base/text.h"

namespace kml::packages {

namespace {

constexpr std::string_view kSyntax = "Couldn't parse requirement in ";
constexpr std::string_view kSyntaxOfGroup = "Failed to parse entry in group ";

bool has_one_of(const std::string& text, std::initializer_list<const char*> words) {
  return std::ranges::any_of(words, [&](const char* word) { return contains(text, word); });
}

/// uv names a file that kml has made, and the position in it: "`requirements.in` at position 0 WHY"; or the
/// group and the requirement: "`test`: `six>=` WHY".
std::string without_place(const std::string& reason) {
  if (const size_t at = reason.find(kSyntaxOfGroup); at != std::string::npos) {
    const std::string rest = reason.substr(at + kSyntaxOfGroup.size());
    constexpr std::string_view kEnd = "` ";
    return rest.substr(rest.find(kEnd) == std::string::npos ? 0 : rest.find(kEnd) + kEnd.size());
  }
  std::string_view rest = std::string_view(reason).substr(reason.find(kSyntax) + kSyntax.size());
  constexpr std::string_view kAt = " at position ";
  if (const size_t at = rest.find(kAt); at != rest.npos) {
    rest.remove_prefix(at + kAt.size());
    rest.remove_prefix(std::min(rest.find(' '), rest.size()));
  }
  while (rest.ends_with('^') || rest.ends_with(' ')) rest.remove_suffix(1);
  return std::string(trim(rest));
}

std::string fix_for_python(const Requested& requested) {
  if (!requested.conda_packages.empty())
    return "name another Python in the dependencies of " + requested.shown + ": python=3.12";
  const bool is_list = requested.kind == Requested::Kind::requirements;
  return "name the Python of the job in " + (is_list ? "a pyproject.toml in this folder" : requested.shown) +
         ": requires-python = \">=3.12\"";
}

std::string fix_for(const std::string& reason, const Requested& requested) {
  const std::string text = lower(reason);
  if (is_about_network(reason)) return fix_for_network(reason);
  if (is_about_wheels(reason))
    return "kml builds no packages on this machine: ask for a version with a wheel";
  if (has_one_of(text, {"python>", "python version"})) return fix_for_python(requested);
  return "";
}

}  // namespace

bool is_about_syntax(const std::string& reason) {
  return contains(reason, kSyntax) || contains(reason, kSyntaxOfGroup);
}

bool is_about_the_project(const std::string& reason) {
  return lower(reason) == "building source distributions is disabled";
}

bool is_about_wheels(const std::string& reason) {
  return has_one_of(lower(reason), {"building source distributions is disabled", "no usable wheels",
                                    "no wheels", "no compatible wheel"});
}

bool is_about_network(const std::string& reason) {
  return has_one_of(lower(reason), {"failed to fetch", "failed to download", "error sending request",
                                    "dns error", "request failed after", "timed out", "network timeout",
                                    "connection refused", "connection reset", "connection closed",
                                    "network connectivity is disabled", "authentication credentials"});
}

std::string host_in_reason(const std::string& reason) {
  for (const std::string_view scheme : {"https://", "http://"})
    if (const size_t at = reason.find(scheme); at != std::string::npos)
      return host_in(reason.substr(at, reason.find_first_of(" `'\")", at) - at));
  return {};
}

std::string fix_for_network(const std::string& reason) {
  const std::string text = lower(reason);
  if (has_one_of(text, {"401", "403", "unauthorized", "forbidden"}))
    return "log in to the index: set UV_INDEX_NAME_USERNAME and UV_INDEX_NAME_PASSWORD, or put a password "
           "into its URL";
  if (has_one_of(text, {"(404", "(410"})) return "correct the URL: its server does not have the file";
  if (has_one_of(text, {"(429", "(503"})) return "the server is busy: try again in some minutes";
  if (has_one_of(text, {"certificate", "unknownissuer"}))
    return "name the file with the certificate authority of the index: SSL_CERT_FILE=FILE";
  return "check the connection, or name your index: UV_DEFAULT_INDEX=URL, or in ~/.config/uv/uv.toml";
}

std::string fix_for_install(const std::string& reason, const std::string& python,
                            const std::string& processor) {
  if (is_about_network(reason)) return fix_for_network(reason);
  if (!is_about_wheels(reason)) return "";
  return "kml builds no packages for images: ask for versions with a wheel for Python " + python + " on " +
         processor;
}

Error resolve_error(const std::string& reason, const Requested& requested) {
  if (is_about_syntax(reason))
    return usage_error(requested.shown + " has an invalid requirement", without_place(reason),
                       "write it as NAME, NAME==1.0 or \"NAME>=1.0,<2\"");
  return {ErrorCode::failure, "cannot resolve the packages of " + requested.shown, reason,
          fix_for(reason, requested)};
}

}  // namespace kml::packages
