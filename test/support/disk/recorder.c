// Records in order what a process does to the files below a folder, and can make one operation fail. LD_PRELOAD loads it into
// the process. Its variables: RECORD_FOLDER is the folder. RECORD_TO is the file for the record. FAIL is "operation name n once"
// or "operation name n always": the n-th operation on a file of this name fails, and with "always" each later one too. The name
// "*" stands for any file. The operation "short" is a write that writes only half of its bytes; with "always", no later write
// finds space.
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

/** How often FAIL has made this operation fail, with this time; 0 if it must not fail now. */
static int must_fail(const char *operation, const char *path) {
  static int count = 0;
  char wanted[16], name[64], mode[8];
  int n;
  const char *fail = getenv("FAIL");
  if (fail == NULL || path == NULL || sscanf(fail, "%15s %63s %d %7s", wanted, name, &n, mode) != 4) return 0;
  const char *slash = strrchr(path, '/');
  if (strcmp(wanted, operation) != 0 || (strcmp(name, "*") != 0 && strcmp(name, slash + 1) != 0)) return 0;
  if (strstr(path, "acknowledged") != NULL) return 0;
  count++;
  int fails = count == n || (count > n && strcmp(mode, "always") == 0);
  if (fails) errno = count > n && strcmp(operation, "short") == 0 ? ENOSPC : EIO;
  return fails ? count - n + 1 : 0;
}

/** The number of bytes that a write may write; -1 if it fails. */
static ssize_t room_for(size_t length, const char *path) {
  if (must_fail("write", path)) return -1;
  int shorts = must_fail("short", path);
  if (shorts > 1) return -1;
  return shorts == 1 && length > 1 ? length / 2 : length;
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
  if ((flags & O_CREAT) && is_recorded(path) && must_fail("create", path)) {
    pthread_mutex_unlock(&turn);
    return -1;
  }
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
  ssize_t room = room_for(length, path_of(file));
  if (room < 0) {
    pthread_mutex_unlock(&turn);
    return -1;
  }
  length = room;
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
  ssize_t room = room_for(length, path_of(file));
  if (room < 0) {
    pthread_mutex_unlock(&turn);
    return -1;
  }
  length = room;
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
  if (must_fail("sync", path)) {
    note("syncfails", path, 0, NULL, 0);
    errno = EIO;
    pthread_mutex_unlock(&turn);
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
  if (must_fail("truncate", path_of(file))) {
    pthread_mutex_unlock(&turn);
    return -1;
  }
  int result = syscall(SYS_ftruncate, file, length);
  if (result == 0 && path_of(file) != NULL) note("truncate", paths[file], length, NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}

int ftruncate(int file, off_t length) { return truncate_it(file, length); }
int ftruncate64(int file, off_t length) { return truncate_it(file, length); }

int unlink(const char *path) {
  pthread_mutex_lock(&turn);
  if (is_recorded(path) && must_fail("unlink", path)) {
    pthread_mutex_unlock(&turn);
    return -1;
  }
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
