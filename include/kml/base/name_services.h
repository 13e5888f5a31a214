#pragma once

namespace kml {

/// In a static kml, looks up users in /etc/passwd and hosts in /etc/hosts and DNS, whatever nsswitch.conf
/// says: its C library would load the machine's modules (e.g. libnss_sss), which need another C library. Does
/// nothing otherwise. Call it before threads start.
void use_own_name_services();

}  // namespace kml
