// Must not compile: in Python `name = 5.0` leaves the array alone, and so nobody means it.
#include <pilum/pilum.h>

void rebind_to_a_number(pilum::numeric::Array name) {
  name = 5.0;
}
