// Which Pilum these headers are of. Releases of one minor version run one another's programs while the major one is 0.
#pragma once

#define PILUM_VERSION_MAJOR 0
#define PILUM_VERSION_MINOR 2
#define PILUM_VERSION_PATCH 0

// To compare in #if: PILUM_VERSION >= PILUM_MAKE_VERSION(0, 2, 0).
#define PILUM_MAKE_VERSION(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define PILUM_VERSION PILUM_MAKE_VERSION(PILUM_VERSION_MAJOR, PILUM_VERSION_MINOR, PILUM_VERSION_PATCH)
// "0.2.0"
#define PILUM_VERSION_STRING "0.2.0"
