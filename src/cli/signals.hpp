#pragma once
/// @file
/// Turns SIGINT, SIGTERM and SIGHUP into a wish to stop that long verbs look at.

#include <atomic>

namespace minnow::cli {

/// Keeps a closed pipe and a data file that is cut from ending the process (the write or read then fails with a
/// message), and makes sure that the descriptors 0, 1 and 2 are open, so that no file of ours gets one of them. Called
/// once by main.
void prepare_process();

/// From now on the first SIGINT, SIGTERM, SIGHUP (the terminal was closed) or SIGXCPU (the soft limit of ulimit -t)
/// only sets stop_signal(); a second SIGINT or SIGTERM ends the process at once. A SIGHUP that is ignored at the start
/// (nohup) stays ignored. For verbs that look at it and save; the others keep the system's behaviour.
void install_stop_signals();

/// @return 0, or the number of the signal that asked to stop. Lock-free: may be read from any thread.
const std::atomic<int>& stop_signal();

/// @return the exit code after a stop: 130 for SIGINT, 143 for SIGTERM, 129 for SIGHUP, 152 for SIGXCPU, 0 without one.
int stop_exit_code();

}  // namespace minnow::cli
