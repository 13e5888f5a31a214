#include "jobs/submit/create_once.h"

#include <chrono>
#include <thread>

#include "kml/api/labels.h"
#include "kml/api/object.h"
#include "kml/jobs/submit/idempotency.h"

namespace kml::jobs {

namespace {

/// Made by the same submit, or by another one with the same key and content at the same time.
bool is_own(const Json& existing, const Json& object) {
  const auto agree = [&](const char* part, std::string_view mark) {
    const std::string value = string_at(object, {"metadata", part, mark});
    return !value.empty() && string_at(existing, {"metadata", part, mark}) == value;
  };
  return agree("labels", api::kSubmitId) ||
         (agree("labels", kIdempotencyKey) && agree("annotations", kManifestHash));
}

Error taken(const Json& object, std::string_view namespace_name, const Error& answer) {
  Error refused(ErrorCode::failure,
                described(object) + " exists already in namespace " + std::string(namespace_name), "",
                "choose another --name, or --replace it");
  refused.http_status = answer.http_status;
  refused.reason = answer.reason;
  return refused;
}

}  // namespace

std::string described(const Json& object) {
  return api::kind_name(object) + " \"" + api::name_of(object) + "\"";
}

bool is_ambiguous(const Error& error) {
  return error.http_status >= 500 || (error.code == ErrorCode::unreachable && error.http_status == 0);
}

void pause_before(int next_try) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50) * (1 << next_try));
}

Json settle(kube::Client& client, const api::ResourceKind& kind, std::string_view namespace_name,
            const Json& object, Error error) {
  constexpr int kTries = 5;
  for (int next_try = 1; next_try <= kTries; ++next_try) {
    const bool is_taken = error.reason == "AlreadyExists";
    if (!is_taken && !is_ambiguous(error)) break;
    std::optional<Json> existing;
    try {
      existing = client.get_if_exists(kind, namespace_name, api::name_of(object));
    } catch (const Error& unknown) {
      if (!is_ambiguous(unknown) || next_try == kTries) throw;
      pause_before(next_try);
      continue;
    }
    if (existing && is_own(*existing, object)) return *existing;
    if (is_taken) throw taken(object, namespace_name, error);
    pause_before(next_try);
    try {
      return client.create(kind, namespace_name, object);
    } catch (const Error& again) {
      error = again;
    }
  }
  throw error;
}

Json create_once(kube::Client& client, std::string_view namespace_name, const Json& object) {
  const api::ResourceKind& kind = client.kind_of(object);
  try {
    return client.create(kind, namespace_name, object);
  } catch (const Error& error) {
    return settle(client, kind, namespace_name, object, error);
  }
}

}  // namespace kml::jobs
