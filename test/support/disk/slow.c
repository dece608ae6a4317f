// Makes each sync of a process slow. LD_PRELOAD loads it into the process. SLOW_SYNC_MS is the time of a sync.

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int sync_slowly(int file, long number) {
  usleep(1000 * atoi(getenv("SLOW_SYNC_MS")));
  return syscall(number, file);
}

int fsync(int file) { return sync_slowly(file, SYS_fsync); }
int fdatasync(int file) { return sync_slowly(file, SYS_fdatasync); }
