// An application for the tests of plaunch, without MPI: plain_application COMMAND [ARGUMENT]…
//   (every rank leaves its process id in $PIDS/RANK first, if PIDS is set)
//   done            says so and ends
//   arguments …     prints them, one a line
//   variables       prints the PILUM_* variables
//   copy            copies standard input to standard output (rank 0)
//   talk LINES      writes that many lines of standard error
//   flood LINES     rank 0 writes that many lines of 64 bytes of standard error, as fast as it can
//   throw TEXT      throws a runtime_error of that text
//   exit N [RANK]   rank RANK (default 0) ends with that status, the others sleep
//   kill S [RANK]   … kills itself with signal S
//   sleep           until it is ended
//   stubborn        the same, ignoring SIGTERM and SIGINT
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace {

int own_rank() {
  const char* text = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!text) text = std::getenv("SLURM_PROCID");
  return text ? std::atoi(text) : 0;
}

void leave_pid() {
  const char* folder = std::getenv("PIDS");
  if (!folder) return;
  const std::string path = std::string(folder) + "/" + std::to_string(own_rank());
  std::ofstream(path + ".new") << getpid() << '\n';
  std::filesystem::rename(path + ".new", path);
}

[[noreturn]] void sleep_on() {
  while (true) pause();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "done";
  const auto number = [&](int at, int otherwise) { return argc > at ? std::atoi(argv[at]) : otherwise; };
  if (command == "stubborn") {
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
  }
  leave_pid();
  if (command == "sleep" || command == "stubborn") sleep_on();
  if (command == "arguments") {
    for (int i = 2; i < argc; ++i) std::cout << argv[i] << "\n";
  } else if (command == "variables") {
    for (char** entry = environ; *entry; ++entry) {
      if (std::string(*entry).starts_with("PILUM_")) std::cout << *entry << "\n";
    }
  } else if (command == "copy") {
    if (own_rank() == 0) std::cout << std::cin.rdbuf();
  } else if (command == "talk") {
    for (int i = 0; i < number(2, 1); ++i) std::cerr << "rank " << own_rank() << " line " << i << " end\n";
  } else if (command == "flood") {
    std::string lines;
    for (int i = 0; i < number(2, 1) && own_rank() == 0; ++i) {
      std::string line = "line " + std::to_string(i) + " ";
      line.resize(63, '.');
      lines += line + "\n";
      if (lines.size() < 64 * 1024 && i + 1 < number(2, 1)) continue;
      std::cerr << lines;
      lines.clear();
    }
  } else if (command == "throw") {
    throw std::runtime_error(argv[2]);
  } else if (command == "exit" || command == "kill") {
    if (own_rank() != number(3, 0)) sleep_on();
    std::cerr << "last words of rank " << own_rank() << '\n';
    if (command == "exit") return number(2, 0);
    raise(number(2, 9));
    sleep_on();
  } else {
    std::cout << "rank " << own_rank() << " done\n";
  }
}
