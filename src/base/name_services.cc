#include "kml/base/name_services.h"

#if defined(KML_STATIC) && __has_include(<nss.h>)
#include <nss.h>
#endif

namespace kml {

void use_own_name_services() {
#if defined(KML_STATIC) && __has_include(<nss.h>)
  __nss_configure_lookup("passwd", "files");
  __nss_configure_lookup("group", "files");
  __nss_configure_lookup("hosts", "files dns");
#endif
}

}  // namespace kml
