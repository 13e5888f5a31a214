#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kml/base/json.h"
#include "kml/net/registry/reference.h"
#include "kml/net/registry/settings.h"

namespace kml::registry {

/// A blob or a manifest, as a manifest refers to it
/// (https://github.com/opencontainers/image-spec/blob/v1.1.1/descriptor.md).
struct Descriptor {
  std::string media_type;
  std::string digest;
  std::uintmax_t size = 0;

  Json to_json() const;
};
/// Throws Error (reason kBadAnswer) if the value has no valid digest, or no size that kml can handle.
/// `source` is the manifest's name in the message.
Descriptor descriptor_of(const Json& value, const std::string& source);

struct Manifest {
  std::string media_type, digest;
  std::string bytes;
  Json value = {};
};

class Session;

/// The images of one repository of a registry (OCI distribution spec 1.1). Every blob and manifest that is
/// read is compared with its digest, if that is known. All functions may throw Error: auth if access is
/// denied, usage if the image does not exist, unreachable if no registry answers, and failure if an answer is
/// wrong.
class Repository {
 public:
  enum class Access { read, write };
  /// The content of a blob: `size` bytes from `offset`. May be called again for an earlier offset.
  using Content = std::function<std::string(std::uintmax_t offset, size_t size)>;
  /// Called with the number of bytes that the registry has.
  using Progress = std::function<void(std::uintmax_t done)>;

  /// `mounted` are other repositories of the same registry whose blobs may be mounted. The settings must
  /// outlive this object.
  Repository(const Reference& reference, Access access, const Settings& settings,
             const std::vector<std::string>& mounted = {});
  ~Repository();

  /// `name` is a tag or a digest.
  Manifest manifest(const std::string& name);
  /// The whole blob, which may have at most `limit` bytes.
  std::string blob(const Descriptor& blob, size_t limit);
  /// Reads a blob in parts. After the last part, throws Error if the content does not have the digest. This
  /// object must outlive the result.
  Content content(const Descriptor& blob);

  /// Which of the blobs the repository has.
  std::vector<bool> has(std::span<const Descriptor> blobs);
  /// Asks the registry to take the blobs from another repository. Returns which blobs it took.
  std::vector<bool> mount(std::span<const Descriptor> blobs, const std::string& from);
  /// Sends a blob. Sends a large blob in chunks. If a chunk is rejected or cut off, continues with the first
  /// byte that the registry lacks.
  void upload(const Descriptor& blob, const Content& content, const Progress& progress = {});
  /// `name` is a tag or the manifest's digest.
  void put_manifest(const std::string& name, const Manifest& manifest);

 private:
  const Reference reference_;
  std::unique_ptr<Session> session_;
};

}  // namespace kml::registry
