/* Lets one call of the system fail: the FAIL_AT-th call named FAIL_CALL, and all later ones if FAIL_STICKY is set, fail
 * with the error number FAIL_ERRNO. Only files below the folder FAIL_BELOW count, and sockets of the internet, to any peer.
 * FAIL_SHORT=1 lets a write store half of its bytes instead; of a socket that would mean that it is full. The number of
 * calls that counted is appended to FAIL_LOG at the end, so that a run without FAIL_AT says how many there are.
 *
 *     cc -shared -fPIC -O1 -o failing_calls.so failing_calls.c -ldl -pthread
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long calls;
static long fail_at;
static int fail_errno, is_sticky, is_short;
static const char *fail_call, *below;

__attribute__((constructor)) static void begin(void) {
  const char *at = getenv("FAIL_AT"), *number = getenv("FAIL_ERRNO");
  fail_call = getenv("FAIL_CALL");
  below = getenv("FAIL_BELOW");
  fail_at = at ? atol(at) : 0;
  fail_errno = number ? atoi(number) : EIO;
  is_sticky = getenv("FAIL_STICKY") != NULL;
  is_short = getenv("FAIL_SHORT") != NULL;
}

__attribute__((destructor)) static void end(void) {
  const char *log = getenv("FAIL_LOG");
  if (!log) return;
  /* By number: what is intercepted here must not count. */
  int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0) return;
  char line[32];
  int length = snprintf(line, sizeof line, "%ld\n", atomic_load(&calls));
  syscall(SYS_write, file, line, (size_t)length);
  syscall(SYS_close, file);
}

static int is_below(const char *path) {
  return below && path && strncmp(path, below, strlen(below)) == 0;
}

/* A path as it is seen from the folder of an open file. */
static int is_below_at(int folder, const char *path) {
  char name[64], place[PATH_MAX];
  if (!path) return 0;
  if (path[0] == '/') return is_below(path);
  if (folder == AT_FDCWD) {
    long length = syscall(SYS_getcwd, place, sizeof place);
    return length > 0 && is_below(place);
  }
  snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
  long length = syscall(SYS_readlinkat, AT_FDCWD, name, place, sizeof place - 1);
  if (length <= 0) return 0;
  place[length] = 0;
  return is_below(place);
}

static int is_file_below(int file) {
  char name[64], place[PATH_MAX];
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  long length = syscall(SYS_readlinkat, AT_FDCWD, name, place, sizeof place - 1);
  if (length <= 0) return 0;
  place[length] = 0;
  return is_below(place);
}

/* What a process says to itself does not count. */
static int is_to_peer(int file) {
  int family = 0;
  socklen_t length = sizeof family;
  return getsockopt(file, SOL_SOCKET, SO_DOMAIN, &family, &length) == 0 && (family == AF_INET || family == AF_INET6);
}

/* Whether this call is one that fails. */
static int fails(const char *call, int counts) {
  if (!counts || !fail_call || strcmp(call, fail_call) != 0) return 0;
  long at = atomic_fetch_add(&calls, 1) + 1;
  if (!fail_at || at < fail_at || (at > fail_at && !is_sticky)) return 0;
  errno = fail_errno;
  return 1;
}

