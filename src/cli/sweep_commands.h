#pragma once

#include "cli/command.h"

namespace kml::cli {

// The subcommands of `kml sweep`, one file each or two.

Command sweep_run_command();
Command sweep_resume_command();
Command sweep_engine_command();
Command sweep_list_command();
Command sweep_status_command();
Command sweep_best_command();
Command sweep_report_command();
Command sweep_logs_command();
Command sweep_stop_command();
Command sweep_delete_command();
Command sweep_export_command();
Command sweep_replay_command();

}  // namespace kml::cli
