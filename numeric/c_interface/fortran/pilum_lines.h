! Errors that name a Fortran line: compile with -cpp (or as .F90), #include this, and write PILUM_LINE before what is to be named:
!
!   PILUM_LINE c = a + b
!
! A line that does not is reported as the last one that did.
#define PILUM_LINE call pilum_here(__FILE__, __LINE__);
