#include "kml/net/registry/repository.h"

#include <fmt/format.h>

#include "kml/base/text.h"
#include "net/registry/blob_reader.h"
#include "net/registry/session.h"
#include "net/registry/upload.h"

namespace kml::registry {

namespace {

/// The same limit as in other clients and registries (containerd, distribution).
constexpr size_t kLargestManifest = size_t{4} << 20;
/// 1 TiB: larger numbers can only be mistakes.
constexpr long long kLargestBlob = 1LL << 40;

constexpr const char* kManifestTypes =
    "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.docker.distribution.manifest.v2+json";

std::vector<std::string> scopes_of(const Reference& reference, Repository::Access access,
                                   const std::vector<std::string>& mounted) {
  std::vector<std::string> scopes = {"repository:" + reference.repository +
                                     (access == Repository::Access::write ? ":pull,push" : ":pull")};
  for (const std::string& other : mounted)
    if (other != reference.repository) scopes.push_back("repository:" + other + ":pull");
  return scopes;
}

}  // namespace

Json Descriptor::to_json() const {
  return {{"mediaType", media_type}, {"digest", digest}, {"size", size}};
}

Descriptor descriptor_of(const Json& value, const std::string& source) {
  const long long size = int_at(value, {"size"}, -1);
  Descriptor descriptor{string_at(value, {"mediaType"}), string_at(value, {"digest"}),
                        static_cast<std::uintmax_t>(size)};
  if (is_digest(descriptor.digest) && size >= 0 && size <= kLargestBlob) return descriptor;
  Error error(ErrorCode::failure, source + " is not a valid manifest",
              is_digest(descriptor.digest) ? "the size of " + descriptor.digest + " is wrong"
                                           : "it refers to something without a sha256 digest");
  error.reason = kBadAnswer;
  throw error;
}

Repository::Repository(const Reference& reference, Access access, const Settings& settings,
                       const std::vector<std::string>& mounted)
    : reference_(reference),
      session_(std::make_unique<Session>(reference.host, scopes_of(reference, access, mounted), settings)) {}

Repository::~Repository() = default;

Manifest Repository::manifest(const std::string& name) {
  const std::string shown = reference_.repository_name() + (is_digest(name) ? "@" : ":") + name;
  Call call{.place = session_->at("/" + reference_.repository + "/manifests/" + name),
            .headers = {{"Accept", kManifestTypes}}};
  const http::Response response = session_->send(call);
  if (response.status != 200) throw fault_of(response, reference_.host, "read the image " + shown);
  if (response.body.size() > kLargestManifest)
    throw bad_answer(reference_.host,
                     "the manifest of " + shown + " has more than " + size_text(kLargestManifest));
  Manifest manifest{.media_type = {}, .digest = digest_of(response.body), .bytes = response.body};
  for (const std::string& expected : {is_digest(name) ? name : "", response.header("docker-content-digest")})
    if (is_digest(expected) && expected != manifest.digest)
      throw bad_answer(reference_.host, "the manifest of " + shown + " has the digest " + manifest.digest +
                                            " instead of " + expected);
  manifest.value = parse_json(manifest.bytes, "the manifest of " + shown);
  if (!manifest.value.is_object())
    throw bad_answer(reference_.host, "the manifest of " + shown + " is not a JSON object");
  const std::string type = response.header("content-type");
  manifest.media_type =
      string_at(manifest.value, {"mediaType"}, std::string(trim(type.substr(0, type.find(';')))));
  return manifest;
}

std::string Repository::blob(const Descriptor& blob, size_t limit) {
  if (blob.size > limit)
    throw bad_answer(reference_.host, blob.digest + " has " + size_text(blob.size) + " instead of at most " +
                                          size_text(limit));
  return content(blob)(0, blob.size);
}

Repository::Content Repository::content(const Descriptor& blob) {
  const auto reader = std::make_shared<BlobReader>(*session_, reference_.repository, blob);
  return [reader](std::uintmax_t offset, size_t size) { return reader->read(offset, size); };
}

std::vector<bool> Repository::has(std::span<const Descriptor> blobs) {
  std::vector<Call> calls;
  for (const Descriptor& blob : blobs)
    calls.push_back(
        {.method = "HEAD", .place = session_->at("/" + reference_.repository + "/blobs/" + blob.digest)});
  std::vector<bool> found;
  for (const http::Response& response : session_->send_all(calls)) {
    if (response.status == 401 || response.status == 403)
      throw fault_of(response, reference_.host, "write to " + reference_.repository_name());
    found.push_back(response.status == 200);
  }
  return found;
}

/// A registry that does not mount a blob begins an upload instead. This call cancels the upload; some
/// registries reject that.
std::vector<bool> Repository::mount(std::span<const Descriptor> blobs, const std::string& from) {
  std::vector<Call> calls;
  for (const Descriptor& blob : blobs)
    calls.push_back(
        {.method = "POST",
         .place = session_->at(fmt::format("/{}/blobs/uploads/?mount={}&from={}", reference_.repository,
                                           percent_encoded(blob.digest), percent_encoded(from)))});
  std::vector<bool> mounted;
  std::vector<Call> ends;
  const std::vector<http::Response> responses = session_->send_all(calls);
  for (size_t i = 0; i < responses.size(); ++i) {
    mounted.push_back(responses[i].status == 201);
    if (responses[i].status == 202 && !responses[i].header("location").empty())
      ends.push_back(
          {.method = "DELETE", .place = resolved(calls[i].place, responses[i].header("location"))});
  }
  session_->send_all(ends);
  return mounted;
}

void Repository::upload(const Descriptor& blob, const Content& content, const Progress& progress) {
  Upload(*session_, reference_, blob, content, progress).run();
}

void Repository::put_manifest(const std::string& name, const Manifest& manifest) {
  Call call{.method = "PUT",
            .place = session_->at("/" + reference_.repository + "/manifests/" + name),
            .headers = {{"Content-Type", manifest.media_type}},
            .body = manifest.bytes};
  const http::Response response = session_->send(call);
  if (response.status != 201)
    throw fault_of(response, reference_.host, "write the image " + reference_.repository_name());
  if (const std::string stored = response.header("docker-content-digest");
      is_digest(stored) && stored != manifest.digest)
    throw bad_answer(reference_.host, "it stored the image as " + stored + " instead of " + manifest.digest);
}

}  // namespace kml::registry
