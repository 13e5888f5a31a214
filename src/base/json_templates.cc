// The one unit that holds the code of what json_templates.h lists.
#undef KML_TEMPLATE
#define KML_TEMPLATE template
#include "base/json_templates.h"
