! Pilum for Fortran. Arrays are named by handles of type(pilum_array); functions and operators give new ones.
!
!   type(pilum_runtime) :: runtime
!   type(pilum_array) :: grid, inner
!   call pilum_runtime_create(runtime)
!   grid = pilum_zeros([102, 102])
!   call grid%set(40, 1, pilum_all)                                  ! grid(1, :) = 40
!   inner = grid%view(pilum_slice(2, -2), pilum_slice(2, -2))        ! a view: writing it writes grid
!   call pilum_assign(inner, 0.5d0 * inner)                          ! inner(:, :) = …; `inner = …` names another array
!   call pilum_print(pilum_sum(grid, axes=[2]))
!   call pilum_runtime_destroy(runtime)
!
! Everything is as Fortran has it: the first axis is the one whose cells are neighbours in memory, shapes, indices and
! axes stand in that order and count from 1, and a slice includes its last one; negative indices count from the end.
! (C, C++ and NumPy see the same array with its axes reversed, and so do messages and printed texts.)
!
! Each function takes ierr as its last argument: 0, or what went wrong (pilum_shape_error, …), and pilum_error_message()
! says it in words. Without it, and in operators, an error stops the program with the message. docs/c_interface.md says
! more.
module pilum
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64, output_unit
  implicit none
  private

  integer, parameter, public :: pilum_bool = 0, pilum_int32 = 1, pilum_int64 = 2, pilum_float32 = 3, pilum_float64 = 4
  integer, parameter, public :: pilum_int8 = 5, pilum_int16 = 6, pilum_uint8 = 7, pilum_uint16 = 8, pilum_uint32 = 9, &
                                pilum_uint64 = 10, pilum_complex64 = 11, pilum_complex128 = 12, pilum_float16 = 13
  integer, parameter, public :: pilum_natural = -1
  integer, parameter, public :: pilum_ok = 0, pilum_shape_error = 1, pilum_index_error = 2, pilum_dtype_error = 3, &
      pilum_value_error = 4, pilum_memory_error = 5, pilum_runtime_error = 6, pilum_handle_error = 7, &
      pilum_other_error = 8

  ! pilum/c_types.h has these.
  integer, parameter :: max_axes = 8
  integer(int64), parameter :: kind_array = 0, kind_bool = 1, kind_integer = 2, kind_floating = 4, kind_nothing = -1
  integer(int64), parameter :: index_position = 1, index_slice = 2, index_all = 3, index_new_axis = 4, &
      index_ellipsis = 5, index_nothing = 6
  integer(int64), parameter :: open_side = -huge(0_int64) - 1_int64

  type, bind(c) :: c_place
    type(c_ptr) :: file = c_null_ptr
    integer(c_int64_t) :: line = 0
  end type
  type, bind(c) :: c_operand
    integer(c_int64_t) :: kind = kind_nothing, bits = 0
  end type
  type, bind(c) :: c_shape
    integer(c_int64_t) :: rank = 0, extent(max_axes) = 0
  end type
  type, bind(c) :: c_axes
    integer(c_int64_t) :: count = 0, axis(max_axes) = 0
  end type
  type, bind(c) :: c_index
    integer(c_int64_t) :: kind = 0, start = 0, stop = 0, step = 1
  end type
  type, bind(c) :: c_indices
    integer(c_size_t) :: count = 0
    type(c_ptr) :: list = c_null_ptr
  end type

  ! One entry of an index that is no number: pilum_slice(first, last, step), pilum_all, pilum_new_axis, pilum_ellipsis.
  type, public :: pilum_index
    private
    type(c_index) :: entry
  end type
  type(pilum_index), parameter, public :: pilum_all = pilum_index(c_index(index_all, 0, 0, 1))
  type(pilum_index), parameter, public :: pilum_new_axis = pilum_index(c_index(index_new_axis, 0, 0, 1))
  type(pilum_index), parameter, public :: pilum_ellipsis = pilum_index(c_index(index_ellipsis, 0, 0, 1))

  ! Of tasks, as pilum/c_tasks.h has them.
  type, bind(c), public :: pilum_piece
    integer(c_int64_t) :: rank, lo(max_axes), hi(max_axes)
  end type
  type, bind(c), public :: pilum_cells
    type(c_ptr) :: first
    integer(c_int64_t) :: lo(max_axes), hi(max_axes), stride(max_axes)
  end type
  type, bind(c), public :: pilum_number
    integer(c_int64_t) :: bits
  end type
  type, bind(c), public :: pilum_parameter
    private
    integer(c_int64_t) :: access, dtype, rank
  end type
  type(pilum_parameter), parameter, public :: pilum_takes_real = pilum_parameter(4, pilum_float64, 0)
  type(pilum_parameter), parameter, public :: pilum_takes_integer = pilum_parameter(5, pilum_int64, 0)
  type, bind(c) :: c_axis_cells
    integer(c_int64_t) :: axis = 0, scale = 0, offset = 0, extent = 0
  end type
  type, bind(c), public :: pilum_argument
    private
    integer(c_int64_t) :: kind = 0
    type(c_operand) :: operand
    integer(c_int64_t) :: fold = 0, count = 0, low(max_axes) = 0, high(max_axes) = 0
    type(c_axis_cells) :: axes(max_axes)
    type(c_funptr) :: boxes = c_null_funptr
  end type
  integer, parameter, public :: pilum_fold_sum = 0, pilum_fold_product = 1, pilum_fold_minimum = 2, &
      pilum_fold_maximum = 3
  type, public :: pilum_task
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  type, public :: pilum_runtime
    private
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! A handle on an array. `a = b` makes a another name of b's cells; pilum_assign(a, b) writes into those of a. It is let
  ! go of when it goes out of scope. What a function or an operator gives is let go of by the first that takes it: to use
  ! it twice, or in a procedure of your own, give it a name first.
  type, public :: pilum_array
    private
    type(c_ptr) :: handle = c_null_ptr
    logical :: is_temporary = .false.
  contains
    procedure, private :: name_array
    generic :: assignment(=) => name_array
    procedure :: view => view_of_array
    procedure :: set => set_array
    final :: leave_array
  end type

  type(c_place) :: here  ! what pilum_here was told last

  public :: pilum_runtime_create, pilum_runtime_destroy, pilum_wait, pilum_rank, pilum_ranks, pilum_cores
  public :: pilum_error_message, pilum_here, pilum_release, pilum_return, pilum_live_arrays
  public :: pilum_shape, pilum_dtype, pilum_size, pilum_print
  public :: pilum_slice, pilum_from_memory, pilum_to_memory, pilum_item

  public :: pilum_reads, pilum_writes, pilum_reads_and_writes, pilum_reduces, pilum_first, pilum_last, pilum_real
  public :: pilum_body, pilum_integer, pilum_point, pilum_fail, pilum_task_create, pilum_task_release, pilum_launch
  public :: pilum_aligned, pilum_halo, pilum_whole, pilum_fold, pilum_value

  interface pilum_launch
    module procedure pilum_launch_of_int32, pilum_launch_of_int64
  end interface
  interface pilum_from_memory
    module procedure from_bool, from_int32, from_int64, from_real32, from_real64
  end interface
  interface pilum_to_memory
    module procedure to_bool, to_int32, to_int64, to_real32, to_real64
  end interface
  interface pilum_item
    module procedure item_logical, item_bool, item_int32, item_int64, item_real32, item_real64
  end interface

  abstract interface
    ! The body of a task: computes the points of the piece. The arrays and the numbers stand in the order of the task's
    ! parameters of either kind. It is called on any thread, several at once; it has no variables that are saved.
    subroutine pilum_body(piece, arrays, numbers) bind(c)
      import
      type(pilum_piece), intent(in) :: piece
      type(pilum_cells), intent(in) :: arrays(*)
      type(pilum_number), intent(in) :: numbers(*)
    end subroutine
  end interface

  include 'functions_declared.inc'
  include 'bound.inc'
  include 'points_declared.inc'

