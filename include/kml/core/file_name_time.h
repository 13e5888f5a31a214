#pragma once

#include <algorithm>
#include <string>

namespace kml {

/// "20261121-140506" of "2026-11-21T14:05:06Z", any fraction kept: as the kubelet names rotated logs. Names
/// of one kind of stamp sort by time.
inline std::string file_name_time(std::string rfc3339_stamp) {
  std::erase_if(rfc3339_stamp, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
  std::replace(rfc3339_stamp.begin(), rfc3339_stamp.end(), 'T', '-');
  return rfc3339_stamp;
}

}  // namespace kml
