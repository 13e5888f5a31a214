#include "net/s3/faults.h"

#include "kml/base/text.h"
#include "net/s3/xml.h"

namespace kml::s3 {

namespace {

struct Doing {
  const char *verb, *action;
};

Doing doing_of(const Call& call) {
  if (call.key.empty() && call.method == "GET") return {"list", "s3:ListBucket"};
  if (call.method == "GET" || call.method == "HEAD") return {"read", "s3:GetObject"};
  return call.method == "DELETE" ? Doing{"remove", "s3:DeleteObject"} : Doing{"write", "s3:PutObject"};
}

std::string key_text(const Credentials& credentials) {
  return "access key " + credentials.key_id + " (from " + credentials.origin + ")";
}

/// Why the key was rejected, and the fix.
std::pair<std::string, std::string> why_refused(const std::string& code, const Call& call,
                                                const http::Response& response,
                                                const Credentials& credentials) {
  const std::string key = key_text(credentials);
  if (code == "InvalidAccessKeyId") return {"unknown " + key, "correct the access key"};
  if (code == "SignatureDoesNotMatch")
    return {"the secret is wrong for " + key, "correct the secret access key"};
  if (code == "InvalidToken")
    return {"the session token is wrong for " + key,
            "correct the session token, or get a new key, for example with `aws sso login`"};
  if (needs_new_key(response))
    return {key + " has expired", "get a new key, for example with `aws sso login`"};
  if (code == "RequestTimeTooSkewed")
    return {"this machine's clock differs too much from the server's, which shows " + response.header("date"),
            "set the clock: timedatectl set-ntp true"};
  return {key + " is not allowed to do " + doing_of(call).action,
          "allow that action for the key, in the policy of its user or of the bucket"};
}

}  // namespace

std::string code_of(const http::Response& response) {
  std::string code = xml_text(response.body, "Code");
  // the name that versitygw uses, with status 404
  if (code == "XAdminUserNotFound") return "InvalidAccessKeyId";
  if (!code.empty()) return code;
  switch (response.status) {
    case 403: return "AccessDenied";
    case 404: return "NotFound";
    case 412: return "PreconditionFailed";
    case 503: return "SlowDown";
    default: return {};
  }
}

bool needs_new_key(const http::Response& response) {
  if (response.status != 400 && response.status != 401 && response.status != 403) return false;
  const std::string code = code_of(response);
  return code == "ExpiredToken" || code == "ExpiredTokenException" || code == "InvalidToken";
}

bool is_gone(const http::Response& response) {
  const std::string code = code_of(response);
  return response.status == 404 && (code == "NoSuchKey" || code == "NotFound");
}

Error fault_of(const Call& call, const http::Response& response, const Settings& settings,
               const Credentials& credentials) {
  const std::string code = code_of(response), message = xml_text(response.body, "Message");
  const std::string status = " (" + std::to_string(response.status) + (code.empty() ? "" : " " + code) + ")";
  if (code == "NoSuchBucket") {
    Error error = usage_error("no bucket " + settings.bucket.name + " at " + settings.url(), "",
                              "create the bucket, or correct its name, AWS_ENDPOINT_URL_S3 or the region");
    error.reason = code;
    return error;
  }
  const std::string place = settings.bucket.url() + (call.key.empty() ? "" : "/" + call.key);
  Error error(ErrorCode::failure, std::string("S3 could not ") + doing_of(call).verb + " " + place + status,
              message);
  if (response.status == 401 || response.status == 403 || code == "InvalidAccessKeyId" ||
      needs_new_key(response)) {
    error.code = ErrorCode::auth;
    std::tie(error.why, error.fix) = why_refused(code, call, response, credentials);
  } else if (response.status == 429 || response.status >= 500) {
    error.code = ErrorCode::unreachable;
    error.fix = "wait, then try again";
  } else if (const std::string region = response.header("x-amz-bucket-region"); !region.empty()) {
    error.why = "the bucket is in region " + region + ", not " + settings.region;
    error.fix = "export AWS_REGION=" + region;
  }
  error.reason = code;
  return error;
}

}  // namespace kml::s3
