#pragma once

// The precompiled header: it includes the headers that most translation units need. Each unit still includes
// everything it uses, so that it compiles without this header, too (cmake
// -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#define KML_TEMPLATE extern template
#include "base/json_templates.h"
