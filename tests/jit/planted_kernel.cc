// A kernel that a stranger wrote: as soon as it is loaded, it says in $PLANTED_SAYS who runs it.
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

__attribute__((constructor)) static void run() {
  const char* path = std::getenv("PLANTED_SAYS");
  std::FILE* const file = path ? std::fopen(path, "a") : nullptr;
  if (!file) return;
  std::fprintf(file, "user %u\n", geteuid());
  std::fclose(file);
}

extern "C" void pilum_kernel(const void*) {}
