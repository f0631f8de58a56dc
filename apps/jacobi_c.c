/* Heat in a plate, by Jacobi's iteration, as jacobi.cc does it: every inner point becomes the mean of itself and its
 * four neighbours. jacobi_c [-n SIZE] [-i SWEEPS] [-w SWEEPS before the clock starts] [--checksum] */
#include <pilum/c.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
  int64_t size; /* inner points along an axis */
  int iterations, warmup;
  bool checksum;
};

static struct options read_options(int argc, char** argv) {
  struct options options = {100, 100, 5, false};
  for (int k = 1; k < argc; ++k) {
    const bool has_value = k + 1 < argc;
    if (strcmp(argv[k], "-n") == 0 && has_value) {
      options.size = atoll(argv[++k]);
    } else if (strcmp(argv[k], "-i") == 0 && has_value) {
      options.iterations = atoi(argv[++k]);
    } else if (strcmp(argv[k], "-w") == 0 && has_value) {
      options.warmup = atoi(argv[++k]);
    } else if (strcmp(argv[k], "--checksum") == 0) {
      options.checksum = true;
    } else {
      fprintf(stderr, "usage: %s [-n SIZE] [-i SWEEPS] [-w SWEEPS] [--checksum]\n", argv[0]);
      exit(2);
    }
  }
  return options;
}

static pilum_array initialize(const struct options* options) {
  pilum_array grid;
  printf("Initializing stencil grid...\n");
  PILUM_TRY(pilum_zeros(PILUM_SHAPE(options->size + 2, options->size + 2), PILUM_FLOAT64, &grid));
  PILUM_TRY(pilum_set(grid, -273.15, PILUM_ALL, 0));
  PILUM_TRY(pilum_set(grid, -273.15, PILUM_ALL, -1));
  PILUM_TRY(pilum_set(grid, -273.15, -1, PILUM_ALL));
  PILUM_TRY(pilum_set(grid, 40.0, 0, PILUM_ALL));
  return grid;
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double sweep(pilum_runtime runtime, pilum_array grid, const struct options* options) {
  pilum_array center, north, east, west, south;
  double start = seconds();
  printf("Running Jacobi stencil...\n");
  PILUM_TRY(pilum_view(grid, &center, PILUM_SLICE(1, -1), PILUM_SLICE(1, -1))); /* views: no data moves */
  PILUM_TRY(pilum_view(grid, &north, PILUM_SLICE(0, -2), PILUM_SLICE(1, -1)));
  PILUM_TRY(pilum_view(grid, &east, PILUM_SLICE(1, -1), PILUM_SLICE(2, PILUM_NONE)));
  PILUM_TRY(pilum_view(grid, &west, PILUM_SLICE(1, -1), PILUM_SLICE(0, -2)));
  PILUM_TRY(pilum_view(grid, &south, PILUM_SLICE(2, PILUM_NONE), PILUM_SLICE(1, -1)));

  for (int i = -options->warmup; i < options->iterations; ++i) {
    pilum_array average;
    if (i == 0) {
      PILUM_TRY(pilum_wait(runtime));
      start = seconds();
    }
    PILUM_TRY(pilum_add(center, north, &average));
    PILUM_TRY(pilum_add_assign(average, east));
    PILUM_TRY(pilum_add_assign(average, west));
    PILUM_TRY(pilum_add_assign(average, south));
    PILUM_TRY(pilum_multiply_assign(average, 0.2));
    PILUM_TRY(pilum_assign(center, average)); /* Python's center[:] = average */
    PILUM_TRY(pilum_release(&average));
  }
  PILUM_TRY(pilum_wait(runtime));

  pilum_array* const views[] = {&center, &north, &east, &west, &south};
  for (int k = 0; k < 5; ++k) PILUM_TRY(pilum_release(views[k]));
  return seconds() - start;
}

/* 64-bit FNV-1a of the cells' bytes. */
static uint64_t digest(pilum_array grid) {
  int64_t size;
  PILUM_TRY(pilum_get_size(grid, &size));
  double* cells = malloc((size_t)size * sizeof *cells);
  if (!cells) exit(1);
  PILUM_TRY(pilum_to_memory(grid, cells, (size_t)size)); /* on every rank */
  uint64_t hash = 0xcbf29ce484222325u;
  const unsigned char* bytes = (const unsigned char*)cells;
  for (size_t k = 0; k < (size_t)size * sizeof *cells; ++k) hash = (hash ^ bytes[k]) * 0x100000001b3u;
  free(cells);
  return hash;
}

int main(int argc, char** argv) {
  const struct options options = read_options(argc, argv);
  pilum_runtime runtime;
  PILUM_TRY(pilum_runtime_create(argc, argv, &runtime)); /* plaunch decided how many ranks, cores and GPUs */
  pilum_array grid = initialize(&options);
  const double elapsed = sweep(runtime, grid, &options);
  const double points = (double)options.size * (double)options.size * options.iterations;
  printf("Elapsed Time: %.3f ms\n%.4g points/s\n", elapsed * 1e3, points / elapsed);
  if (options.checksum) printf("Checksum: %016llx\n", (unsigned long long)digest(grid));
  PILUM_TRY(pilum_release(&grid));
  PILUM_TRY(pilum_runtime_destroy(&runtime));
  return 0;
}
