#include "kml/base/unused_memory.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace kml {

void return_unused_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

}  // namespace kml
