! Tasks whose bodies are Fortran subroutines; expected are plain loops and literals. Runs on any number of ranks.
#include "pilum_lines.h"
module bodies
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use pilum
  implicit none
contains

  ! out = weight * (in at i - 1, in, in at i + 1) + shift, nothing beyond the ends.
  subroutine smooth(piece, arrays, numbers) bind(c)
    type(pilum_piece), intent(in) :: piece
    type(pilum_cells), intent(in) :: arrays(*)
    type(pilum_number), intent(in) :: numbers(*)
    real(real64), pointer :: in(:), out(:)
    integer(int64) :: i
    call pilum_point(arrays(1), in)
    call pilum_point(arrays(2), out)
    do i = pilum_first(piece, 1), pilum_last(piece, 1)
      out(i) = pilum_real(numbers(1)) * sum(in(max(i - 1, lbound(in, 1, int64)):min(i + 1, ubound(in, 1, int64)))) &
               + pilum_integer(numbers(2))
    end do
  end subroutine

  ! Columns of a table, a point a column: sums of their cells by weights that all have, and the largest of the sums.
  subroutine column_sums(piece, arrays, numbers) bind(c)
    type(pilum_piece), intent(in) :: piece
    type(pilum_cells), intent(in) :: arrays(*)
    type(pilum_number), intent(in) :: numbers(*)
    integer(int64), pointer :: table(:, :), weights(:), sums(:), largest(:)
    integer(int64) :: column
    call pilum_point(arrays(1), table)
    call pilum_point(arrays(2), weights)
    call pilum_point(arrays(3), sums)
    call pilum_point(arrays(4), largest)
    do column = pilum_first(piece, 1), pilum_last(piece, 1)
      sums(column) = sums(column) + sum(table(:, column) * weights)
      largest(1) = max(largest(1), sum(table(:, column) * weights))
    end do
  end subroutine

  ! A point a cell; a table that is transposed, and one that runs backwards.
  subroutine differences(piece, arrays, numbers) bind(c)
    type(pilum_piece), intent(in) :: piece
    type(pilum_cells), intent(in) :: arrays(*)
    type(pilum_number), intent(in) :: numbers(*)
    integer(int64), pointer :: a(:, :), b(:, :), out(:, :)
    integer(int64) :: i, j
    call pilum_point(arrays(1), a)
    call pilum_point(arrays(2), b)
    call pilum_point(arrays(3), out)
    do j = pilum_first(piece, 2), pilum_last(piece, 2)
      do i = pilum_first(piece, 1), pilum_last(piece, 1)
        out(i, j) = a(i, j) - b(i, j)
      end do
    end do
  end subroutine

  subroutine unable(piece, arrays, numbers) bind(c)
    type(pilum_piece), intent(in) :: piece
    type(pilum_cells), intent(in) :: arrays(*)
    type(pilum_number), intent(in) :: numbers(*)
    call pilum_fail('the pressure is negative')
  end subroutine
end module

program tasks
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  use bodies
  implicit none
  integer :: failures = 0
  type(pilum_runtime) :: runtime
  character(32) :: argument

  call pilum_runtime_create(runtime)
  call get_command_argument(1, argument)
  if (argument == 'fails') call fail_in_body()
  call test_halo()
  call test_projections()
  call test_views()
  if (pilum_live_arrays() /= 0) call fail('arrays were not let go of')
  call pilum_runtime_destroy(runtime)
  if (failures > 0) error stop

contains

  subroutine fail(what)
    character(*), intent(in) :: what
    failures = failures + 1
    write (error_unit, '(a)') what
  end subroutine

  subroutine test_halo()
    integer, parameter :: n = 1000
    type(pilum_task) :: task
    type(pilum_array) :: in, out
    real(real64) :: cells(n), found(n), expected
    integer :: k, ierr
    cells = [(mod(37 * k, 101), k=1, n)]
    in = pilum_from_memory(cells)
    out = pilum_zeros([n])
    call pilum_task_create('smooth', smooth, &
        [pilum_reads(pilum_float64, 1), pilum_takes_real, pilum_writes(pilum_float64, 1), pilum_takes_integer], task)
    call pilum_launch(task, [n], [pilum_halo(in, 1, 1), pilum_value(0.5), pilum_aligned(out), pilum_value(3)])
    call pilum_to_memory(out, found)
    do k = 1, n
      expected = 0.5d0 * sum(cells(max(k - 1, 1):min(k + 1, n))) + 3
      if (abs(found(k) - expected) > 0) call fail('smooth')
    end do
    call pilum_launch(task, [n], [pilum_aligned(in), pilum_value(0.5), pilum_aligned(in), pilum_value(3.5)], ierr)
    if (ierr /= pilum_dtype_error) call fail('3.5 is an integer')
    call pilum_task_release(task)
    call pilum_launch(task, [n], [pilum_aligned(in)], ierr)
    if (ierr /= pilum_handle_error) call fail('a task that was released')
  end subroutine

  subroutine test_projections()
    type(pilum_task) :: task
    type(pilum_array) :: table, weights, sums, largest
    integer(int64) :: found(7), most(1)
    table = pilum_reshape(pilum_arange(0, 21), [3, 7])
    weights = pilum_from_memory([1_int64, 10_int64, 100_int64])
    sums = pilum_full([7], 1000)
    largest = pilum_full([1], 5)
    call pilum_task_create('column_sums', column_sums, [pilum_reads(pilum_int64, 2), pilum_reads(pilum_int64, 1), &
        pilum_reads_and_writes(pilum_int64, 1), pilum_reduces(pilum_int64, 1)], task)
    call pilum_launch(task, [7_int64], [pilum_aligned(table), pilum_whole(weights), pilum_aligned(sums), &
                                        pilum_fold(largest, pilum_fold_maximum)])
    call pilum_to_memory(sums, found)
    call pilum_to_memory(largest, most)
    if (any(found /= [1210, 1543, 1876, 2209, 2542, 2875, 3208])) call fail('sums')
    if (most(1) /= 2208) call fail('largest')
    call pilum_task_release(task)
  end subroutine

  subroutine test_views()
    type(pilum_task) :: task
    type(pilum_array) :: table, turned, backwards, out
    integer(int64) :: found(4, 3), i, j
    table = pilum_reshape(pilum_arange(0, 12), [3, 4])
    turned = pilum_transpose(table)
    backwards = pilum_reshape(pilum_arange(0, 24), [8, 3])
    backwards = backwards%view(pilum_slice(step=-2), pilum_all)
    out = pilum_zeros([4, 3], pilum_int64)
    call pilum_task_create('differences', differences, &
        [pilum_reads(pilum_int64, 2), pilum_reads(pilum_int64, 2), pilum_writes(pilum_int64, 2)], task)
    call pilum_launch(task, [4, 3], [pilum_aligned(turned), pilum_aligned(backwards), pilum_aligned(out)])
    call pilum_to_memory(out, found)
    do j = 1, 3
      do i = 1, 4
        if (found(i, j) /= (j - 1) + 3 * (i - 1) - (8 * (j - 1) + 9 - 2 * i)) call fail('views')
      end do
    end do
    call pilum_task_release(task)
  end subroutine

  ! It ends the run.
  subroutine fail_in_body()
    type(pilum_task) :: task
    type(pilum_array) :: a
    a = pilum_zeros([3])
    call pilum_task_create('faulty', unable, [pilum_writes(pilum_float64, 1)], task)
    PILUM_LINE call pilum_launch(task, [3], [pilum_aligned(a)])
    call pilum_wait(runtime)
    print '(a)', 'this is never reached'
  end subroutine
end program
