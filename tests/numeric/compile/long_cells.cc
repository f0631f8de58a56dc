// Must not compile: there is no dtype for it.
#include <pilum/pilum.h>

auto name = pilum::numeric::array({1.0L, 2.0L});
