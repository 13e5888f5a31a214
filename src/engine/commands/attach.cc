#include "engine/commands/attach.h"

#include "kml/job/views/interrupt.h"

namespace kml::cli {

int attach(Context& context, const std::string& kind, const std::string& name, Attached& attached) {
  const job::Interrupt interrupt;
  try {
    while (true) {
      // checked before the journal is read, because the engine may end after writing its last record
      const bool has_engine = attached.has_engine();
      attached.update();
      if (attached.has_ended() && !has_engine) break;
      if (!has_engine) throw attached.without_engine();
      attached.show();
      interrupt.pause(attached.pause());
    }
  } catch (const Error& error) {
    attached.end_view();
    if (error.code != ErrorCode::interrupted) throw;
    context.note(kind + " " + name + " is still running; `kml " + kind + " attach " + name +
                 "` shows it again, `kml " + kind + " stop " + name + "` stops it");
    return static_cast<int>(error.code);
  }
  attached.show();
  attached.end_view();
  return attached.report();
}

}  // namespace kml::cli
