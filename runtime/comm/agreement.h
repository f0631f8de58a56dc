// Whether all ranks were given the same settings.
#pragma once

#include <span>

#include "runtime/base/settings.h"
#include "runtime/comm/bootstrap.h"

namespace pilum::comm {

// Every rank calls it, before it talks to others in any way that a setting decides. A digest is compared; the texts
// go round only where digests differ. Throws pilum::ValueError on every rank alike, with names, ranks and values.
void check_agreement(Bootstrap& bootstrap, std::span<const NamedValue> mine);

}  // namespace pilum::comm
