#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "kml/base/streams.h"

namespace kml::cli {

// Each command has its own file, or shares one with related commands. The file has an options struct, a
// function declared here, which binds the options to flags, and a function that runs the command.

Command submit_command();
Command apply_command();
Command start_when_due_command();
Command code_files_command();
Command logs_command();
Command exec_command();
Command shell_command();
Command attach_command();
Command port_command();
Command cp_command();
Command sync_command();
Command debug_command();
Command open_command();
Command dev_command();
Command ssh_command();
Command queue_command();
Command sweep_command();
Command run_command();
Command serve_command();
Command artifact_command();
Command gc_command();
Command why_command();
Command schedule_command();
Command hang_command();
Command top_command();
Command ui_command();
Command list_command();
Command status_command();
Command wait_command();
Command cancel_command();
Command delete_command();
Command suspend_command();
Command resume_command();
Command history_command();
Command runs_command();
Command eff_command();
Command usage_command();
Command timeline_command();
Command rerun_command();
Command template_command();
Command env_command();
Command kind_command();
Command image_command();
Command local_command();
Command config_command();
Command trust_command();
Command doctor_command();
Command schema_command();
Command mcp_command();
Command skill_command();
Command stop_command();
Command version_command();
Command completion_command();

// The subcommands of `kml runs`.

Command runs_compare_command();
Command runs_tag_command();
Command runs_note_command();
Command runs_report_command();
Command runs_push_command();

// The subcommands of `kml schedule`, besides list.

Command schedule_git_command();
Command schedule_run_now_command();
Command schedule_pause_command();
Command schedule_resume_command();
Command schedule_delete_command();

// The subcommands of `kml serve`.

Command serve_list_command();
Command serve_logs_command();
Command serve_revisions_command();
Command serve_rollback_command();
Command serve_status_command();
Command serve_stop_command();
Command serve_activator_command();

// The subcommands of `kml sweep`, besides example.

Command sweep_run_command();
Command sweep_resume_command();
Command sweep_engine_command();
Command sweep_background_command();
Command sweep_attach_command();
Command sweep_list_command();
Command sweep_status_command();
Command sweep_best_command();
Command sweep_report_command();
Command sweep_logs_command();
Command sweep_stop_command();
Command sweep_delete_command();
Command sweep_export_command();
Command sweep_replay_command();

// The subcommands of `kml run`.

Command run_example_command();
Command run_list_command();
Command run_status_command();
Command run_attach_command();
Command run_engine_command();
Command run_logs_command();
Command run_stop_command();
Command run_resume_command();
Command run_delete_command();
Command run_background_command();

// The subcommands of `kml artifact`, besides list and get.

Command artifact_lineage_command();
Command artifact_put_command();
Command artifact_pin_command();
Command artifact_unpin_command();

/// Answers the completion scripts: `kml __complete -- WORDS...`. The last word is the one at the cursor.
void print_completion(const Command& root, const std::vector<std::string>& words, Streams& streams);

}  // namespace kml::cli
