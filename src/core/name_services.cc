#include "kml/core/name_services.h"

#ifdef KML_STATIC
#include <nss.h>
#endif

namespace kml {

void use_own_name_services() {
#ifdef KML_STATIC
  __nss_configure_lookup("passwd", "files");
  __nss_configure_lookup("group", "files");
  __nss_configure_lookup("hosts", "files dns");
#endif
}

}  // namespace kml
