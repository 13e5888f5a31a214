#include "local/api/api_error.h"

#include <fmt/format.h>

#include <algorithm>

#include "kml/kube/objects/status.h"

namespace kml::local {

Error bad_request(std::string message) {
  return api_error(400, "BadRequest", std::move(message));
}

ApiError::ApiError(Error error, const api::ResourceKind& kind, std::string_view kind_name,
                   std::string_view name)
    : Error(std::move(error)) {
  set_said(details, {{"name", name}, {"group", kind.group}, {"kind", kind_name}});
}

ApiError forbidden(const api::ResourceKind& kind, std::string_view name, std::string_view why) {
  return {
      api_error(403, "Forbidden", fmt::format("{} \"{}\" is forbidden: {}", resource_name(kind), name, why)),
      kind, kind.plural, name};
}

ApiError not_found(const api::ResourceKind& kind, std::string_view name) {
  return {api_error(404, "NotFound", fmt::format("{} \"{}\" not found", resource_name(kind), name)), kind,
          kind.plural, name};
}

Error not_offered(std::string_view what) {
  return api_error(501, "NotImplemented", fmt::format("kml's embedded server does not offer {}", what));
}

std::string resource_name(const api::ResourceKind& kind) {
  return kind.group.empty() ? std::string(kind.plural) : fmt::format("{}.{}", kind.plural, kind.group);
}

namespace {

/// The value as an error message shows it, shortened if it is long.
std::string shown(const Json& value) {
  constexpr size_t kLongest = 200;
  std::string text = compact_text(value);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}

}  // namespace

void FieldErrors::add(std::string path, std::string text) {
  problems_.push_back({.path = std::move(path), .text = std::move(text)});
}

void FieldErrors::required(std::string path, std::string_view hint) {
  add(std::move(path), fmt::format("Required value{}{}", hint.empty() ? "" : ": ", hint));
}

void FieldErrors::invalid(std::string path, const Json& value, std::string_view why) {
  add(std::move(path), fmt::format("Invalid value: {}: {}", shown(value), why));
}

void FieldErrors::not_supported(std::string path, const Json& value, std::string_view supported) {
  add(std::move(path), fmt::format("Unsupported value: {}: supported values: {}", shown(value), supported));
}

void FieldErrors::require_one_of(std::string path, const Json& value,
                                 std::initializer_list<std::string_view> allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  not_supported(std::move(path), value, fmt::format("\"{}\"", fmt::join(allowed, "\", \"")));
}

void FieldErrors::forbidden(std::string path, std::string_view why) {
  add(std::move(path), fmt::format("Forbidden: {}", why));
}

void FieldErrors::duplicate(std::string path, const Json& value) {
  add(std::move(path), fmt::format("Duplicate value: {}", shown(value)));
}

void FieldErrors::not_found(std::string path, const Json& value) {
  add(std::move(path), fmt::format("Not found: {}", shown(value)));
}

void FieldErrors::too_long(std::string path, size_t bytes) {
  add(std::move(path), fmt::format("Too long: may not be more than {} bytes", bytes));
}

void FieldErrors::immutable(std::string path, const Json& value) {
  invalid(std::move(path), value, "field is immutable");
}

void FieldErrors::add_all(const FieldErrors& part, const std::string& path) {
  for (const Problem& problem : part.problems_) add(path + "." + problem.path, problem.text);
}

void FieldErrors::throw_if_any(const api::ResourceKind& kind, std::string_view name) const {
  if (problems_.empty()) return;
  std::string text;
  for (const Problem& problem : problems_)
    text += (text.empty() ? "" : ", ") + problem.path + ": " + problem.text;
  if (problems_.size() > 1) text = "[" + text + "]";
  std::string kind_name(kind.kind);
  if (!kind.group.empty()) kind_name += "." + std::string(kind.group);
  Error error = api_error(422, "Invalid", fmt::format("{} \"{}\" is invalid: {}", kind_name, name, text));
  error.problems = problems_;
  throw ApiError(std::move(error), kind, kind.kind, name);
}

namespace {

/// The metav1.CauseType for a message that starts with these words.
std::string_view cause_of(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kCauses[] = {
      {"Required value", "FieldValueRequired"}, {"Unsupported value", "FieldValueNotSupported"},
      {"Forbidden", "FieldValueForbidden"},     {"Duplicate value", "FieldValueDuplicate"},
      {"Not found", "FieldValueNotFound"},      {"Too long", "FieldValueTooLong"},
  };
  for (const auto& [start, cause] : kCauses)
    if (text.starts_with(start)) return cause;
  return "FieldValueInvalid";
}

}  // namespace

HttpResponse json_response(int http_status, const Json& body) {
  return {.status = http_status, .body = compact_text(body) + "\n"};
}

HttpResponse error_response(const Error& error) {
  int http_status = error.http_status;
  std::string reason = error.reason;
  if (http_status == 0) {
    http_status = error.code == ErrorCode::usage ? 400 : 500;
    reason = error.code == ErrorCode::usage ? "BadRequest" : "InternalError";
  }
  std::string message = error.message;
  if (!error.why.empty()) message += ": " + error.why;
  // Only kml shows the fix, so for other clients the message must say how to free space.
  if (error.http_status == 507 && !error.fix.empty()) message += "; " + error.fix;
  const auto* about = dynamic_cast<const ApiError*>(&error);
  Json details = about ? about->details : Json::object();
  for (const Problem& problem : error.problems)
    details["causes"].push_back(
        {{"reason", cause_of(problem.text)}, {"message", problem.text}, {"field", problem.path}});
  return json_response(http_status, api::failure_status(http_status, reason, message, std::move(details)));
}

}  // namespace kml::local
