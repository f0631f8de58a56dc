// What `plaunch` (or the environment) asked for. Read once, at the start of the runtime.
#pragma once

#include <cstdint>
#include <string>

namespace pilum {

// Every field has its environment variable, PILUM_ and the field's name in capitals; plaunch sets them.
struct Config {
  int cpus = 0;                    // cores a rank; 0: all it may use, shared fairly among the ranks of the node
  int gpus = -1;                   // GPUs a rank; -1: all visible ones, shared among the ranks of the node; 0: none
  std::string transport = "best";  // best, self, mpi, ucx
  std::string output = "rank0";    // rank0: standard output of other ranks is dropped; all
  std::string print;               // operations,tasks,fusion,plan,kernels: printed to standard error as they are made
  std::string print_dot;           // a folder: the same as .dot files
  std::string profile;             // a file: timeline as Chrome trace JSON
  std::string log_level = "warn";  // error, warn, info, debug, trace
  std::string compiler;            // "", "clang", or a program: see jit::JitOptions
  std::string cache_dir;           // compiled kernels
  std::int64_t system_memory = 0;  // bytes a rank may take for arrays; 0: what is free, shared among the node's ranks
  std::int64_t gpu_memory = 0;     // bytes a rank may take of each of its GPUs for arrays; 0: what is free, shared
  std::int64_t split_bytes = -1;   // stores below this are not cut; -1: the machine model decides
  std::int64_t message_bytes = 0;  // of GPUs, where they go through the host: about a piece; 0: the machine model's
  int plan_cache = -1;             // plans kept to be made again; -1: the default, 0: none
  int graph_after = 12;            // times that a plan was found again before GPUs get it as one graph; 0: never
  int direct_after = 256;          // operations planned in vain before small windows run one by one; 0: never
  int window = 0;                  // operations a window; 0: the default
  std::string check = "sampled";   // of imported and read values, what ranks compare: sampled above 64 KiB, or full
  int stall_abort = 0;             // seconds without progress after which the job ends; 0: never
  bool oversubscribe = false;      // more ranks than cores are all right
  bool show_config = false;        // rank 0 says at its start what it found
  bool gpu_sharing = true;         // ranks of a node open each other's GPU memory, where that works
  bool show_stats = false;         // counters on standard error at the end
};

// Throws pilum::ValueError naming the variable, its value and what it takes.
[[nodiscard]] Config read_config();

}  // namespace pilum
