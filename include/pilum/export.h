// What the shared library shows of itself: the declarations marked so, and nothing else.
#pragma once

#define PILUM_API __attribute__((visibility("default")))
