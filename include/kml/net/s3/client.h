#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kml/base/clock.h"
#include "kml/net/http/transport.h"
#include "kml/net/s3/credentials.h"
#include "kml/net/s3/settings.h"

namespace kml::s3 {

/// The value of Error::reason if an object no longer exists, or has changed unexpectedly.
inline constexpr const char* kObjectGone = "ObjectGone";

struct Object {
  std::string key;
  std::uintmax_t size = 0;
  Time modified = {};
};

/// One request about an object, or about the bucket if the key is empty.
struct Call {
  std::string method = "GET";
  std::string key = {};
  std::string query = {};  ///< percent-encoded, without the question mark
  http::Headers headers = {};
  std::string body = {};
};

/// The objects of a bucket. Keys are relative to the bucket's prefix. Requests for many objects run in
/// parallel. A request is repeated several times if the server temporarily could not handle it or the
/// connection broke. If the bucket is in another region, requests are sent there. All functions may throw
/// Error: auth if access is denied, with the key and the missing permission; usage if the bucket does not
/// exist, which look() and remove() do not notice; unreachable if no server responds.
class Client {
 public:
  using Pause = std::function<void(std::chrono::milliseconds)>;

  Client(Settings settings, CredentialSource credentials, MakeTransport make_transport, Pause pause,
         const Clock& clock);

  /// Looks up each key. The result has an entry for each key, which is empty if the object does not exist.
  std::vector<std::optional<Object>> look(std::span<const std::string> keys);
  std::optional<Object> look(const std::string& key);

  /// Calls `take` for each key, in any order, with the object's content, or without content if the object
  /// does not exist.
  void read(std::span<const std::string> keys,
            const std::function<void(size_t index, std::optional<std::string> content)>& take);
  std::optional<std::string> read(const std::string& key);

  struct Content {
    std::string key, bytes;
  };
  void write(std::vector<Content> objects);
  /// Writes an object. If it already exists, returns false and changes nothing, unless the server ignores
  /// such conditions.
  bool write_new(const std::string& key, std::string bytes);
  /// Removes objects. Ignores keys without an object.
  void remove(std::span<const std::string> keys);
  /// All objects whose keys have this prefix, sorted by key.
  std::vector<Object> list(const std::string& begin);
  /// Sets the object's time to now, as if it had just been written. Returns false if the server cannot change
  /// the time; the object must then be written again.
  bool touch(const Object& object);

  /// Uploads a file with this size. A large file is uploaded in parts, which are removed if the upload fails.
  void send_file(const std::string& key, const std::filesystem::path& file, std::uintmax_t size);
  /// Downloads an object of this size, in pieces, to a file that is open for writing. If the connection
  /// breaks, requests the piece again. Throws Error (reason kObjectGone) if the object does not exist or is
  /// shorter. With `continues`, keeps the bytes that an earlier, killed call has certainly written.
  void get_file(const std::string& key, std::uintmax_t size, int file, bool continues = false);

  const Settings& settings() const { return settings_; }

 private:
  using Take = std::function<void(size_t index, const http::Response& response)>;

  void send(std::vector<Call> calls, const Take& take);
  http::Response send(Call call);
  http::Request signed_request(Call& call);
  bool prepare_next_try(const http::Response& response, const std::string& region, int tries);
  std::string full_key(const std::string& key) const;
  Error fault(const Call& call, const http::Response& response);
  std::string begin_parts(const std::string& key);
  void send_parts(const std::string& key, const std::string& upload, int file, std::uintmax_t size);

  Settings settings_;
  CredentialSource credentials_;
  const MakeTransport make_transport_;
  const Pause pause_;
  const Clock& clock_;
  std::unique_ptr<http::Transport> transport_;
};

/// A client configured by the environment and ~/.aws.
Client make_client(const Bucket& bucket, const MakeTransport& make_transport = http::make_curl_transport);

}  // namespace kml::s3
