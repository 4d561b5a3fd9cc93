// Lets libdispatch run under Valgrind, which writes into the mask of sigsuspend: that of libdispatch
// stands in memory that can only be read.
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, 8);
}
