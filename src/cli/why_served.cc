#include "cli/why_served.h"

#include <chrono>
#include <ostream>

#include "cli/serve_view.h"
#include "kml/api/idle.h"
#include "kml/core/error.h"
#include "kml/core/json.h"
#include "kml/jobs/serve/rollout.h"

namespace kml::cli {

bool explain_served(Context& context, const std::string& name) {
  Json served;
  try {
    served = jobs::find_served(context.client(), context.target().namespace_name, name);
  } catch (const Error&) {
    return false;
  }
  std::ostream& out = context.streams().out;
  out << name << ": " << state_of_served(served) << "\n";
  if (api::is_scaled_to_zero(served)) {
    context.note("the next request to its address starts it; `kml serve list` shows the address");
    return true;
  }
  const auto failure = follow_rollout(context, name, std::chrono::seconds(0));
  if (!failure) return true;
  out << "  why: " << failure->cause << "\n  fix: kml serve logs " << name << "\n";
  print_last_lines(context, *failure);
  return true;
}

}  // namespace kml::cli
