#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "kml/net/fetch/source.h"
#include "kml/net/http/transport.h"
#include "kml/net/s3/settings.h"

namespace kml::fetch {

/// The functions by which data is fetched.
struct Means {
  std::function<std::unique_ptr<http::Transport>(http::Endpoint)> make_transport = http::make_curl_transport;
  std::function<void(std::chrono::milliseconds)> pause;
  std::function<void(const std::string&)>
      note;  ///< called with a line that says what kml is doing or waiting for
};

/// The source with its current version. For a hub, this is the commit to which a branch or a tag refers; for
/// a bucket, the digest of the list of its objects. Throws Error if this version cannot be found out, such as
/// because the source does not exist or needs a token. Does not ask the server for a file at a URL, or for a
/// commit. The token for the hub at HF_ENDPOINT is in the variable HF_TOKEN.
Source pinned(Source source, const Means& means);

/// The settings needed to connect to the bucket of a source. A bucket of Google Cloud Storage is read through
/// its S3 API, with an HMAC key.
s3::Settings bucket_settings(const Source& source);

/// Fetches the data of a pinned source into the folder, unless the folder already has data. Other processes
/// that need the same data wait. The folder appears when its content is complete and verified. If an earlier
/// attempt was killed, continues it. Returns whether this call has fetched the data.
bool fetch_once(const Source& source, const std::filesystem::path& folder, const Means& means);

}  // namespace kml::fetch