contains

  include 'functions_defined.inc'
  include 'arguments.inc'
  include 'memory.inc'
  include 'points_defined.inc'
  include 'tasks.inc'

  ! ---- Errors ----

  ! Of the last call that went wrong.
  function pilum_error_message() result(message)
    character(:), allocatable :: message
    message = text_at(bound_error_message())
  end function

  ! Tells errors the line that they are to name, from here on: `PILUM_LINE` of pilum_lines.h calls it.
  subroutine pilum_here(file, line)
    character(*), intent(in) :: file
    integer, intent(in) :: line
    here%file = bound_keep_file(file, len(file, c_size_t))
    here%line = line
  end subroutine

  ! What every call ends with.
  subroutine finish(status, ierr)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierr
    if (present(ierr)) then
      ierr = status
    else if (status /= 0) then
      flush (output_unit)
      error stop 'pilum: ' // pilum_error_message()
    end if
  end subroutine

  ! ---- The runtime ----

  ! plaunch, or the environment, decides how many ranks, cores and GPUs there are.
  subroutine pilum_runtime_create(runtime, ierr)
    type(pilum_runtime), intent(out) :: runtime
    integer, intent(out), optional :: ierr
    flush (output_unit)
    call finish(bound_runtime_create(0_c_int, c_null_ptr, runtime%handle, here), ierr)
  end subroutine

  ! Runs what is recorded, and ends this rank's part.
  subroutine pilum_runtime_destroy(runtime, ierr)
    type(pilum_runtime), intent(inout) :: runtime
    integer, intent(out), optional :: ierr
    call finish(bound_runtime_destroy(runtime%handle, here), ierr)
  end subroutine

  ! Returns once everything recorded so far is done, on this rank.
  subroutine pilum_wait(runtime, ierr)
    type(pilum_runtime), intent(in) :: runtime
    integer, intent(out), optional :: ierr
    call finish(bound_wait(runtime%handle, here), ierr)
  end subroutine

  ! 0 … ranks - 1.
  integer function pilum_rank(runtime, ierr) result(rank)
    type(pilum_runtime), intent(in) :: runtime
    integer, intent(out), optional :: ierr
    rank = -1
    call finish(bound_rank(runtime%handle, rank, here), ierr)
  end function

  integer function pilum_ranks(runtime, ierr) result(ranks)
    type(pilum_runtime), intent(in) :: runtime
    integer, intent(out), optional :: ierr
    ranks = -1
    call finish(bound_ranks(runtime%handle, ranks, here), ierr)
  end function

  ! Of all ranks.
  integer function pilum_cores(runtime, ierr) result(cores)
    type(pilum_runtime), intent(in) :: runtime
    integer, intent(out), optional :: ierr
    cores = -1
    call finish(bound_cores(runtime%handle, cores, here), ierr)
  end function

  ! ---- Handles ----

  ! Lets go of a handle before its name goes out of scope.
  subroutine pilum_release(array)
    type(pilum_array), intent(inout) :: array
    call bound_drop(array%handle)
    array%handle = c_null_ptr
    array%is_temporary = .false.
  end subroutine

  ! The last line of a function of one's own: its result is let go of by what takes it, as that of Pilum's functions.
  ! (Compilers should finalize it, and some do not: gfortran before version 13.)
  subroutine pilum_return(array)
    type(pilum_array), intent(inout) :: array
    array%is_temporary = .true.
  end subroutine

  ! How many handles there are.
  integer(int64) function pilum_live_arrays() result(count)
    count = int(bound_live_arrays(), int64)
  end function

  ! Another handle, never the same one: compilers differ in whether they finalize what a function gave.
  subroutine name_array(left, right)
    class(pilum_array), intent(inout) :: left
    type(pilum_array), intent(in) :: right
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (c_associated(right%handle)) call finish(bound_duplicate(right%handle, handle, here))
    call bound_drop(left%handle)
    left%handle = handle
    left%is_temporary = .false.
    call drop(right)
  end subroutine

  impure elemental subroutine leave_array(array)
    type(pilum_array), intent(inout) :: array
    call bound_drop(array%handle)
    array%handle = c_null_ptr
  end subroutine

  ! An argument that is an expression's value has had its use.
  subroutine drop(argument)
    class(*), intent(in) :: argument
    select type (argument)
    type is (pilum_array)
      if (argument%is_temporary) call bound_drop(argument%handle)
    end select
  end subroutine

  ! ---- What is known without waiting ----

  ! The extents, the axis of neighbours in memory first.
  function pilum_shape(array, ierr) result(shape)
    type(pilum_array), intent(in) :: array
    integer, intent(out), optional :: ierr
    integer(int64), allocatable :: shape(:)
    type(c_shape) :: found
    call finish(bound_get_shape(array%handle, found, here), ierr)
    shape = found%extent(int(found%rank):1:-1)
    call drop(array)
  end function

  integer function pilum_dtype(array, ierr) result(dtype)
    type(pilum_array), intent(in) :: array
    integer, intent(out), optional :: ierr
    dtype = pilum_natural
    call finish(bound_get_dtype(array%handle, dtype, here), ierr)
    call drop(array)
  end function

  ! The number of cells.
  integer(int64) function pilum_size(array, ierr) result(size)
    type(pilum_array), intent(in) :: array
    integer, intent(out), optional :: ierr
    size = 0
    call finish(bound_get_size(array%handle, size, here), ierr)
    call drop(array)
  end function

  ! To standard output, as NumPy prints it: a line holds cells that are neighbours in memory. On every rank.
  subroutine pilum_print(array, ierr)
    type(pilum_array), intent(in) :: array
    integer, intent(out), optional :: ierr
    flush (output_unit)
    call finish(bound_print(array%handle, here), ierr)
    call drop(array)
  end subroutine

end module
