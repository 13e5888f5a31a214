#include "kml/job/submit/missing_kind.h"

#include "job/views/operators.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

bool is_about_path(const Error& refusal) {
  return refusal.http_status == 404 &&
         (refusal.reason.empty() || contains(refusal.why, "could not find the requested resource"));
}

namespace {

/// The version in which kml knows the kind of this group; empty if it is the same one.
std::string with_another_version(const std::string& version, const std::string& kind) {
  const std::string group = version.substr(0, version.find('/'));
  for (const api::ResourceKind& known : api::known_kinds())
    if (known.kind == kind && known.group == group && known.api_version() != version)
      return "write apiVersion: " + known.api_version() + ", if the cluster has it";
  return {};
}

}  // namespace

Error explained_refusal(const Error& refusal, const Json& object) {
  const std::string kind = api::kind_name(object), version = api::api_version_of(object);
  if (kind.empty() || !is_about_path(refusal)) return refusal;
  Error error(ErrorCode::failure, "the cluster cannot run " + shown_kind(object) + "s",
              "the server does not have the kind " + kind + " in " + version);
  const std::string missing = operator_of(object);
  if (!missing.empty()) error.why = missing + " is not installed: " + error.why;
  error.fix = with_another_version(version, kind);
  error.http_status = refusal.http_status;
  error.reason = kNoSuchKind;
  return error;
}

}  // namespace kml::job
