#pragma once

#include <set>

namespace kml::local {

/// A TCP port of this machine that nothing listens on and that is not in `taken`. Outside the range that the
/// kernel gives to outgoing connections, so that it stays free until its owner listens. Throws Error where
/// there is none.
int find_free_port(const std::set<int>& taken);

}  // namespace kml::local
