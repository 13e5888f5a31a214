#include "local/http/gnutls.h"

#include <gnutls/gnutls.h>

#include "kml/base/error.h"

#ifdef KML_STATIC
// In a static program, GnuTLS and libmicrohttpd would initialize GnuTLS before each main(). That would cost
// every run of kml a millisecond and 600 KiB, although only the embedded server uses GnuTLS. GnuTLS skips
// this if the function below says so (see its lib/global.c). The linker redirects libmicrohttpd's call
// (MHD_init) to the wrapper below (release/static.cmake).
extern "C" {
int _gnutls_global_init_skip() {  // NOLINT(bugprone-reserved-identifier)
  return 1;
}
int __wrap_gnutls_global_init() {  // NOLINT(bugprone-reserved-identifier)
  return GNUTLS_E_SUCCESS;
}
int __real_gnutls_global_init();  // NOLINT(bugprone-reserved-identifier)
}
#endif

namespace kml::local {

namespace {

SharedLibrary load() {
#ifdef KML_STATIC
  if (const int result = __real_gnutls_global_init(); result < 0)
    throw Error(ErrorCode::failure, "cannot initialize GnuTLS", gnutls_strerror(result));
#endif
  return {"libgnutls.so.30", "libgnutls30"};
}

}  // namespace

const SharedLibrary& gnutls() {
  static const SharedLibrary loaded = load();
  return loaded;
}

}  // namespace kml::local
