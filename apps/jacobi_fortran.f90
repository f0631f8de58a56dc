! Heat in a plate, by Jacobi's iteration, as jacobi.cc does it: every inner point becomes the mean of itself and its
! four neighbours. jacobi_fortran [-n SIZE] [-i SWEEPS] [-w SWEEPS before the clock starts] [--checksum]
!
! jacobi.cc's first axis is this program's last one, so that both have the same cells in memory.
program jacobi
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use pilum
  implicit none

  integer :: size = 100       ! inner points along an axis
  integer :: iterations = 100
  integer :: warmup = 5
  logical :: checksum = .false.
  type(pilum_runtime) :: runtime
  real(real64) :: seconds, points

  call read_options()
  call pilum_runtime_create(runtime)  ! plaunch decided how many ranks, cores and GPUs
  call run()
  call pilum_runtime_destroy(runtime)

contains

  ! Arrays are let go of at its end.
  subroutine run()
    type(pilum_array) :: grid
    print '(a)', 'Initializing stencil grid...'
    grid = pilum_zeros([size + 2, size + 2])
    call grid%set(-273.15d0, 1, pilum_all)
    call grid%set(-273.15d0, -1, pilum_all)
    call grid%set(-273.15d0, pilum_all, -1)
    call grid%set(40.0d0, pilum_all, 1)
    call sweep(grid)
    points = real(size, real64)**2 * iterations
    print '(a, f0.3, a)', 'Elapsed Time: ', seconds * 1d3, ' ms'
    print '(es10.4, a)', points / seconds, ' points/s'
    if (checksum) print '(a, z16.16)', 'Checksum: ', digest(grid)
  end subroutine

  subroutine sweep(grid)
    type(pilum_array), intent(in) :: grid
    type(pilum_array) :: center, north, east, west, south
    type(pilum_index) :: inner, lower, upper
    integer :: i
    integer(int64) :: start, end, rate
    print '(a)', 'Running Jacobi stencil...'
    inner = pilum_slice(2, -2)
    lower = pilum_slice(1, -3)
    upper = pilum_slice(first=3)
    center = grid%view(inner, inner)  ! views: no data moves
    north = grid%view(inner, lower)
    east = grid%view(upper, inner)
    west = grid%view(lower, inner)
    south = grid%view(inner, upper)

    call system_clock(start, rate)
    do i = 1 - warmup, iterations
      if (i == 1) then
        call pilum_wait(runtime)
        call system_clock(start)
      end if
      call pilum_assign(center, 0.2d0 * (center + north + east + west + south))  ! writes the cells that center names
    end do
    call pilum_wait(runtime)
    call system_clock(end)
    seconds = real(end - start, real64) / real(rate, real64)
  end subroutine

  ! 64-bit FNV-1a of the cells' bytes.
  integer(int64) function digest(grid) result(hash)
    type(pilum_array), intent(in) :: grid
    real(real64), allocatable :: cells(:, :)
    integer(int64) :: row, column, byte, bits
    allocate (cells(size + 2, size + 2))
    call pilum_to_memory(grid, cells)  ! on every rank
    hash = -3750763034362895579_int64
    do column = 1, size + 2
      do row = 1, size + 2
        bits = transfer(cells(row, column), bits)
        do byte = 0, 7
          hash = ieor(hash, ibits(bits, int(8 * byte), 8)) * 1099511628211_int64
        end do
      end do
    end do
  end function

  subroutine read_options()
    character(32) :: argument
    integer :: k
    k = 1
    do while (k <= command_argument_count())
      call get_command_argument(k, argument)
      select case (argument)
      case ('-n')
        size = number_at(k)
      case ('-i')
        iterations = number_at(k)
      case ('-w')
        warmup = number_at(k)
      case ('--checksum')
        checksum = .true.
      case default
        error stop 'usage: jacobi_fortran [-n SIZE] [-i SWEEPS] [-w SWEEPS] [--checksum]'
      end select
      k = k + 1
    end do
  end subroutine

  ! The number behind an option.
  integer function number_at(k) result(number)
    integer, intent(inout) :: k
    character(32) :: argument
    k = k + 1
    call get_command_argument(k, argument)
    read (argument, *) number
  end function
end program
