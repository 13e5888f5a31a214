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

/// How data is reached.
struct Means {
  std::function<std::unique_ptr<http::Transport>(http::Endpoint)> make_transport = http::make_curl_transport;
  std::function<void(std::chrono::milliseconds)> pause;
  std::function<void(const std::string&)> note;  ///< called with a line about what is done, or awaited
};

/// The source with its version of now: of a hub, the commit that a branch or a tag names; of a bucket, the
/// digest of the list of its objects. Throws Error if the source does not exist, or needs a token: the
/// variable HF_TOKEN, for the hub that HF_ENDPOINT names.
Source pinned(Source source, const Means& means);

/// How the bucket of a source is reached. Google's is used by its S3 API, with an HMAC key.
s3::Settings bucket_settings(const Source& source);

/// Fetches the data of a pinned source into the folder, unless the folder exists. Others that fetch the same
/// wait. The folder appears when its content is complete and verified. An attempt that was killed is
/// continued. Returns whether this call fetched it.
bool fetch_once(const Source& source, const std::filesystem::path& folder, const Means& means);

}  // namespace kml::fetch
