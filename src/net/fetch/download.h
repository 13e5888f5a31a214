#pragma once

#include <atomic>
#include <string>

#include "kml/base/beneath.h"
#include "net/fetch/content.h"
#include "net/fetch/getter.h"

namespace kml::fetch {

/// A file on a server, and its expected content.
struct RemoteFile {
  std::string path;  ///< the path at which the file is stored
  Place place = {};
  Expected expected = {};
};

/// Downloads the file below the folder, and continues an earlier download. The file appears at its path only
/// when its content was verified. Throws Error if the content is not as expected, or if data arrives while
/// `is_stopped` is set.
void download(Getter& getter, Beneath& folder, const RemoteFile& file, const std::atomic<bool>& is_stopped);

/// The Error for a response without the requested content.
Error refused(const http::Response& response, const std::string& what);

}  // namespace kml::fetch
