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

#include "kml/core/clock.h"
#include "kml/http/transport.h"
#include "kml/s3/credentials.h"
#include "kml/s3/settings.h"

namespace kml::s3 {

/// Error::reason where an object that was there is gone, or is not what was expected.
inline constexpr const char* kObjectGone = "ObjectGone";

struct Object {
  std::string key;
  std::uintmax_t size = 0;
  Time modified = {};
};

/// One request about an object, or about the bucket where the key is empty.
struct Call {
  std::string method = "GET";
  std::string key = {};
  std::string query = {};  ///< percent-encoded, without the question mark
  http::Headers headers = {};
  std::string body = {};
};

/// The objects of a bucket. Keys are relative to the bucket's prefix. Many are asked for side by side. A
/// request that the server could not take now, or whose connection broke, is sent again, up to half a minute;
/// one that another region has to answer goes there.
///
/// All functions throw Error for an answer that is neither success nor told of here: auth where access is
/// refused, with the key and the action that was not allowed; usage where there is no such bucket;
/// unreachable where nobody answers.
class Client {
 public:
  using Pause = std::function<void(std::chrono::milliseconds)>;

  Client(Settings settings, CredentialSource credentials, MakeTransport make_transport, Pause pause,
         const Clock& clock);

  /// Of each key the object, if there is one.
  std::vector<std::optional<Object>> look(std::span<const std::string> keys);
  std::optional<Object> look(const std::string& key);

  /// Gives each object's content, in any order; nothing of one that is not there.
  void read(std::span<const std::string> keys,
            const std::function<void(size_t index, std::optional<std::string> content)>& take);
  std::optional<std::string> read(const std::string& key);

  struct Content {
    std::string key, bytes;
  };
  void write(std::vector<Content> objects);
  /// False, and nothing is changed, if the object is there already.
  bool write_new(const std::string& key, std::string bytes);
  /// What is not there is no error.
  void remove(std::span<const std::string> keys);
  /// Whose keys begin with it, sorted by key.
  std::vector<Object> list(const std::string& begin);
  /// As if the object had just been written. False on a server that leaves its time as it was: then only
  /// writing it again helps.
  bool touch(const Object& object);

  /// A file of this size; a large one in parts, which are removed again if it fails.
  void send_file(const std::string& key, const std::filesystem::path& file, std::uintmax_t size);
  /// Writes an object of this size to a file that is open for writing, in pieces: one whose connection breaks
  /// is asked for again. Throws Error (reason kObjectGone) if it is not there, or has another size.
  void get_file(const std::string& key, std::uintmax_t size, int file);

  const Settings& settings() const { return settings_; }

 private:
  using Take = std::function<void(size_t index, const http::Response& response)>;

  void send(std::vector<Call> calls, const Take& take);
  http::Response send(Call call);
  http::Request signed_request(Call& call);
  bool is_to_be_sent_again(const http::Response& response, const std::string& region, int tries);
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

/// As the environment and ~/.aws have it.
Client make_client(const Bucket& bucket);

}  // namespace kml::s3