#define REAL(result, name, ...)                         \
  static result (*real)(__VA_ARGS__);                   \
  if (!real) real = (result(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define OPEN(name)                                                          \
  int name(const char *path, int flags, ...) {                              \
    REAL(int, #name, const char *, int, ...);                               \
    va_list rest;                                                           \
    va_start(rest, flags);                                                  \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                           \
    if (fails("open", is_below_at(AT_FDCWD, path))) return -1;              \
    return real(path, flags, mode);                                         \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                        \
  int name(int folder, const char *path, int flags, ...) {                  \
    REAL(int, #name, int, const char *, int, ...);                          \
    va_list rest;                                                           \
    va_start(rest, flags);                                                  \
    mode_t mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                           \
    if (fails("open", is_below_at(folder, path))) return -1;                \
    return real(folder, path, flags, mode);                                 \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  if (fails("write", is_file_below(file))) {
    if (!is_short || count < 2) return -1;
    return real(file, bytes, count / 2);
  }
  return real(file, bytes, count);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  if (fails("write", is_file_below(file))) return -1;
  if (fails("send", is_to_peer(file))) return -1;
  return real(file, parts, count);
}

#define PWRITE(name, offset)                                              \
  ssize_t name(int file, const void *bytes, size_t count, offset at) {    \
    REAL(ssize_t, #name, int, const void *, size_t, offset);              \
    if (fails("write", is_file_below(file))) return -1;                   \
    return real(file, bytes, count, at);                                  \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define READ_FILE(name)                                  \
  ssize_t name(int file, void *bytes, size_t count) {    \
    REAL(ssize_t, #name, int, void *, size_t);           \
    if (fails("read", is_file_below(file))) return -1;   \
    return real(file, bytes, count);                     \
  }
READ_FILE(read)

#define OF_FILE(name, call)                              \
  int name(int file) {                                   \
    REAL(int, #name, int);                               \
    if (fails(call, is_file_below(file))) return -1;     \
    return real(file);                                   \
  }
OF_FILE(fsync, "fsync")
OF_FILE(fdatasync, "fsync")

#define TRUNCATE(name, offset)                           \
  int name(int file, offset length) {                    \
    REAL(int, #name, int, offset);                       \
    if (fails("truncate", is_file_below(file))) return -1; \
    return real(file, length);                           \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  if (fails("rename", is_below_at(AT_FDCWD, to))) return -1;
  return real(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  REAL(int, "renameat2", int, const char *, int, const char *, unsigned);
  if (fails("rename", is_below_at(to_folder, to))) return -1;
  return real(from_folder, from, to_folder, to, flags);
}

int mkdir(const char *path, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  if (fails("mkdir", is_below_at(AT_FDCWD, path))) return -1;
  return real(path, mode);
}

int chmod(const char *path, mode_t mode) {
  REAL(int, "chmod", const char *, mode_t);
  if (fails("chmod", is_below_at(AT_FDCWD, path))) return -1;
  return real(path, mode);
}

int fchmod(int file, mode_t mode) {
  REAL(int, "fchmod", int, mode_t);
  if (fails("chmod", is_file_below(file))) return -1;
  return real(file, mode);
}

#define REMOVE(name)                                             \
  int name(const char *path) {                                   \
    REAL(int, #name, const char *);                              \
    if (fails("unlink", is_below_at(AT_FDCWD, path))) return -1; \
    return real(path);                                           \
  }
REMOVE(unlink)
REMOVE(rmdir)

int unlinkat(int folder, const char *path, int flags) {
  REAL(int, "unlinkat", int, const char *, int);
  if (fails("unlink", is_below_at(folder, path))) return -1;
  return real(folder, path, flags);
}

#define SPACE(name, type, call)                                  \
  int name(const char *path, struct type *found) {               \
    REAL(int, #name, const char *, struct type *);               \
    if (fails(call, is_below_at(AT_FDCWD, path))) return -1;     \
    return real(path, found);                                    \
  }
SPACE(statfs, statfs, "statfs")
SPACE(statvfs, statvfs, "statfs")
SPACE(statvfs64, statvfs64, "statfs")

#define MAP(name, offset)                                                                \
  void *name(void *at, size_t length, int protection, int flags, int file, offset from) { \
    REAL(void *, #name, void *, size_t, int, int, int, offset);                          \
    if (file >= 0 && fails("mmap", is_file_below(file))) return MAP_FAILED;              \
    return real(at, length, protection, flags, file, from);                              \
  }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

int connect(int socket, const struct sockaddr *peer, socklen_t length) {
  REAL(int, "connect", int, const struct sockaddr *, socklen_t);
  if (fails("connect", peer && (peer->sa_family == AF_INET || peer->sa_family == AF_INET6))) return -1;
  return real(socket, peer, length);
}

int socket(int family, int type, int protocol) {
  REAL(int, "socket", int, int, int);
  if (fails("socket", family == AF_INET || family == AF_INET6)) return -1;
  return real(family, type, protocol);
}

#define PASS(name, bytes_of)                                         \
  ssize_t name(int socket, bytes_of bytes, size_t count, int flags) { \
    REAL(ssize_t, #name, int, bytes_of, size_t, int);                \
    if (fails(#name, is_to_peer(socket))) return -1;                 \
    return real(socket, bytes, count, flags);                        \
  }
PASS(send, const void *)
PASS(recv, void *)

ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  REAL(ssize_t, "sendmsg", int, const struct msghdr *, int);
  if (fails("send", is_to_peer(socket))) return -1;
  return real(socket, message, flags);
}
