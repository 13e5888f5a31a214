#pragma once

namespace kml::step {

class Recorder;

/// Runs the command until it ends. `words` must end with a null pointer. Passes signals on to the command,
/// and reaps all processes that end. Returns the command's status in the form of waitpid(2). If there is a
/// recorder, it records what the command reads.
int run_command(char* const* words, Recorder* recorder = nullptr);

/// Ends this process as the process with that status has ended: with the same exit code or signal. The first
/// process in a container cannot end itself by a signal, so it exits with 128 plus the signal's number, as
/// shells do.
[[noreturn]] void end_as(int status);

}  // namespace kml::step
