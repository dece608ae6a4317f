// Records in order what a process does to the files below a folder, and can make one sync fail. LD_PRELOAD loads it into the
// process. Its variables: RECORD_FOLDER is the folder. RECORD_TO is the file for the record. FAIL_SYNC is "name:n", so that
// the n-th sync of a file of this name fails.
//
// Each entry of the record is a line "operation path offset length\n". After the line of a write come the written bytes.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 4096

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char *paths[FILES];
static int record = -1;
static int syncs = 0;

static const char *folder(void) { return getenv("RECORD_FOLDER"); }

static int is_recorded(const char *path) {
  const char *in = folder();
  return in != NULL && path != NULL && strncmp(path, in, strlen(in)) == 0 && strstr(path, "-shm") == NULL &&
         strstr(path, "disk.reserve") == NULL;
}

static const char *path_of(int file) { return file >= 0 && file < FILES ? paths[file] : NULL; }

static void note(const char *operation, const char *path, long offset, const void *bytes, long length) {
  char head[4200];
  if (record < 0) record = syscall(SYS_openat, AT_FDCWD, getenv("RECORD_TO"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  int size = snprintf(head, sizeof head, "%s %s %ld %ld\n", operation, path, offset, length);
  struct iovec parts[2] = {{head, size}, {(void *)bytes, bytes == NULL ? 0 : length}};
  syscall(SYS_writev, record, parts, 2);
}

static int opened(int file, const char *path, int flags) {
  if (file < 0 || file >= FILES || !is_recorded(path)) return file;
  free(paths[file]);
  paths[file] = strdup(path);
  if (flags & O_CREAT) note("create", path, 0, NULL, 0);
  if (flags & O_TRUNC) note("truncate", path, 0, NULL, 0);
  return file;
}

static int open_it(const char *path, int flags, mode_t mode) {
  pthread_mutex_lock(&turn);
  int file = opened(syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, flags);
  pthread_mutex_unlock(&turn);
  return file;
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = va_arg(more, int);
  va_end(more);
  return open_it(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = va_arg(more, int);
  va_end(more);
  return open_it(path, flags, mode);
}

int close(int file) {
  pthread_mutex_lock(&turn);
  if (path_of(file) != NULL) {
    free(paths[file]);
    paths[file] = NULL;
  }
  pthread_mutex_unlock(&turn);
  return syscall(SYS_close, file);
}

static ssize_t write_at(int file, const void *bytes, size_t length, off_t offset) {
  pthread_mutex_lock(&turn);
  ssize_t written = syscall(SYS_pwrite64, file, bytes, length, offset);
  if (written > 0 && path_of(file) != NULL) note("write", paths[file], offset, bytes, written);
  pthread_mutex_unlock(&turn);
  return written;
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) { return write_at(file, bytes, length, offset); }
ssize_t pwrite64(int file, const void *bytes, size_t length, off_t offset) {
  return write_at(file, bytes, length, offset);
}

ssize_t write(int file, const void *bytes, size_t length) {
  if (path_of(file) == NULL) return syscall(SYS_write, file, bytes, length);
  pthread_mutex_lock(&turn);
  struct stat found;
  off_t offset = syscall(SYS_lseek, file, 0, SEEK_CUR);
  if (syscall(SYS_fcntl, file, F_GETFL) & O_APPEND) {
    fstat(file, &found);
    offset = found.st_size;
  }
  ssize_t written = syscall(SYS_write, file, bytes, length);
  if (written > 0 && path_of(file) != NULL) note("write", paths[file], offset, bytes, written);
  pthread_mutex_unlock(&turn);
  return written;
}

static int sync_it(int file, long number) {
  if (path_of(file) == NULL) return syscall(number, file);
  pthread_mutex_lock(&turn);
  const char *path = paths[file];
  const char *failing = getenv("FAIL_SYNC");
  const char *colon = failing == NULL ? NULL : strchr(failing, ':');
  const char *name = strrchr(path, '/') + 1;
  if (colon != NULL && strlen(name) == (size_t)(colon - failing) && strncmp(name, failing, colon - failing) == 0 &&
      ++syncs == atoi(colon + 1)) {
    note("syncfails", path, 0, NULL, 0);
    pthread_mutex_unlock(&turn);
    errno = EIO;
    return -1;
  }
  int result = syscall(number, file);
  if (result == 0) note("sync", path, 0, NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}

int fsync(int file) { return sync_it(file, SYS_fsync); }
int fdatasync(int file) { return sync_it(file, SYS_fdatasync); }

static int truncate_it(int file, off_t length) {
  pthread_mutex_lock(&turn);
  int result = syscall(SYS_ftruncate, file, length);
  if (result == 0 && path_of(file) != NULL) note("truncate", paths[file], length, NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}

int ftruncate(int file, off_t length) { return truncate_it(file, length); }
int ftruncate64(int file, off_t length) { return truncate_it(file, length); }

int unlink(const char *path) {
  pthread_mutex_lock(&turn);
  int result = syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (result == 0 && is_recorded(path)) note("unlink", path, 0, NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}

int rename(const char *from, const char *to) {
  pthread_mutex_lock(&turn);
  int result = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0 && is_recorded(to)) {
    note("rename", from, 0, to, strlen(to));
  }
  pthread_mutex_unlock(&turn);
  return result;
}

int mkdir(const char *path, mode_t mode) {
  pthread_mutex_lock(&turn);
  int result = syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (result == 0 && is_recorded(path)) note("mkdir", path, 0, NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}
