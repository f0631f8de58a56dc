// Must not compile: a number has no shape.
#include <pilum/pilum.h>

pilum::numeric::Array name = 5;
