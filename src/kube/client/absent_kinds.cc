#include "kml/kube/client/absent_kinds.h"

#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/json.h"

namespace kml::kube {

namespace {

constexpr std::chrono::minutes kKept{10};
constexpr size_t kLargestRecord = size_t{1} << 20;
constexpr std::string_view kEveryNamespace = "*";
/// Precedes the key of a kind of which a namespace has no objects, although the server has the kind.
const std::string kNoObjects = "no objects of ";

long long seconds_now() {
  return std::chrono::duration_cast<std::chrono::seconds>(system_clock().now().time_since_epoch()).count();
}

/// Whether a kind is requested even if it was absent before. Servers often lack beta versions. The other
/// kinds that kml knows exist on every server, or the request's error explains more.
bool is_always_asked(const api::ResourceKind& kind) {
  return api::is_known(kind) && kind.version != "v1beta1";
}

std::string key_of(const api::ResourceKind& kind, std::string_view namespace_name) {
  return kind.api_version() + " " + std::string(kind.kind) + " " + std::string(namespace_name);
}

}  // namespace

void AbsentKinds::keep_in(std::filesystem::path file) {
  file_ = std::move(file);
  try {
    std::error_code missing;
    if (!std::filesystem::exists(file_, missing)) return;
    const Json kept = parse_json(read_file(file_, kLargestRecord), file_.string());
    for (const auto& [key, until] : kept.items())
      if (until.is_number_integer() &&
          until.get<long long>() <= seconds_now() + kKept / std::chrono::seconds(1))
        until_.emplace(key, until.get<long long>());
  } catch (const Error&) {
    until_.clear();
  }
}

bool AbsentKinds::has(const api::ResourceKind& kind, std::string_view namespace_name) const {
  if (is_always_asked(kind)) return false;
  if (is_all_) return true;
  for (const std::string_view where : {namespace_name, kEveryNamespace})
    if (const auto found = until_.find(key_of(kind, where));
        found != until_.end() && found->second > seconds_now())
      return true;
  return false;
}

void AbsentKinds::add(const api::ResourceKind& kind, std::string_view namespace_name, int http_status) {
  if (is_always_asked(kind)) return;
  until_[key_of(kind, http_status == 404 ? kEveryNamespace : namespace_name)] =
      seconds_now() + kKept / std::chrono::seconds(1);
  write();
}

bool AbsentKinds::has_no_objects(const api::ResourceKind& kind, std::string_view namespace_name) const {
  const auto found = until_.find(kNoObjects + key_of(kind, namespace_name));
  return found != until_.end() && found->second > seconds_now();
}

void AbsentKinds::add_no_objects(const api::ResourceKind& kind, std::string_view namespace_name) {
  until_[kNoObjects + key_of(kind, namespace_name)] = seconds_now() + kKept / std::chrono::seconds(1);
  write();
}

void AbsentKinds::forget(const api::ResourceKind& kind) {
  const std::string prefix = key_of(kind, "");
  if (std::erase_if(until_, [&](const auto& entry) { return entry.first.starts_with(prefix); }) > 0) write();
}

void AbsentKinds::write() const {
  if (file_.empty()) return;
  try {
    make_private_folder(file_.parent_path());
    write_file_atomically(file_, json_text(Json(until_)));
  } catch (const Error&) {  // the next command asks again
  }
}

}  // namespace kml::kube
