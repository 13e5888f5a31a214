#pragma once

namespace kml {

/// Makes a static kml look up users in /etc/passwd, and hosts in /etc/hosts and DNS, whatever nsswitch.conf
/// says. Its C library would otherwise load the machine's modules (such as libnss_sss), which need a
/// different C library. Does nothing in other builds. Call this before threads are started.
void use_own_name_services();

}  // namespace kml
