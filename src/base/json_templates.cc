// The only unit that compiles the templates listed in json_templates.h.
#undef KML_TEMPLATE
#define KML_TEMPLATE template
#include "base/json_templates.h"
