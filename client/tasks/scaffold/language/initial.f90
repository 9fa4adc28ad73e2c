module kernel
  use iso_fortran_env, only: real64, int8
  implicit none
contains
  ! EVOLVE-BLOCK-START
  ! The smallest distance of two numbers: all pairs are compared.
  function smallest_gap(x) result(best)
    real(real64), intent(in) :: x(:)
    real(real64) :: best
    integer :: i, j
    best = huge(best)
    do i = 1, size(x)
      do j = i + 1, size(x)
        best = min(best, abs(x(i) - x(j)))
      end do
    end do
  end function smallest_gap
  ! EVOLVE-BLOCK-END
end module kernel

! Lines of JSON in and out: {"call": "smallest_gap", "args": [{"$array": "float64", "shape": [n]}]}, behind it the n numbers.
program main
  use kernel
  implicit none
  real(real64), allocatable :: x(:)
  character(4096) :: line
  character :: c
  integer :: input, length, n, status, at
  open(newunit=input, file='/dev/stdin', access='stream', form='unformatted', action='read', status='old')
  do
    length = 0
    line = ''
    do
      read(input, iostat=status) c
      if (status /= 0) stop
      if (c == new_line(c)) exit
      length = length + 1
      line(length:length) = c
    end do
    at = index(line, '"shape":[') + 9
    read(line(at:at + index(line(at:), ']') - 2), *) n
    allocate(x(n))
    read(input) x
    write(*, '(a, es24.16e3, a)') '{"value": ', smallest_gap(x), '}'
    flush(6)
    deallocate(x)
  end do
end program main
