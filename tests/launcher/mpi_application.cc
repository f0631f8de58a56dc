// An application for the tests of plaunch, with MPI: mpi_application done|sleep|exit|throw|abort|leave
// What goes wrong goes wrong on rank 1, while rank 0 waits in a receive.
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string command = argc > 1 ? argv[1] : "done";
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (const char* folder = std::getenv("PIDS")) {
    const std::string path = std::string(folder) + "/" + std::to_string(rank);
    std::ofstream(path + ".new") << getpid() << '\n';
    std::filesystem::rename(path + ".new", path);
  }
  if (rank == 1 && command == "exit") _exit(3);
  if (rank == 1 && command == "leave") _exit(0);
  if (rank == 1 && command == "throw") throw std::runtime_error("rank 1 has had enough");
  if (rank == 1 && command == "abort") MPI_Abort(MPI_COMM_WORLD, 7);
  if (command != "done") {
    int never = 0;
    MPI_Recv(&never, 1, MPI_INT, size - 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  std::printf("rank %d of %d done\n", rank, size);
  MPI_Finalize();
}
